# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""SARIF 2.1.0, for GitHub's code scanning and other readers: one run for each target.

Sources: OASIS, "SARIF 2.1.0"; docs.github.com, "SARIF support for code scanning".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from trainlint import __version__
from trainlint.model.document import Source, Span
from trainlint.model.finding import Fix, Level
from trainlint.model.result import Report, Result
from trainlint.report.fingerprint import fingerprints
from trainlint.report.format import Format
from trainlint.report.json_version_1 import encoded
from trainlint.report.placed_findings import Placed, not_judged, placed, uri_of
from trainlint.report.rule_pages import page
from trainlint.report.style import PAGES_URL, Style, page_of, printable

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS: Final = 25_000
"""Results of one run that GitHub takes; the worst come first."""

LEVELS = {Level.FAIL: "error", Level.WARN: "warning"}
NO_RULE: Final = {"unreadable": "a file has to be readable as what its name says it is"}
"""Names under which something is reported that is no rule's."""


def render(report: Report, _style: Style) -> str:
    """Return the log."""
    targets = dict.fromkeys(result.target.name if result.target else None for result in report.results)
    runs = [_run(report, target) for target in targets or (None,)]
    return encoded({"$schema": SCHEMA, "version": "2.1.0", "runs": runs})


def _run(report: Report, target: str | None) -> dict[str, Any]:
    mine = [
        placed_finding
        for placed_finding in report.results
        if (placed_finding.target.name if placed_finding.target else None) == target
    ]
    fingerprinted = list(fingerprints(placed(mine)))
    rules = list(dict.fromkeys(placed_finding.rule for placed_finding, _ in fingerprinted))
    return {
        "tool": {"driver": _driver(report, rules)},
        "automationDetails": {"id": f"trainlint/{printable(target)}/" if target else "trainlint/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "the root of the checkout"}}},
        "invocations": [_invocation(report, mine, len(fingerprinted))],
        "results": [
            _result(placed_finding, fingerprint, rules)
            for placed_finding, fingerprint in fingerprinted[:MOST_RESULTS]
        ],
    }


def _driver(report: Report, rules: Iterable[str]) -> dict[str, Any]:
    return {
        "name": "trainlint",
        "version": __version__,
        "semanticVersion": __version__,
        "informationUri": PAGES_URL,
        "rules": [_rule(report, name) for name in rules],
    }


def _rule(report: Report, name: str) -> dict[str, Any]:
    rule = report.rules.get(name)
    said = printable(rule.summary) if rule is not None else NO_RULE.get(name, name)
    why = str(rule.data["why"]).strip() if rule is not None else said
    help_text = {"text": _lines(why)}
    if rule is not None:
        help_text["markdown"] = _lines(page(rule))
    address = {"helpUri": page_of(name)} if page_of(name) else {}
    return {
        "id": printable(name),
        **address,
        "name": printable("".join(word.capitalize() for word in name.split("-"))),
        "shortDescription": {"text": said},
        "fullDescription": {"text": _lines(why)},
        "help": help_text,
        "defaultConfiguration": {"level": LEVELS[rule.level] if rule is not None else "error"},
        "properties": {"tags": ["training"]},
    }


def _lines(text: str) -> str:
    """Clean a text of several lines."""
    return "\n".join(map(printable, text.split("\n")))


def _invocation(report: Report, results: Iterable[Result], count: int) -> dict[str, Any]:
    """Say what was not judged: none of it is a result."""
    left = [_notification("note", gap.message, gap) for gap in not_judged(results)]
    left += [_notification("note", note) for note in report.notes]
    left += [_notification("error", crash.message) for crash in report.crashes]
    if count > MOST_RESULTS:
        left.append(_notification("warning", f"{count - MOST_RESULTS} more findings are left out"))
    return {"executionSuccessful": not report.crashes, "toolExecutionNotifications": left}


def _notification(level: str, text: str, placed_finding: Placed | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"level": level, "message": {"text": _unlinked(text)}}
    if placed_finding is not None:
        region = {"startLine": placed_finding.line}
        made["locations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(placed_finding.result.path),
                    "region": region,
                }
            }
        ]
    return made


def _unlinked(text: str) -> str:
    """Clean a message; `[words](place)` would be a link in it."""
    return printable(text).replace("](", "] (")


def _result(placed_finding: Placed, fingerprint: str, rules: Sequence[str]) -> dict[str, Any]:
    finding = placed_finding.finding
    if finding is None:
        raise ValueError("only findings are results")
    source = placed_finding.result.source
    made: dict[str, Any] = {
        "ruleId": printable(finding.rule),
        "ruleIndex": rules.index(finding.rule),
        "level": LEVELS[finding.level],
        "message": {"text": "\n".join(map(_unlinked, (placed_finding.message, *finding.notes)))},
        "locations": [_location(source, finding.spans[0])],
        "partialFingerprints": {"primaryLocationLineHash": f"{fingerprint}:1", "trainlint/v1": fingerprint},
    }
    if finding.spans[1:]:
        others = [_location(source, span) | {"id": index} for index, span in enumerate(finding.spans[1:], 1)]
        made["relatedLocations"] = others
    if finding.fixes:
        made["fixes"] = [_fix(source, fix) for fix in finding.fixes]
    return made


def _artifact(path: str) -> dict[str, str]:
    uri = uri_of(path)
    return {"uri": f"file://{uri}"} if uri.startswith("/") else {"uri": uri, "uriBaseId": "%SRCROOT%"}


def _location(source: Source, span: Span) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(source.path), "region": _region(source, span)}}


def _region(source: Source, span: Span) -> dict[str, int]:
    (line, column), (end_line, end_column) = source.position(span.start), source.position(span.end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _fix(source: Source, fix: Fix) -> dict[str, Any]:
    replaced = [
        {"deletedRegion": _region(source, edit.span), "insertedContent": {"text": edit.text}}
        for edit in fix.edits
    ]
    return {
        "description": {"text": _unlinked(fix.summary)},
        "artifactChanges": [{"artifactLocation": _artifact(source.path), "replacements": replaced}],
    }


FORMAT = Format(render, notes=True)

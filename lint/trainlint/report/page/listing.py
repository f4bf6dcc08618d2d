# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The config with its findings under their lines, and fixes as changed lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from trainlint.model.document import Source, Span
from trainlint.model.finding import Fix, Level
from trainlint.model.result import Result
from trainlint.report.change_lines import changed_lines
from trainlint.report.page.markup import Html, el, join
from trainlint.report.placed_findings import Placed, not_judged, placed
from trainlint.report.shown_place import shown

MOST_WHOLE_LINES: Final = 1500
"""Lines up to which a file is shown as it is; of a longer one, those around its findings."""
OF_ALL: Final = 10 * MOST_WHOLE_LINES
"""Lines of a file, times its jobs, up to which each job shows the whole: a script may start a hundred."""
LINES_AROUND: Final = 5
MOST_LINE_CHARACTERS: Final = 400
"""Characters of a line that are shown."""


def listing(results: Sequence[Result], jobs: int = 1) -> Html:
    """Return the section of one of a file's `jobs`: its findings in the file, where the text is at hand."""
    placed_findings = [
        placed_finding for placed_finding in placed(results) if placed_finding.finding is not None
    ]
    open_ = [el("li", placed_finding.message) for placed_finding in not_judged(results)]
    notes = el("ul", *open_, class_="open") if open_ else Html()
    source = next((placed_finding.result.source for placed_finding in placed_findings), results[0].source)
    heading = el("h3", "Config" if source.text else "Findings")
    if not placed_findings and not source.text:
        return el("section", heading, notes) if open_ else Html()
    if source.path.endswith(".ipynb"):
        return el(
            "section",
            heading,
            notes,
            *(_in_cell(placed_finding) for placed_finding in placed_findings),
            class_="config",
        )
    lines = _lines(source, placed_findings, min(MOST_WHOLE_LINES, OF_ALL // jobs))
    return el("section", heading, notes, el("div", *lines, class_="code"), class_="config")


def _lines(source: Source, placed_findings: Sequence[Placed], whole: int) -> Iterator[Html]:
    """Yield the lines of a file of up to `whole`, of a longer one those around the findings."""
    under: dict[int, list[Placed]] = defaultdict(list)
    marks: dict[int, list[tuple[Span, str]]] = defaultdict(list)
    for placed_finding in placed_findings:
        under[placed_finding.line].append(placed_finding)
        for index, span in enumerate(placed_finding.finding.spans if placed_finding.finding else ()):
            marks[source.position(span.start)[0]].append(
                (span, _level(placed_finding) if not index else "other")
            )
    count = source.text.count("\n") + 1
    near = {line + step for line in marks for step in range(-LINES_AROUND, LINES_AROUND + 1)}
    kept = range(1, count + 1) if count <= whole else sorted(line for line in near if 1 <= line <= count)
    before = 0
    for line in kept:
        if line != before + 1:
            yield el("div", "⋯", class_="gap")
        yield _line(source, line, marks[line]) if line in marks else _plain(source, line)
        yield from (_finding(placed_finding, source.text) for placed_finding in under[line])
        before = line
    if count > whole and before < count:
        yield el("div", "⋯", class_="gap")


@lru_cache(maxsize=MOST_WHOLE_LINES)  # a file's jobs are listed one after the other
def _plain(source: Source, number: int) -> Html:
    return _line(source, number, ())


def _line(source: Source, number: int, marks: Sequence[tuple[Span, str]]) -> Html:
    start = source.offset(number, 1)
    content = source.line(number)[:MOST_LINE_CHARACTERS]
    parts: list[Html | str] = []
    position = 0
    for span, level in sorted(marks, key=lambda mark: mark[0]):
        low, high = (
            max(position, span.start - start),
            min(len(content), max(span.end, span.start + 1) - start),
        )
        if low < high:
            parts += [content[position:low], el("mark", content[low:high], class_=level)]
            position = high
    more = "…" if len(source.line(number)) > MOST_LINE_CHARACTERS else ""
    parts += [content[position:], more]
    return el("div", el("span", str(number), class_="no"), el("code", *parts), class_="line", id=f"L{number}")


def _level(placed_finding: Placed) -> str:
    return placed_finding.finding.level.value if placed_finding.finding else Level.WARN.value


def _finding(placed_finding: Placed, text: str) -> Html:
    finding = placed_finding.finding
    if finding is None:
        return Html()
    parts = [
        el(
            "p",
            el("b", _level(placed_finding)),
            ": ",
            placed_finding.message,
            " ",
            el("small", f"[{placed_finding.rule}]"),
        )
    ]
    parts += [el("p", note, class_="note") for note in finding.notes]
    parts += [_fix(fix, text) for fix in finding.fixes]
    return el("div", *parts, class_=f"finding {_level(placed_finding)}")


def _fix(fix: Fix, text: str) -> Html:
    lines = [
        el(
            "div",
            f"{number:>5} {sign} {content[:MOST_LINE_CHARACTERS]}",
            class_="out" if sign == "-" else "in",
        )
        for sign, number, content in changed_lines(text, fix.edits)
    ]
    checked = f"not checked: {fix.unknown}" if fix.unknown else "checked"
    how = checked if fix.safe or not fix.effect else f"{checked}; {fix.effect}"
    return el(
        "div", el("p", "fix: ", fix.summary, " ", el("small", f"({how})")), el("div", *lines, class_="diff")
    )


def _in_cell(placed_finding: Placed) -> Html:
    seen = shown(
        placed_finding.result.source,
        placed_finding.finding.spans if placed_finding.finding else (Span(0, 0),),
    )
    line = seen.source.position(seen.spans[0].start)[0]
    code = el("div", _line(seen.source, line, [(seen.spans[0], _level(placed_finding))]), class_="code")
    return join(
        [
            el("p", seen.place, class_="note"),
            code,
            _finding(placed_finding, placed_finding.result.source.text),
        ]
    )

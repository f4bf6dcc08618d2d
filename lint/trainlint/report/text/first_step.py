# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What to do first about a report that found several things."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.model.finding import Finding, Level
from trainlint.model.result import Report
from trainlint.report.style import Style, printable

if TYPE_CHECKING:
    from trainlint.report.placed_findings import Placed


def first_step(report: Report, style: Style) -> Iterator[str]:
    """Yield the line: the first failure that an edit fixes, else the first; what shows the edits."""
    if not any(finding.level is Level.FAIL for result in report.results for finding in result.findings):
        return
    from trainlint.report.placed_findings import placed  # noqa: PLC0415 - where something fails

    pairs = [
        (placed_finding, placed_finding.finding)
        for placed_finding in placed(report.results)
        if placed_finding.finding is not None
    ]
    fails = [pair for pair in pairs if pair[1].level is Level.FAIL and pair[0].result.dialect]
    if len(pairs) <= 1 or not fails:
        return
    from trainlint.report.shown_place import shown  # noqa: PLC0415 - where something fails

    able = [pair for pair in fails if _is_applied(pair[1])]
    placed_finding, finding = next((pair for pair in pairs if _is_recommended(*pair)), (able or fails)[0])
    place = (
        shown(placed_finding.result.source, finding.spans).place
        if placed_finding.result.source.text
        else placed_finding.result.path
    )
    said = finding.fixes[0].summary if _is_applied(finding) else finding.message
    yield (
        f"{style.paint('bold', 'first:')} {printable(place)} {printable(said)} {style.rule(finding.rule)}"
        f"{_how([finding for _, finding in pairs])}"
    )


def _is_recommended(placed_finding: Placed, finding: Finding) -> bool:
    """Return whether a finding's first fix is what its job, which fails, is advised to do."""
    advice = placed_finding.result.recommended
    is_it = advice is not None and bool(finding.fixes) and finding.fixes[0].summary == advice.summary
    return is_it and any(other.level is Level.FAIL for other in placed_finding.result.findings)


def _is_applied(finding: Finding) -> bool:
    """Return whether --fix makes a finding's first fix: not what only some readings have, nor unchecked."""
    return bool(finding.fixes) and finding.fixes[0] in finding.writable


def _how(findings: list[Finding]) -> str:
    """Say which options show the edits that --fix makes."""
    fixes = [finding.fixes[0] for finding in findings if _is_applied(finding)]
    if not fixes:
        return ""
    return (
        "; --diff shows the edits"
        if all(fix.safe for fix in fixes)
        else "; --diff --unsafe-fixes shows the edits"
    )

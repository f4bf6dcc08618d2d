# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GitHub Actions: annotations on the lines of a pull request, and a step summary with everything.

GitHub shows ten errors, ten warnings and ten notices of a step and drops the rest without a word, so the
worst come first and a line on stderr says how many more there are.
Source: docs.github.com, "Workflow commands for GitHub Actions" and "Annotations" limits.
"""

from __future__ import annotations

from trainlint.model.finding import Level
from trainlint.model.result import Report
from trainlint.report.closing import summary
from trainlint.report.format import Format
from trainlint.report.markdown_text import document
from trainlint.report.placed_findings import Placed, not_judged, path_from_root, placed
from trainlint.report.style import Style, printable

PER_STEP = 10
"""Annotations of one level that GitHub keeps per step."""

SUMMARY_BYTES = 2**20
"""Size limit of one step's summary."""

COMMANDS = {Level.FAIL: "error", Level.WARN: "warning", None: "notice"}


def render(report: Report, _style: Style) -> str:
    """Return workflow commands, worst first and at most ten of a level."""
    lines = [
        _command(placed_finding)
        for annotated in _annotated(report).values()
        for placed_finding in annotated[:PER_STEP]
    ]
    return "".join(f"{line}\n" for line in lines)


def aside(report: Report) -> str:
    """Return the line for stderr: the summary, and how many findings GitHub will not show."""
    left = sum(max(0, len(annotated) - PER_STEP) for annotated in _annotated(report).values())
    return f"{summary(report, Style())}{f'; {left} more in the step summary' if left else ''}"


def step_summary(report: Report) -> str:
    """Return Markdown for $GITHUB_STEP_SUMMARY: every job with its memory, every finding with its fix."""
    return document(report, SUMMARY_BYTES)


def _annotated(report: Report) -> dict[Level | None, list[Placed]]:
    """Return what is to be annotated, by level, the worst first."""
    all_placed = placed(report.results)
    by_level: dict[Level | None, list[Placed]] = {
        level: [
            placed_finding
            for placed_finding in all_placed
            if placed_finding.finding is not None and placed_finding.finding.level is level
        ]
        for level in (Level.FAIL, Level.WARN)
    }
    return by_level | {None: list(not_judged(report.results))}


def _command(placed_finding: Placed) -> str:
    finding = placed_finding.finding
    properties = {"file": path_from_root(placed_finding.result.path), "line": str(placed_finding.line)}
    if finding is not None:
        properties["endLine"] = str(placed_finding.end_line)
        if (
            placed_finding.line == placed_finding.end_line
        ):  # GitHub drops an annotation with columns over several lines
            properties |= {"col": str(placed_finding.column), "endColumn": str(placed_finding.end_column)}
    properties["title"] = f"trainlint: {placed_finding.rule}"
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    place = f"{placed_finding.result.path}:{placed_finding.line}" + (
        f":{placed_finding.column}" if finding is not None else ""
    )
    rule = f" [{finding.rule}]" if finding is not None else ""
    fix = f"\nfix: {finding.fixes[0].summary}" if finding is not None and finding.fixes else ""
    command = COMMANDS[finding.level if finding is not None else None]
    return f"::{command} {listed}::{_data(f'{place}: {placed_finding.message}{rule}{fix}')}"


def _data(text: str) -> str:
    """Escape a message: the runner reads a command up to the end of its line, and prints it as it is."""
    lines = (printable(line) for line in text.replace("%", "%25").splitlines())
    return "%0A".join(lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMAT = Format(render, annotations=True, aside=aside, summary=step_summary)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GitHub Actions: annotations on the lines of a pull request, and a step summary with everything.

GitHub shows ten errors and ten warnings of a step and drops the rest without a word, so the worst come first
and a line on stderr says how many more there are.
Source: docs.github.com, "Workflow commands for GitHub Actions" and "Annotations" limits.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.judge.finding import Finding, Level, Outcome
from trainlint.report.block import blocks
from trainlint.report.change import changed_lines
from trainlint.report.closing import summary
from trainlint.report.result import Report, Result
from trainlint.report.style import Style, harmless, printable
from trainlint.report.unjudged import jobs_of, why_unjudged

PER_STEP = 10
"""Annotations of one level that GitHub keeps per step."""

SUMMARY_BYTES = 2**20
"""Size limit of one step's summary."""

CUT = "\n```\n\n(cut here: GitHub takes 1 MiB per step)\n"
"""Closes a diff that may be open where the summary is cut."""

COMMANDS = {Level.FAIL: "error", Level.WARN: "warning"}


def render(report: Report, _style: Style) -> str:
    """Return workflow commands, worst first and at most ten of a level."""
    lines = []
    for level in (Level.FAIL, Level.WARN):
        found = list(_found(report, level))
        lines += [_command(result, finding) for result, finding in found[:PER_STEP]]
    lines += [_notice(result, why) for result, why in _unjudged(report)][:PER_STEP]
    return "".join(f"{line}\n" for line in lines)


def aside(report: Report) -> str:
    """Return the line for stderr: the summary, and how many findings GitHub will not show."""
    left = sum(max(0, len(list(_found(report, level))) - PER_STEP) for level in COMMANDS)
    return f"{summary(report, Style())}{f'; {left} more in the step summary' if left else ''}"


def _found(report: Report, level: Level) -> Iterator[tuple[Result, Finding]]:
    for block in blocks(report.results):
        for finding in block.result.findings:
            if finding.level is level:
                yield block.result, finding


def _unjudged(report: Report) -> Iterator[tuple[Result, str]]:
    """Yield the jobs whose memory has no verdict, and why."""
    for result in jobs_of(report):
        if (why := why_unjudged(result)) is not None:
            yield result, why


def _notice(result: Result, why: str) -> str:
    """Return the annotation of a job whose memory was not judged."""
    target = f" on {result.target.name}" if result.target else ""
    listed = f"file={_property(result.path)},line={result.line},title=trainlint: memory not judged"
    return f"::notice {listed}::{_data(f'{result.path}:{result.line}: memory not judged{target}: {why}')}"


def _command(result: Result, finding: Finding) -> str:
    span = finding.spans[0]
    line, column = result.source.position(span.start)
    end_line, end_column = result.source.position(span.end)
    properties = {"file": result.path, "line": str(line), "endLine": str(end_line)}
    if line == end_line:  # GitHub drops an annotation with columns over several lines
        properties |= {"col": str(column), "endColumn": str(end_column)}
    properties["title"] = f"trainlint: {finding.rule}"
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    fix = f"\nfix: {finding.fixes[0].summary}" if finding.fixes else ""
    target = f" ({result.target.name})" if result.target else ""
    message = f"{result.path}:{line}:{column}: {finding.message}{target} [{finding.rule}]{fix}"
    return f"::{COMMANDS[finding.level]} {listed}::{_data(message)}"


def _data(text: str) -> str:
    """Escape a message: the runner reads a command up to the end of its line, and prints it as it is."""
    lines = (printable(line) for line in text.replace("%", "%25").splitlines())
    return "%0A".join(lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def step_summary(report: Report) -> str:
    """Return Markdown for $GITHUB_STEP_SUMMARY: every result, and every finding with its fix."""
    lines = ["### trainlint", "", summary(report, Style()), ""]
    lines += ["| verdict | job | target |", "|---|---|---|"]
    lines += [
        f"| {result.outcome} | {_cell(result.path)}:{result.line} {_cell(result.variant or '')} | "
        f"{_cell(result.target.name if result.target else '')} |"
        for result in report.results
        if result.outcome is not Outcome.PASS
    ]
    for level in (Level.FAIL, Level.WARN):
        for result, finding in _found(report, level):
            lines += ["", *_section(result, finding)]
    text = harmless("\n".join(lines) + "\n")
    if len(text.encode()) <= SUMMARY_BYTES:
        return text
    cut = text.encode()[: SUMMARY_BYTES - len(CUT)].decode(errors="ignore")
    return cut.rpartition("\n")[0] + CUT


def _section(result: Result, finding: Finding) -> Iterator[str]:
    line, column = result.source.position(finding.spans[0].start)
    place = f"{_cell(result.path)}:{line}:{column}"
    yield f"**{finding.level}** {place} {_cell(finding.message)} ({_cell(finding.rule)})"
    if finding.fixes:
        yield f"\n{_cell(finding.fixes[0].summary)}\n\n```diff"
        for sign, _, content in changed_lines(result.source.text, finding.fixes[0].edits):
            yield f"{sign}{printable(content)}"
        yield "```"


def _cell(text: str) -> str:
    """Keep a linted file from writing Markdown or HTML of its own."""
    for char in "\\`*_{}[]<>|":
        text = text.replace(char, f"\\{char}")
    return printable(text)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""JUnit's XML, which every CI server shows: a suite for each file, a test for each job on each target.

Source: the schema that Jenkins' xunit plugin checks (junit-10.xsd).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.etree.ElementTree import Element

from trainlint.model.finding import Finding, Level, Outcome
from trainlint.model.result import Report, Result
from trainlint.report.closing import is_half_known
from trainlint.report.format import Format
from trainlint.report.job_block import blocks
from trainlint.report.left_open import left_open
from trainlint.report.placed_findings import path_from_root
from trainlint.report.style import Style
from trainlint.report.xml_text import element, xml


def render(report: Report, _style: Style) -> str:
    """Return the suites; what trainlint itself failed on is an error, as a file that cannot be read is."""
    root = element(None, "testsuites", name="trainlint")
    results = [block.result for block in blocks(report.results)]
    for path, group in groupby(results, key=lambda result: result.path):
        _suite(root, path_from_root(path), tuple(group))
    for crash in report.crashes:
        suite = element(root, "testsuite", name=path_from_root(crash.path), tests=1, errors=1)
        case = element(suite, "testcase", name=crash.path, classname=path_from_root(crash.path))
        element(case, "error", message=crash.message, type="internal error")
    return xml(root)


def _suite(root: Element, path: str, results: Sequence[Result]) -> None:
    outcomes = [result.outcome for result in results]
    counts = {
        "tests": len(outcomes),
        "failures": outcomes.count(Outcome.FAIL),
        "errors": outcomes.count(Outcome.UNREADABLE),
        "skipped": sum(map(_is_skipped, results)),
    }
    suite = element(root, "testsuite", name=path, **counts)
    for result in results:
        _case(suite, path, result)


def _case(suite: Element, path: str, result: Result) -> None:
    target = f" on {result.target.name}" if result.target is not None else ""
    name = f"{result.name or 'job'} (line {result.line}){target}"
    case = element(suite, "testcase", name=name, classname=path, file=path)
    worst = [finding for finding in result.findings if finding.level is Level.FAIL]
    if worst:
        tag = "error" if result.outcome is Outcome.UNREADABLE else "failure"
        text = "\n".join(_line(result, finding) for finding in worst)
        element(case, tag, text, message=worst[0].message, type=worst[0].rule)
    elif _is_skipped(result):
        element(case, "skipped", message="; ".join(left_open(result)))
    mild = [_line(result, finding) for finding in result.findings if finding.level is Level.WARN]
    left = () if _is_skipped(result) else left_open(result)
    said = "\n".join((*mild, *left))
    if said:
        element(case, "system-out", said)


def _is_skipped(result: Result) -> bool:
    return result.outcome is Outcome.SKIPPED and not is_half_known(result)


def _line(result: Result, finding: Finding) -> str:
    line, column = result.source.position(finding.spans[0].start)
    fix = f" (fix: {finding.fixes[0].summary})" if finding.fixes else ""
    return f"{result.path}:{line}:{column}: {finding.level}: {finding.message} [{finding.rule}]{fix}"


FORMAT = Format(render)

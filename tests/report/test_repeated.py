"""A job read as several networks: what is wrong with the file is told once, in every format but JSON."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trainlint.judge.finding import Finding, Level
from trainlint.report import concise, github, json1, text
from trainlint.report.result import Report
from trainlint.report.style import Style

from .report_samples import failing

PLAIN = Style()


@pytest.fixture
def report() -> Report:
    first = replace(failing(), variant="a")
    own = Finding("vram-budget", Level.FAIL, "out of memory as b alone", first.findings[0].spans)
    second = replace(first, variant="b", findings=(*first.findings, own))
    return Report((first, second), files=1)


def test_text_names_the_variant_that_told_it(report: Report) -> None:
    shown = text.render(report, PLAIN)
    for finding in report.results[0].findings:
        assert shown.count(finding.message) == 1
    assert shown.count("out of memory as b alone") == 1
    count = len(report.results[0].findings)
    assert f"and {count} findings as above, read as a" in shown
    assert "2 fail" in shown


@pytest.mark.parametrize("render", [concise.render, github.render])
def test_lines_are_not_repeated(render, report: Report) -> None:
    shown = render(report, PLAIN)
    assert [shown.count(f"[{finding.rule}]") for finding in report.results[1].findings] == [1, 1, 1]


def test_json_keeps_both_whole(report: Report) -> None:
    shown = json1.render(report, PLAIN)
    assert all(shown.count(finding.message) == 2 for finding in report.results[0].findings)


def test_two_jobs_and_two_targets_are_told_each(report: Report) -> None:
    plain = replace(report.results[0], variant=None)
    again = Report((plain, replace(plain, document=1)), files=1)
    assert concise.render(again, PLAIN).count("\n") == 2 * len(plain.findings)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A job with several readings: one block, every finding once, in every format but JSON."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from trainlint.judge.finding import Finding, Level
from trainlint.judge.result import Report
from trainlint.read.document import Span
from trainlint.report import json1
from trainlint.report.formats import concise, github, text
from trainlint.report.style import Style

from .report_samples import failing

PLAIN = Style()


@pytest.fixture
def report() -> Report:
    first = replace(failing(), variant="a")
    second = replace(first, variant="b")
    return Report((first, second), files=1)


def test_text_has_one_block_with_a_line_for_each_reading(report: Report) -> None:
    shown = text.render(report, PLAIN)
    for finding in report.results[0].findings:
        assert shown.count(finding.message) == 1
    assert shown.count("FAIL  configs/photos.yml on kaggle-t4x2: ") == 1
    assert re.search(r"^      a +FAIL  memory", shown, re.MULTILINE)
    assert re.search(r"^      b +FAIL  memory", shown, re.MULTILINE)


def test_a_finding_of_one_reading_says_which(report: Report) -> None:
    first, second = report.results
    own = Finding("idle-gpus", Level.WARN, "one GPU idles", (Span(0, 4),), holds_in=("b",))
    shown = text.render(Report((first, replace(second, findings=(own,)))), PLAIN)
    assert "warn: b: one GPU idles [idle-gpus]" in shown


def test_readings_that_differ_in_words_are_all_named(report: Report) -> None:
    first, second = report.results
    other = replace(first.findings[0], message="needs even more")
    shown = text.render(Report((first, replace(second, findings=(other,)))), PLAIN)
    assert f"a: {first.findings[0].message}" in shown
    assert "= b: needs even more" in shown


@pytest.mark.parametrize("render", [concise.render, github.render])
def test_lines_are_not_repeated(render, report: Report) -> None:
    shown = render(report, PLAIN)
    assert [shown.count(f"[{finding.rule}]") for finding in report.results[1].findings] == [1, 1]


def test_json_keeps_both_whole(report: Report) -> None:
    shown = json1.render(report, PLAIN)
    assert all(shown.count(finding.message) == 2 for finding in report.results[0].findings)


def test_two_jobs_and_two_targets_are_told_each(report: Report) -> None:
    plain = replace(report.results[0], variant=None)
    again = Report((plain, replace(plain, document=1)), files=1)
    assert concise.render(again, PLAIN).count("\n") == 2 * len(plain.findings)

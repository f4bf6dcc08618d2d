# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Exit codes: 3 before 2 before 1 before 0."""

from __future__ import annotations

import pytest

from trainlint.cli.exit_code import Exit, exit_of
from trainlint.model.document import Source, Span
from trainlint.model.finding import Finding, Level, Outcome, Skip
from trainlint.model.result import Crash, Report, Result

SOURCE = Source("a.yml", "a: 1\n")


def result(
    outcome: Outcome, *levels: Level, dialect: str | None = "basicsr", undecided: bool = False
) -> Result:
    findings = tuple(Finding("rule", level, "wrong", (Span(0, 1),)) for level in levels)
    skips = (Skip("rule", "unknown"),) if undecided else ()
    return Result(
        "a.yml", SOURCE, outcome, dialect=dialect, findings=findings, skips=skips, undecided=undecided
    )


CLEAN = result(Outcome.PASS)
WARN = result(Outcome.WARN, Level.WARN)
FAIL = result(Outcome.FAIL, Level.FAIL)
SKIPPED = result(Outcome.SKIPPED, undecided=True)
UNREADABLE = result(Outcome.UNREADABLE, Level.FAIL, dialect=None)
UNKNOWN = result(Outcome.SKIPPED, dialect=None, undecided=True)
CRASH = Crash("a.yml", "internal error", "")


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ((CLEAN,), Exit.CLEAN),
        ((CLEAN, WARN), Exit.CLEAN),
        ((CLEAN, SKIPPED), Exit.CLEAN),
        ((CLEAN, UNKNOWN), Exit.CLEAN),
        ((WARN, FAIL), Exit.FINDINGS),
        ((FAIL, UNREADABLE), Exit.UNREADABLE),
        ((UNKNOWN,), Exit.UNREADABLE),
        ((), Exit.UNREADABLE),
    ],
)
def test_the_worst_result_decides(results, expected) -> None:
    assert exit_of(Report(results), "fail", strict=False) is expected


def test_an_internal_error_comes_before_everything() -> None:
    assert exit_of(Report((UNREADABLE,), crashes=(CRASH,)), "fail", strict=False) is Exit.INTERNAL


def test_fail_on_warn() -> None:
    assert exit_of(Report((WARN,)), "warn", strict=False) is Exit.FINDINGS
    assert exit_of(Report((CLEAN,)), "warn", strict=False) is Exit.CLEAN


def test_strict_refuses_what_could_not_be_judged_even_beside_warnings() -> None:
    warned = result(Outcome.WARN, Level.WARN, undecided=True)
    assert exit_of(Report((SKIPPED,)), "fail", strict=True) is Exit.FINDINGS
    assert exit_of(Report((warned,)), "fail", strict=True) is Exit.FINDINGS
    assert exit_of(Report((WARN,)), "fail", strict=True) is Exit.CLEAN


def test_a_hook_may_be_given_no_config_at_all() -> None:
    assert exit_of(Report(()), "fail", strict=False, may_be_empty=True) is Exit.CLEAN

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the command's exit code says."""

from __future__ import annotations

from enum import IntEnum

from trainlint.model.finding import Level, Outcome
from trainlint.model.result import Report


class Exit(IntEnum):
    """The exit codes; where several apply, the highest wins."""

    CLEAN = 0
    FINDINGS = 1
    UNREADABLE = 2  # wrong use, too
    INTERNAL = 3


def exit_of(report: Report, fail_on: str, *, strict: bool, may_be_empty: bool = False) -> Exit:
    """Return the exit code for a report: 3 before 2 before 1 before 0.

    Nothing recognised is wrong use, so that a mistyped folder never looks clean, unless it `may_be_empty`.
    """
    if report.crashes:
        return Exit.INTERNAL
    outcomes = report.outcomes
    recognised = may_be_empty or any(result.dialect for result in report.results)
    if outcomes[Outcome.UNREADABLE] or not recognised:
        return Exit.UNREADABLE
    levels = {Level.FAIL, Level.WARN} if fail_on == Level.WARN else {Level.FAIL}
    failing = any(finding.level in levels for result in report.results for finding in result.findings)
    undecided = strict and any(result.undecided for result in report.results)
    return Exit.FINDINGS if failing or undecided else Exit.CLEAN

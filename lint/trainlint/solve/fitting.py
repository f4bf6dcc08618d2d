# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a judged job fits its target in every reading."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.estimate.larger import holds
from trainlint.judge.finding import Level
from trainlint.judge.result import Result, why_unjudged
from trainlint.judge.verdicts import Verdict

TOO_LARGE = "out of memory"
"""Why a job does not fit where only its size is to blame."""
MEMORY = frozenset({"vram-budget", "vram-validation"})
"""The rules of a job that is too large."""


def why_not(results: Sequence[Result], before: frozenset[str]) -> str:
    """Say why a job does not fit; "" where it does in all of its readings.

    `before` are the rules that fail without the edit: what else is wrong with a job stays so.
    """
    if not results:
        return "it is no job of this trainer any more"
    for result in results:
        new = [one for one in result.findings if one.level is Level.FAIL and one.rule not in before | MEMORY]
        if new:
            return f"{new[0].rule}: {new[0].message}"
        if result.facts is None or result.facts.memory is None:
            return why_unjudged(result) or "memory is not judged"
        if not holds(result.facts):
            return TOO_LARGE
        if result.verdicts.get("memory") is Verdict.NOT_JUDGED:
            return why_unjudged(result) or "memory is not judged"
    return ""


def failing(results: Sequence[Result]) -> frozenset[str]:
    """Return the rules that fail in some reading."""
    return frozenset(one.rule for each in results for one in each.findings if one.level is Level.FAIL)

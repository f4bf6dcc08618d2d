# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a judged job fits its target in every reading."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.estimate.larger_card import holds
from trainlint.judge.fixes.criterion import NEARLY_FULL_RULES
from trainlint.model.finding import OUT_OF_MEMORY, Level
from trainlint.model.result import Result, why_unjudged
from trainlint.model.verdict import Verdict

TOO_LARGE = "too little memory"
"""Why a job does not fit where only its size is to blame."""
UNWRITTEN = "it cannot be written into the file"


def why_not(results: Sequence[Result], before: frozenset[str]) -> str:
    """Say why a job does not fit; "" where it does in all of its readings.

    `before` are the rules that fail without the edit: what else is wrong with a job stays so.
    """
    if not results:
        return UNWRITTEN
    whys = (forbidden((result,), before) or too_large((result,)) for result in results)
    return next(filter(None, whys), "")


def forbidden(results: Sequence[Result], before: frozenset[str]) -> str:
    """Say which rule besides memory's fails that did not fail `before`."""
    allowed = before | OUT_OF_MEMORY
    new = (finding for result in results for finding in result.findings if finding.level is Level.FAIL)
    return next((f"{finding.rule}: {finding.message}" for finding in new if finding.rule not in allowed), "")


def too_large(results: Sequence[Result]) -> str:
    """Say that the memory of a reading is too small, or why that is not known; "" where all of them hold."""
    for result in results:
        if result.facts is None or result.facts.memory is None:
            return why_unjudged(result) or "memory is not judged"
        if not holds(result.facts):
            return TOO_LARGE
        if result.verdicts.get("memory") is Verdict.NOT_JUDGED:
            return why_unjudged(result) or "memory is not judged"
    return ""


def is_tight(results: Sequence[Result]) -> bool:
    """Return whether a reading fills its card."""
    return any(finding.rule in NEARLY_FULL_RULES for result in results for finding in result.findings)


def failing(results: Sequence[Result]) -> frozenset[str]:
    """Return the rules that fail in some reading."""
    return frozenset(
        finding.rule for result in results for finding in result.findings if finding.level is Level.FAIL
    )

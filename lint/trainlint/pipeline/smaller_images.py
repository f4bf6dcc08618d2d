# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Readings that differ in how large the images are: where the largest fit, smaller ones need no judging.

A step of smaller images has the same tensors, none of them larger. So a pass of the largest holds for all;
a fail does not, and what the smallest need is asked for then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.model.job import Job
from trainlint.model.result import Result
from trainlint.model.verdict import Verdict
from trainlint.tape.step import step_of

SIDE: Final = "image.side"
UNSTORED: Final = "no stored profile"
"""What the reason says where a step would have to be traced."""


def without_smaller(
    placed: Sequence[Job], results: Sequence[Result]
) -> tuple[tuple[Job, ...], tuple[Result, ...]]:
    """Return jobs and results without those of smaller images that are not stored, where larger ones fit."""
    fitting = [job for job, result in zip(placed, results, strict=True) if _fits(result)]
    left = [
        (job, result)
        for job, result in zip(placed, results, strict=True)
        if not (_is_unstored(result) and any(_is_smaller(job, larger) for larger in fitting))
    ]
    return tuple(job for job, _ in left), tuple(result for _, result in left)


def _fits(result: Result) -> bool:
    return result.verdicts.get("memory") is Verdict.PASS and not any(
        finding.holds_in is not None for finding in result.findings
    )


def _is_unstored(result: Result) -> bool:
    missing = result.facts.missing.get("memory", "") if result.facts is not None else ""
    return UNSTORED in missing


def _is_smaller(job: Job, other: Job) -> bool:
    """Say whether two readings are the same but for the images, and this one's are the smaller."""
    side, larger = job.spec.get(SIDE), other.spec.get(SIDE)
    if not isinstance(side, int) or not isinstance(larger, int) or side >= larger:
        return False
    return job.placing == other.placing and {**step_of(job.spec), SIDE: larger} == step_of(other.spec)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The settings with which a job fits a target and that change it least: fixes, each of them tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from trainlint.judge.fixes.tries import Tries
from trainlint.judge.recommended_edit import chosen_of_readings
from trainlint.model.finding import EMULATED, OUT_OF_MEMORY
from trainlint.model.job import Job
from trainlint.model.result import Result
from trainlint.model.spec import TrainSpec
from trainlint.model.target import Target
from trainlint.solve.fits_target import why_not
from trainlint.solve.largest_value import jobs_after

if TYPE_CHECKING:
    from trainlint.pipeline.pipeline import Pipeline

ROUNDS: Final = 3
"""Fixes one after another: that of training's memory, then of validation's, and one more."""


class Setting(Struct, frozen=True):
    """What a placed job trains with: samples of a step and of the optimizer, precision, crop or length."""

    batch: int | None
    accumulate: int
    effective: int | None
    precision: str
    crop: int | None
    length: int | None

    @classmethod
    def of(cls, spec: TrainSpec) -> Setting:
        """Read it from a placed spec."""
        total, times = spec.get("batch.total"), int(spec.get("accumulate", 1))
        crop = spec.get("crop.hr", spec.get("crop.lq"))
        effective = None if total is None else int(total) * times
        length = None if spec.get("sequence.shortest") else spec.get("sequence.length")
        return cls(total, times, effective, str(spec.get("precision", "fp32")), crop, length)


class Best(Struct, frozen=True):
    """A job on a target with the `changes` after which it fits in every reading; `why` it does not."""

    target: Target
    settings: tuple[Setting, ...]
    results: tuple[Result, ...]
    changes: tuple[str, ...] = ()
    why: str = ""
    kept: bool = True
    """The effective batch is that of the config."""


def best(pipeline: Pipeline, jobs: Sequence[Job], target: Target) -> Best:
    """Return one document's jobs with the settings that fit a target, as they are where they fit.

    What is edited is what a report recommends for a precision that the card lacks, then for memory, again and
    again.
    """
    placed = pipeline.readings(jobs, target)
    asked = tuple(Setting.of(job.spec) for job in placed)
    results = pipeline.judge_all(jobs, target, tries=Tries.of())
    changes: list[str] = []
    for rules in (EMULATED, *[OUT_OF_MEMORY] * ROUNDS):
        if rules is OUT_OF_MEMORY and not why_not(results, _all_rules(results)):
            break
        chosen = chosen_of_readings(results, rules)
        if chosen is None and rules is EMULATED:
            continue
        edited = () if chosen is None else jobs_after(pipeline, jobs[0].document, chosen[1])
        if chosen is None or not edited:
            break
        changes.append(chosen[1].summary)
        jobs = edited
        results = pipeline.judge_all(jobs, target, largest=False)
        if why_not(results, _all_rules(results)):  # what fits needs no fixes, and no larger batch
            results = pipeline.judge_all(jobs, target, tries=Tries.of())
    settings = tuple(Setting.of(job.spec) for job in pipeline.readings(jobs, target))
    why = why_not(results, _all_rules(results))
    return Best(target, settings, results, tuple(changes), why, _kept(settings, asked))


def _all_rules(results: Sequence[Result]) -> frozenset[str]:
    """Return what else is wrong: it is shown, and is no reason of memory's."""
    return frozenset(finding.rule for result in results for finding in result.findings)


def _kept(settings: Sequence[Setting], asked: Sequence[Setting]) -> bool:
    return [setting.effective for setting in settings] == [answer.effective for answer in asked]

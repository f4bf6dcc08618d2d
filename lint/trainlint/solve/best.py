# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The settings with which a job fits a target and that change it least: fixes, each of them tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from trainlint.hardware import Target
from trainlint.job import Job
from trainlint.judge.finding import Fix
from trainlint.judge.relint import Tries
from trainlint.judge.result import Result
from trainlint.read import read
from trainlint.read.document import Document, Source
from trainlint.read.edit import apply_edits
from trainlint.solve.field import Guess, solve
from trainlint.solve.fitting import MEMORY, TOO_LARGE, why_not
from trainlint.spec import TrainSpec

if TYPE_CHECKING:
    from trainlint.pipeline import Pipeline

ROUNDS: Final = 3
"""Fixes one after another: that of training's memory, then of validation's, and one more."""


class Setting(Struct, frozen=True):
    """What a placed job trains with: samples of a step and all of the optimizer's, precision, crop."""

    batch: int | None
    accumulate: int
    effective: int | None
    precision: str
    crop: int | None

    @classmethod
    def of(cls, spec: TrainSpec) -> Setting:
        """Read it from a placed spec."""
        total, times = spec.get("batch.total"), int(spec.get("accumulate", 1))
        crop = spec.get("crop.hr", spec.get("crop.lq"))
        effective = None if total is None else int(total) * times
        return cls(total, times, effective, str(spec.get("precision", "fp32")), crop)


class Best(Struct, frozen=True):
    """A job on a target with the `changes` after which it fits in every reading; `why` it does not."""

    target: Target
    settings: tuple[Setting, ...]
    results: tuple[Result, ...]
    changes: tuple[str, ...] = ()
    why: str = ""
    kept: bool = True
    """The effective batch is that of the config."""


def best(pipeline: Pipeline, jobs: Sequence[Job], target: Target, guess: Guess) -> Best:
    """Return one document's jobs with the settings that fit a target, as they are where they fit.

    Where every fix changes the effective batch, the largest crop that fits with it comes first; `guess` is
    where to look for that.
    """
    placed = pipeline.readings(jobs, target)
    asked = tuple(Setting.of(job.spec) for job in placed)
    results = pipeline.judge_all(jobs, target, tries=Tries.of())
    changes: list[str] = []
    for _ in range(ROUNDS):
        if not why_not(results, _all_rules(results)):
            break
        step = next(_ranked(pipeline, jobs, target, results, asked), None)
        if step is None or not step.kept:
            step = _smaller_crop(pipeline, jobs, target, guess) or step
        if step is None:
            break
        changes.append(step.change)
        jobs = step.jobs
        results = pipeline.judge_all(jobs, target, tries=Tries.of())
    settings = tuple(Setting.of(job.spec) for job in pipeline.readings(jobs, target))
    why = why_not(results, _all_rules(results))
    return Best(target, settings, results, tuple(changes), why, _kept(settings, asked))


class _JudgedEdit(Struct, frozen=True):
    """An edit that was judged, the jobs that it makes, and whether these keep the effective batch."""

    change: str
    jobs: tuple[Job, ...]
    kept: bool = True


def _smaller_crop(
    pipeline: Pipeline, jobs: Sequence[Job], target: Target, guess: Guess
) -> _JudgedEdit | None:
    """Return the step to the largest crop that fits, which is below the present one.

    None where that is not known: larger ones may fit that were not traced.
    """
    found = solve(pipeline, jobs, target, "crop", guess)
    if not 0 < found.value < found.now or found.edited is None or found.why != TOO_LARGE:
        return None
    change = f"{found.key}: {found.now} -> {found.value} (a smaller crop sees less context)"
    return _JudgedEdit(change, pipeline.jobs(found.edited))


def _all_rules(results: Sequence[Result]) -> frozenset[str]:
    """Return what else is wrong: it is shown, and is no reason of memory's."""
    return frozenset(one.rule for each in results for one in each.findings)


def _ranked(
    pipeline: Pipeline,
    jobs: Sequence[Job],
    target: Target,
    results: Sequence[Result],
    asked: Sequence[Setting],
) -> Iterator[_JudgedEdit]:
    """Yield the fixes of memory's findings.

    First those that keep the effective batch and the crop, then those that keep the batch, else in the order
    of the rule: the cheapest for the run first.
    """
    fixes = {
        fix.summary: fix
        for each in results
        for finding in each.findings
        if finding.rule in MEMORY
        for fix in finding.fixes
    }
    found = []
    for order, fix in enumerate(fixes.values()):
        edited = _edited(pipeline, jobs[0].document, fix)
        if edited:
            settings = [Setting.of(job.spec) for job in pipeline.readings(edited, target)]
            changed = [one.crop for one in settings] != [one.crop for one in asked]
            kept = _kept(settings, asked)
            found.append(((not kept, changed, order), _JudgedEdit(fix.summary, edited, kept)))
    yield from (step for _, step in sorted(found, key=lambda one: one[0]))


def _kept(settings: Sequence[Setting], asked: Sequence[Setting]) -> bool:
    return [one.effective for one in settings] == [one.effective for one in asked]


def _edited(pipeline: Pipeline, document: Document, fix: Fix) -> tuple[Job, ...]:
    """Return the jobs of a document after a fix."""
    source = document.source
    text = apply_edits(source.text, fix.edits)
    after = read(Source(source.path, text, bom=source.bom))
    same = (one for one in after if (one.index, one.cell) == (document.index, document.cell))
    mine = [one for one in same if document.cell is not None or one.line == document.line]
    return pipeline.jobs(mine[0]) if mine else ()

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How long a run takes, in how many sessions, and what a session's end costs."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.errors import CannotTraceError, UsageError
from trainlint.estimate.resources.extra_time import NO_EXTRA, Extra
from trainlint.estimate.run.duration import FROM_THE_FIRST, epoch, interval, iterations, resumed
from trainlint.model.facts import Range, Time
from trainlint.model.spec import TrainSpec
from trainlint.model.target import Target

HOUR = 3600.0
HOUR_DECIMALS: Final = 9
"""Decimals of an hour that are kept: 60,000 steps of 0.54 s are 9 h, not 9.000000000000002."""


def given_time(spec: TrainSpec, target: Target, seconds: Range, basis: str) -> Time:
    """Return the duration of a placed spec's run from measured seconds per step.

    They are all of its time: whoever measures them counts validation and saves as it matters to them.
    Raises UsageError for nonsense.
    """
    for figure in seconds:
        if not (isfinite(figure) and figure > 0):
            raise UsageError(f"seconds-per-iteration: expected a number above 0, found {figure}")
    return in_sessions(spec, target, seconds, basis)


def in_sessions(
    spec: TrainSpec, target: Target, seconds: Range, basis: str, *, extra: Extra = NO_EXTRA
) -> Time:
    """Divide a run over a target's sessions, for low, middle and high seconds per iteration.

    Of a run of unknown length only the step's seconds are known. Of a resumed one what is left counts,
    from nothing to all of it where its checkpoint's name does not say. Each session resumes from the last
    checkpoint of the one before; what came after it is lost. Sessions too short for one checkpoint save
    nothing, however many there are: then `last_checkpoint` is 0 and their number None. A trainer that saves
    after an epoch that improves may do so after each: then the low end saves with every epoch.
    """
    try:
        total = iterations(spec)
    except CannotTraceError:
        return Time(seconds, None, None, basis)
    behind, every = resumed(spec), _every(spec)
    total = max(0, total - (behind or 0))
    save = extra.save if every else NO_EXTRA.save
    often = epoch(spec) if every and spec.get("dialect") in FROM_THE_FIRST else every
    ends = [
        _End(total, step + saving_time / (every or 1), begin, target.session_budget_h, saving, behind or 0)
        for step, saving_time, begin, saving in zip(
            seconds, save, extra.start, (often, every, every), strict=True
        )
    ]
    low, middle, high = ends
    if behind is None:  # how much is left is not known
        low = replace(low, total=0)
    whole = Time(
        step_seconds=seconds,
        total_hours=(low.hours, middle.hours, high.hours),
        sessions=(low.sessions, middle.sessions, high.sessions),
        basis=basis,
        save_hours=None if every is None else _range([end.interval for end in ends]),
        paced=(low.pace, middle.pace, high.pace),
        saving_hours=_saving((low, middle, high), save, every or 1) if any(save) else None,
        start_hours=_range([end.starting for end in (low, middle, high)]) if any(extra.start) else None,
        session_steps=high.fitting,
        session_steps_most=low.fitting,
        behind=behind,
    )
    if high.fitting is None or high.sessions == 1:
        return whole
    saved = None if every is None else (ends[0].saved, middle.saved, high.saved)
    return replace(
        whole,
        last_checkpoint=saved,
        lost_hours=None if saved is None else _range([end.lost for end in ends]),
    )


def hours_at(seconds: Range, time: Time) -> Range | None:
    """Return how long the steps of a run take at other seconds each; None where its length is unknown."""
    if time.total_hours is None or time.paced is None:
        return None
    starts = time.start_hours or (0.0, 0.0, 0.0)
    ends = zip(seconds, time.total_hours, starts, time.paced, strict=True)
    return _range([seconds_each * (total - start) / pace for seconds_each, total, start, pace in ends])


class _End(Struct, frozen=True):
    """A run by one end of its range: seconds from step to step and for each start, the budget in hours.

    `total` iterations are left of one that has others `behind` it; it saves at multiples of `every`.
    """

    total: int
    pace: float
    start: float
    budget: float | None
    every: int | None
    behind: int = 0

    @property
    def fitting(self) -> int | None:
        """How many steps a session holds, None where it has no end; 9 h of 0.1 s are 324,000, not 323,999."""
        if self.budget is None:
            return None
        return max(0, int((self.budget * HOUR - self.start) / self.pace + 1e-9))

    @property
    def sessions(self) -> int | None:
        """How many it takes; None where none gets as far as a checkpoint. Of unknown ones nothing is lost."""
        fitting = self.fitting
        if fitting is None or self.total <= fitting:
            return 1
        every = self.every or 1
        kept, first = fitting // every * every, (self.behind + fitting) // every * every - self.behind
        left = self.total - first
        if first <= 0 or (left > fitting and not kept):
            return None
        return 2 + (ceil((left - fitting) / kept) if left > fitting else 0)

    @property
    def interval(self) -> float:
        """Hours from one save to the next."""
        return round((self.every or 0) * self.pace / HOUR, HOUR_DECIMALS)

    @property
    def starting(self) -> float:
        return (self.sessions or 1) * self.start / HOUR

    @property
    def hours(self) -> float:
        return round(self.total * self.pace / HOUR + self.starting, HOUR_DECIMALS)

    @property
    def saved(self) -> int:
        """The iteration of the first session's last checkpoint; 0: it ends before any of its own."""
        most = self.behind + (self.total if self.fitting is None else min(self.fitting, self.total))
        last = most // self.every * self.every if self.every else 0
        return last if last > self.behind else 0

    @property
    def lost(self) -> float:
        """Hours of work after the first session's last checkpoint; 0 where the run ends before."""
        fitting = self.fitting
        if fitting is None or self.total <= fitting:
            return 0.0
        return (fitting - max(0, self.saved - self.behind)) * self.pace / HOUR


def _saving(ends: Sequence[_End], save: Range, every: int) -> Range:
    """Return the hours in which the run's checkpoints are written."""
    return _range(
        [end.total // every * saving_time / HOUR for end, saving_time in zip(ends, save, strict=True)]
    )


def _range(values: Sequence[float]) -> Range:
    low, middle, high = values
    return low, middle, high


def _every(spec: TrainSpec) -> int | None:
    """Return the iterations between checkpoints, None where they are not known."""
    try:
        return interval(spec)
    except CannotTraceError:
        return None

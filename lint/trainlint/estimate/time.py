# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How long a run takes, in how many sessions, and what a session's end costs."""

from __future__ import annotations

from math import ceil, isfinite

from trainlint.errors import CannotTraceError, UsageError
from trainlint.estimate.duration import interval, iterations, resumed
from trainlint.estimate.facts import Range, Time
from trainlint.hardware import Target
from trainlint.spec import TrainSpec

HOUR = 3600.0


def given_time(spec: TrainSpec, target: Target, seconds: Range, basis: str) -> Time:
    """Return the duration of a placed spec's run from measured seconds per step.

    The seconds are those of a log: whatever else the log's interval holds (loading, validation) is in them.
    Raises UsageError for nonsense.
    """
    for each in seconds:
        if not (isfinite(each) and each > 0):
            raise UsageError(f"seconds-per-iteration: expected a number above 0, found {each}")
    return in_sessions(spec, target, seconds, basis)


def in_sessions(spec: TrainSpec, target: Target, seconds: Range, basis: str) -> Time:
    """Divide a run over a target's sessions, for low, middle and high seconds per iteration.

    Of a run of unknown length only the step's seconds are known. Of a resumed one what is left counts,
    from nothing to all of it where its checkpoint's name does not say. Each session resumes from the last
    checkpoint of the one before; what came after it is lost. Sessions too short for one checkpoint save
    nothing, however many there are: then `last_checkpoint` is 0 and their number None.
    """
    try:
        total = iterations(spec)
    except CannotTraceError:
        return Time(seconds, None, None, basis)
    behind = resumed(spec)
    total = max(0, total - (behind or 0))
    low, middle, high = _hours(total, seconds)
    if behind is None:  # nobody knows how much is left
        low = 0.0
    budget = target.session_budget_h
    every = _every(spec)
    between = None if every is None else _hours(every, seconds)
    if budget is None or high <= budget:
        return Time(seconds, (low, middle, high), (1, 1, 1), basis, save_hours=between)
    counts = [int(budget * HOUR / step + 1e-9) for step in seconds]  # 9 h of 0.1 s are 324,000, not 323,999
    sessions = [_sessions(total, count, every) for count in counts]
    saved = None if every is None else tuple(min(count, total) // every * every for count in counts)
    return Time(
        step_seconds=seconds,
        total_hours=(low, middle, high),
        sessions=(1 if behind is None else sessions[0], sessions[1], sessions[2]),
        basis=basis,
        last_checkpoint=None if saved is None else (saved[0], saved[1], saved[2]),
        lost_hours=_lost(total, counts, saved, seconds),
        save_hours=between,
    )


def _hours(count: int, seconds: Range) -> Range:
    """Return how long so many steps take."""
    low, middle, high = (count * step / HOUR for step in seconds)
    return low, middle, high


def _sessions(total: int, per_session: int, every: int | None) -> int | None:
    """Count sessions; None where none gets as far as a checkpoint. Of unknown ones nothing is lost."""
    if total <= per_session:
        return 1
    kept = per_session if every is None else per_session // every * every
    return 1 + ceil((total - per_session) / kept) if kept else None


def _lost(total: int, counts: list[int], saved: tuple[int, ...] | None, seconds: Range) -> Range | None:
    """Return the hours of work after the first session's last checkpoint; 0 where the run ends before."""
    if saved is None:
        return None
    low, middle, high = (
        0.0 if total <= count else (count - kept) * step / HOUR
        for count, kept, step in zip(counts, saved, seconds, strict=True)
    )
    return low, middle, high


def _every(spec: TrainSpec) -> int | None:
    """Return the iterations between checkpoints, None where they are not known."""
    try:
        return interval(spec)
    except CannotTraceError:
        return None

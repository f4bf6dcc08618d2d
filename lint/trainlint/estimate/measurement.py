# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A measurement next to its estimate: how far each figure was from it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

from msgspec import Struct, to_builtins

from trainlint.measuring.gpu_reading import OUT_OF_MEMORY, GpuReading, Reading, Request
from trainlint.model.facts import GpuMemory
from trainlint.tape.step import key_of

FORMAT: Final = 1
"""Of a line in the table of measurements."""
PERCENT: Final = 100


class MeasuredFigure(Struct, frozen=True):
    """One figure of the table in bytes; None where it was not measured or has no estimate."""

    name: str
    measured: int | None
    estimated: int | None

    @property
    def error(self) -> float | None:
        """The estimate's error in percent, positive where it is too high."""
        if not self.measured or self.estimated is None:
            return None
        return PERCENT * (self.estimated / self.measured - 1)


def rows(reading: GpuReading, estimate: GpuMemory | None) -> Iterator[MeasuredFigure]:
    """Yield each measured figure next to the estimate that speaks of it."""

    def of(name: str) -> int | None:
        return None if estimate is None else getattr(estimate, name)

    context = reading.context
    cached = None if estimate is None else estimate.expect - estimate.context
    yield MeasuredFigure("allocated", reading.live, of("allocated"))
    yield MeasuredFigure("with workspaces", reading.allocated, None)
    yield MeasuredFigure("reserved", reading.reserved, cached)
    yield MeasuredFigure("context", context, of("context"))
    yield MeasuredFigure("nvidia-smi", reading.smi, of("expect"))
    yield MeasuredFigure("highest", None if context is None else reading.highest + context, of("worst"))


def foreseen(reading: Reading, estimate: GpuMemory) -> bool:
    """Say whether the verdict on `least` was right: out of memory exactly where it is above the capacity."""
    return (estimate.least > estimate.capacity) == (reading.outcome == OUT_OF_MEMORY)


def record(request: Request, reading: Reading, estimates: tuple[GpuMemory, ...]) -> dict[str, Any]:
    """Return the line that is kept of a run, ready for JSON; `limit` null: the whole card was free."""
    gpus = [
        {
            "measured": to_builtins(gpu) if gpu else None,
            "estimate": to_builtins(estimate) if estimate else None,
            "error_percent": _errors(gpu, estimate),
        }
        for gpu, estimate in zip_longest(reading.gpus, estimates)
    ]
    return {
        "format": FORMAT,
        **reading.machine,
        "key": key_of(request.step),
        "step": dict(request.step),
        "batch": request.batch,
        "total": request.total,
        "pool": request.pool,
        "steps": request.steps,
        "benchmark": request.benchmark,
        "limit": request.limit,
        "outcome": reading.outcome,
        "at_step": reading.at_step,
        "phase": reading.phase,
        "seconds": reading.seconds,
        "retries": reading.retries,
        "foreseen": foreseen(reading, estimates[0]) if estimates else None,
        "gpus": gpus,
    }


def _errors(gpu: GpuReading | None, estimate: GpuMemory | None) -> dict[str, float]:
    measured = rows(gpu, estimate) if gpu else ()
    return {row.name: round(row.error, 3) for row in measured if row.error is not None}

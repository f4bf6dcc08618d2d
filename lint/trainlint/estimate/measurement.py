# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A measurement: what is asked of a GPU, what it showed, and how far the estimate was from it.

No torch here: trace/measure.py does the asked for in a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import Any, Final

from trainlint.estimate.facts import GpuMemory
from trainlint.estimate.step import key_of

FORMAT: Final = 1
"""Of a line in the table of measurements."""
RAN: Final = "ran"
CONTEXT_ALONE: Final = "context"
"""Recipe of a step that loads what training loads and holds next to nothing (trace/context_step.py)."""
OUT_OF_MEMORY: Final = "out of memory"
PERCENT: Final = 100


@dataclass(frozen=True)
class Request:
    """One run: a step at `batch` samples per GPU and `total` per process, `steps` times.

    `limit` bytes are all that torch's allocator may reserve per GPU (None: the card). With `between` nothing
    is timed and the allocator is read between operators, where no library holds a workspace.
    """

    step: Mapping[str, Any]
    batch: int
    total: int
    pool: int = 0
    steps: int = 5
    benchmark: bool = True
    limit: int | None = None
    between: bool = False
    device: str = "cuda"


def context_request() -> Request:
    """Return the run whose reading shows a context: nvidia-smi's figure less what torch reserved."""
    return Request({"recipe": CONTEXT_ALONE}, batch=2, total=2, steps=3)


@dataclass(frozen=True)
class GpuReading:
    """One GPU's bytes: peaks of the steady steps (from the second on), and what was held at the end.

    `live` is the peak between operators (None: not measured); `allocated` includes workspaces; `first` is
    allocated's peak in building and the first step; `highest` the most that was ever reserved. `smi` is what
    the driver counts: for the process, or as the device's growth (`smi_of`).
    """

    allocated: int
    first: int
    reserved: int
    highest: int
    smi: int | None
    smi_of: str
    live: int | None = None

    @property
    def context(self) -> int | None:
        """Bytes that the driver counts and torch did not reserve."""
        return None if self.smi is None else self.smi - self.reserved


@dataclass(frozen=True)
class Reading:
    """What a run showed: `outcome` is ran, or out of memory in `at_step` (0: while building) and `phase`."""

    outcome: str
    at_step: int
    phase: str = ""
    gpus: tuple[GpuReading, ...] = ()
    seconds: float | None = None  # the median steady step
    retries: int = 0  # times that the allocator emptied its cache and tried again
    machine: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, found: Mapping[str, Any]) -> Reading:
        """Read what `asdict` wrote."""
        return cls(**{**found, "gpus": tuple(GpuReading(**gpu) for gpu in found["gpus"])})


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of the table in bytes; None where it was not measured or has no estimate."""

    name: str
    measured: int | None
    estimated: int | None

    @property
    def error(self) -> float | None:
        """The estimate's error in per cent, positive where it is too high."""
        if not self.measured or self.estimated is None:
            return None
        return PERCENT * (self.estimated / self.measured - 1)


def rows(reading: GpuReading, estimate: GpuMemory | None) -> Iterator[Row]:
    """Yield each measured figure next to the estimate that speaks of it."""

    def of(name: str) -> int | None:
        return None if estimate is None else getattr(estimate, name)

    context = reading.context
    cached = None if estimate is None else estimate.expect - estimate.context
    yield Row("allocated", reading.live, of("allocated"))
    yield Row("with workspaces", reading.allocated, None)
    yield Row("reserved", reading.reserved, cached)
    yield Row("context", context, of("context"))
    yield Row("nvidia-smi", reading.smi, of("expect"))
    yield Row("highest", None if context is None else reading.highest + context, of("worst"))


def foreseen(reading: Reading, estimate: GpuMemory) -> bool:
    """Say whether the verdict on `least` was right: out of memory exactly where it is above the capacity."""
    return (estimate.least > estimate.capacity) == (reading.outcome == OUT_OF_MEMORY)


def record(request: Request, reading: Reading, estimates: tuple[GpuMemory, ...]) -> dict[str, Any]:
    """Return the line that is kept of a run, ready for JSON; `limit` null: the whole card was free."""
    gpus = [
        {"measured": asdict(gpu) if gpu else None, "estimate": asdict(estimate) if estimate else None,
         "error_percent": _errors(gpu, estimate)}
        for gpu, estimate in zip_longest(reading.gpus, estimates)
    ]  # fmt: skip
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
    found = rows(gpu, estimate) if gpu else ()
    return {row.name: round(row.error, 3) for row in found if row.error is not None}

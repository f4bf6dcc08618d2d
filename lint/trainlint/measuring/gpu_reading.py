# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A measurement: what is asked of a GPU, and what it showed.

No torch here: trace/on_gpu/measure_step.py does what is asked for in a process of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

OUTCOME_RAN: Final = "ran"
CONTEXT_ALONE: Final = "context"
"""Recipe of a step that loads what training does and holds next to nothing (trace/on_gpu/context_step.py)."""
OUT_OF_MEMORY: Final = "out of memory"


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
    def parse(cls, fields: Mapping[str, Any]) -> Reading:
        """Read what `asdict` wrote."""
        return cls(**{**fields, "gpus": tuple(GpuReading(**gpu) for gpu in fields["gpus"])})

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The smallest card that holds a job: where no edit helps, it is what to look for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.model.facts import Facts, GpuMemory, Memory
from trainlint.model.job import Job
from trainlint.model.target import Gpu, Target

MOST_CARDS: Final = 12
"""Cards that are tried: each size once, and from a first guess on mostly the first or second one holds."""

LOADING: Final = "model.loading_most"
"""The field with what loading may take before the first step, which has to fit as well."""


class Estimate(Protocol):
    """What works out facts; tapes and settings are already bound."""

    def __call__(self, job: Job, target: Target, *, largest: bool) -> Facts:
        """Return a job's facts on a target; `largest`: look for the largest batch too."""


def smallest_card(
    job: Job, target: Target, facts: Facts, cards: Iterable[Gpu], estimate: Estimate
) -> Gpu | None:
    """Return the smallest of `cards` that holds the job as `target` would run it; None where none does."""
    wanted = max(_tensors(facts), job.spec.get(LOADING) or 0)
    sizes: dict[int, Gpu] = {}
    for gpu in sorted(cards, key=lambda gpu: gpu.memory):
        if gpu.memory > wanted:
            sizes.setdefault(gpu.memory, gpu)
    for gpu in list(sizes.values())[:MOST_CARDS]:
        try:
            if holds(estimate(job, replace(target, gpu=gpu), largest=False)):
                return gpu
        except CannotTraceError:
            continue
    return None


def holds(facts: Facts) -> bool:
    """Return whether training, each of its stages and its validation fit."""
    return facts.memory is not None and all(peak.least <= peak.capacity for peak in _peaks(facts.memory))


def share_of_card(facts: Facts) -> float | None:
    """Return what a run needs at least as a share of its card, at its fullest; None where that is unknown."""
    return None if facts.memory is None else max(peak.least / peak.capacity for peak in _peaks(facts.memory))


def share_with_room(facts: Facts) -> float | None:
    """Return the same of what a run may need: up to 1 it leaves its card room."""
    if facts.memory is None:
        return None
    return max(max(peak.least, peak.expect, peak.worst) / peak.capacity for peak in _peaks(facts.memory))


def _peaks(memory: Memory) -> tuple[GpuMemory, ...]:
    tested = (memory.validation,) if memory.validation is not None else ()
    return (*memory.gpus, *(stage.memory for stage in memory.stages), *tested)


def _tensors(facts: Facts) -> int:
    """Return the bytes below which no card can hold the run."""
    peaks = () if facts.memory is None else facts.memory.gpus
    return max((peak.allocated + peak.context for peak in peaks), default=0)

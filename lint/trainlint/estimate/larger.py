# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The smallest card that holds a job: where no edit helps, it is what to look for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.facts import Facts
from trainlint.hardware import Gpu, Target
from trainlint.job import Job

MOST_CARDS: Final = 12
"""Cards that are tried: each size once, and from a first guess on mostly the first or second one holds."""


class Estimate(Protocol):
    """What works out facts; tapes and settings are already bound."""

    def __call__(self, job: Job, target: Target, *, largest: bool) -> Facts:
        """Return a job's facts on a target; `largest`: look for the largest batch too."""


def smallest_card(
    job: Job, target: Target, facts: Facts, cards: Iterable[Gpu], estimate: Estimate
) -> Gpu | None:
    """Return the smallest of `cards` that holds the job as `target` would run it; None where none does."""
    wanted = _tensors(facts)
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
    memory = facts.memory
    if memory is None:
        return False
    tested = (memory.validation,) if memory.validation is not None else ()
    peaks = (*memory.gpus, *(stage.memory for stage in memory.stages), *tested)
    return all(peak.least <= peak.capacity for peak in peaks)


def _tensors(facts: Facts) -> int:
    """Return the bytes below which no card can hold the run."""
    peaks = () if facts.memory is None else facts.memory.gpus
    return max((peak.allocated + peak.context for peak in peaks), default=0)

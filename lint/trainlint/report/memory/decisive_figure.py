# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which of a job's figures of memory decide: the GPU, the part of the run, and whether it is tight."""

from __future__ import annotations

from trainlint.model.facts import GpuMemory, Memory
from trainlint.model.units import gib, gib_between

VALIDATION = "validation"
"""What decides where validation needs more than training (Memory.peak_phase)."""
TEST = "test"
"""The same of an option file that only tests: its figures are of nothing else."""
AT_LEAST = "at least "
TRAINING = "training"
"""What figures are of where there are no stages."""


def decisive(memory: Memory) -> tuple[int, GpuMemory]:
    """Return number and figures of the GPU that decides: whose least need leaves the smallest margin."""
    margins = [gpu.least - gpu.capacity for gpu in memory.gpus]
    index = margins.index(max(margins))
    return index, memory.gpus[index]


def workloads_of(memory: Memory) -> dict[str, GpuMemory]:
    """Return what the run's figures are of: training or each of its stages, and validation."""
    if memory.peak_phase == TEST:
        return {TEST: decisive(memory)[1]}
    workloads = {f"stage {stage.number}": stage.memory for stage in memory.stages}
    workloads = workloads or {TRAINING: decisive(memory)[1]}
    return workloads | ({} if memory.validation is None else {VALIDATION: memory.validation})


def peak(memory: Memory) -> GpuMemory:
    """Return the figures of the run's peak: training, a later stage or validation, the largest."""
    return max(workloads_of(memory).values(), key=lambda gpu: gpu.least - gpu.capacity)


def figure_words(gpu: GpuMemory) -> str:
    """Write what is needed: at least ("at least 16.50"), or from there to what is expected ("8.90 to 10.06").

    Where only fragmentation may be too much, the least is that of an allocator that has none.
    """
    if gpu.least <= gpu.capacity:
        return gib_between(gpu.least, gpu.expect)
    return (
        f"{AT_LEAST}{gib(gpu.least)}" if gpu.expandable is None else gib_between(gpu.expandable, gpu.expect)
    )


def need_words(gpu: GpuMemory) -> str:
    """Write what is needed of a card ("at least 16.50 of 14.56 GiB", "8.90 to 10.06 of 14.56 GiB")."""
    return f"{figure_words(gpu)} of {gib(gpu.capacity)} GiB"


def needed(memory: Memory) -> str:
    """Write what a run needs at its peak; no "at least" where a term that is not counted may save memory."""
    words = need_words(peak(memory))
    return words.removeprefix(AT_LEAST) if may_take_less(memory) else words


def may_take_less(memory: Memory) -> bool:
    """Return whether a term that is not counted may save memory: the figures are no bound then."""
    return any(term.direction != "more" for term in memory.uncounted)


def takes_all(gpu: GpuMemory) -> bool:
    """Return whether a process that fits takes a card's whole memory: nvidia-smi cannot show more."""
    return gpu.least <= gpu.capacity < gpu.expect


def is_tight(memory: Memory) -> bool:
    """Return whether memory may be a problem, so that its parts are worth listing."""
    gpu = peak(memory)
    return gpu.worst > gpu.capacity

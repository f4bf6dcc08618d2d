# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which of a job's figures of memory decide: the GPU, the part of the run, and whether it is tight."""

from __future__ import annotations

from trainlint.model.facts import GpuMemory, Memory
from trainlint.model.units import of_gib

VALIDATION = "validation"
"""What decides where validation needs more than training (Memory.peak_phase)."""
TEST = "test"
"""The same of an option file that only tests: its figures are of nothing else."""
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


def needed(gpu: GpuMemory) -> int:
    """Return the bytes that decide: the least on a card that is too small, else what is expected."""
    return gpu.least if gpu.least > gpu.capacity else gpu.expect


def need_words(gpu: GpuMemory) -> str:
    """Write what is needed of a card ("at least 16.50 of 14.56 GiB", "5.60 of 14.56 GiB")."""
    return f"{'at least ' if gpu.least > gpu.capacity else ''}{of_gib(needed(gpu), gpu.capacity)}"


def takes_all(gpu: GpuMemory) -> bool:
    """Return whether a process that fits takes a card's whole memory: nvidia-smi cannot show more."""
    return gpu.least <= gpu.capacity < gpu.expect


def is_tight(memory: Memory) -> bool:
    """Return whether memory may be a problem, so that its parts are worth listing."""
    gpu = peak(memory)
    return gpu.worst > gpu.capacity

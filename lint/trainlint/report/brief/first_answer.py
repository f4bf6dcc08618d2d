# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The largest batch that is known to fit."""

from __future__ import annotations

from trainlint.model.facts import Memory
from trainlint.report.style import printable

PER_GPU = "per_gpu"
"""What the name of a key holds whose batch is one GPU's."""


def largest(memory: Memory, *, named: bool = True) -> str:
    """Return the largest batch that is known to fit, as the config writes it; "" where none is.

    It is `named` by the config's key, or called a batch, which is shorter.
    """
    if memory.largest_batch == 0 or (memory.batch is not None and not memory.batch.value):
        return ""
    up_to = "of at least" if memory.largest_open else "up to"
    if memory.batch is None:
        return f"batch {up_to} {memory.largest_batch} per GPU"
    per_gpu = ""
    if len(memory.gpus) > 1 and memory.batch.value != memory.largest_batch:
        per_gpu = f" ({memory.largest_batch} per GPU)"
    elif len(memory.gpus) > 1 and PER_GPU not in memory.batch.key:
        per_gpu = " per GPU"
    name = printable(memory.batch.key) if named else "batch"
    return f"{name} {up_to} {memory.batch.value}{per_gpu}"

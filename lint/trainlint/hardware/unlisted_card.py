# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A card that no table has: its memory and compute capability, and nothing else."""

from __future__ import annotations

from trainlint.hardware.gpu_from_table import BF16_SINCE
from trainlint.hardware.memory_seen_by_torch import (
    CONTEXT_LEAST_MIB,
    CONTEXT_MOST_MIB,
    CONTEXT_UNKNOWN_MIB,
    MIB,
)
from trainlint.model.target import Context, Gpu


def unlisted(
    name: str, title: str, memory: int, compute_capability: float, *, source: str, basis: str
) -> Gpu:
    """Return a card of `memory` bytes without rates, so that no time follows; `basis` is its context's."""
    context = CONTEXT_UNKNOWN_MIB * MIB
    return Gpu(
        name=name,
        title=title,
        memory=memory,
        context=context,
        compute_capability=compute_capability,
        sms=0,
        bandwidth=0.0,
        fp32=0.0,
        fp16=0.0,
        bf16=0.0,
        tf32=0.0,
        bf16_native=compute_capability >= BF16_SINCE,
        cuda_min="",
        cuda_max=None,
        source=source,
        sure=Context(context, CONTEXT_LEAST_MIB * MIB, CONTEXT_MOST_MIB * MIB, basis),
    )

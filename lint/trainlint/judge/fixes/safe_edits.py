# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which fixes leave alone what is learned: the same samples a step, the same crops, schedule and losses."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

SAFE_FIELDS = frozenset(
    f"spec.{name}"
    for name in (
        *("checkpoint.every", "checkpoint.every_epochs", "checkpoint.keep", "checkpointing", "compile"),
        *("workers.per_gpu", "workers.per_process", "workers.total", "pin_memory", "channels_last"),
        *("cudnn_benchmark", "validation.every", "validation.tile", "validation.overlap"),
        *("validation.save_images",),
    )
)
"""Fields that decide how a step is computed, saved or looked at, and not what it learns from."""

SAFE_KEYS = frozenset(
    {
        *("checkpointing", "grad_checkpointing", "use_chk", "use_checkpoint", "use_checkpointing"),
        *("use_checkpoint_attn", "channels_last", "use_channels_last", "tile"),
    }
)
"""The same of trainers' own keys: activations that are computed twice, how tensors lie in memory, neosr's
tile at validation."""

SAME_SAMPLES = frozenset({"spec.batch.per_gpu", "spec.accumulate"})
"""Set together by rules that keep their product: a smaller batch, accumulated to the same one."""


def is_safe(fields: AbstractSet[str]) -> bool:
    """Return whether an edit of these fields is safe; one of a misspelled key or value sets none of them."""
    rest = fields - SAME_SAMPLES if fields >= SAME_SAMPLES else fields
    return all(name in SAFE_FIELDS or _is_safe_key(name) for name in rest)


def _is_safe_key(name: str) -> bool:
    return name.startswith("doc.") and name.rpartition(".")[2] in SAFE_KEYS

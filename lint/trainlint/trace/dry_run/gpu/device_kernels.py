# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""torch's kernels and autocast as a card of a class has them, for as long as the process lives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from trainlint.trace.cuda import activations, autocast, recurrent
from trainlint.trace.cuda.attention import NARROW, attention
from trainlint.trace.cuda.dropout import dropout
from trainlint.trace.dry_run.gpu import attention_shapes, wide_products

AMPERE, MAXWELL = (8, 0), (5, 0)
NARROW_FLASH = (((8, 6), (8, 9)), ((12, 0), (12, 1)))
"""Capabilities, from and to, of the class NARROW (trace/cuda/attention.py)."""


def class_of(capability: tuple[int, ...]) -> str:
    """Return the class of attention kernels that a card has."""
    if any(low <= capability <= high for low, high in NARROW_FLASH):
        return NARROW
    return "flash" if capability >= AMPERE else "efficient" if capability >= MAXWELL else "math"


def register(capability: tuple[int, ...]) -> list[Any]:
    """Register kernels for meta tensors; they live as long as what is returned."""
    library = torch.library.Library("aten", "IMPL")
    library.impl("scaled_dot_product_attention", attention(class_of(capability)), "AutogradMeta")
    library.impl("dropout", dropout, "AutogradMeta")
    attention_shapes.register(library)
    wide_products.register(library)
    activations.register(library)
    recurrent.register(library)
    return [*autocast.register(), library]


def replacements() -> list[tuple[Any, str, Any]]:
    """Return (where, name, replacement)."""
    return [
        (torch, "set_autocast_enabled", _switched(torch.set_autocast_enabled)),
        (torch, "clear_autocast_cache", _cleared(torch.clear_autocast_cache)),
    ]


def _switched(truth: Callable[..., Any]) -> Callable[..., Any]:
    def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
        if enabled is None:  # the old form without a device means CUDA
            device_type, enabled = "cuda", bool(device_type)
        truth(device_type, enabled)
        if device_type == "cuda":
            autocast.switch(enabled=enabled)

    return set_autocast_enabled


def _cleared(truth: Callable[[], None]) -> Callable[[], None]:
    def clear_autocast_cache() -> None:
        truth()
        autocast.clear_cache()

    return clear_autocast_cache

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shapes of fused attention, for versions of torch (2.4, 2.5) that have no meta kernel for it.

As in torch/_meta_registrations.py of later versions.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from trainlint.trace.torch_private import has_kernel

ROWS = 32
"""Memory-efficient attention keeps its sums for a multiple of so many rows."""


def register(library: torch.library.Library) -> None:
    """Register what is missing."""
    missing = {
        "_scaled_dot_product_flash_attention": _flash,
        "_scaled_dot_product_efficient_attention": _efficient,
    }
    for name, shapes in missing.items():
        if not any(has_kernel(f"aten::{name}", key) for key in ("Meta", "CompositeExplicitAutograd")):
            library.impl(name, shapes, "Meta")


def _flash(
    query: Tensor, key: Tensor, _value: Tensor, _dropout: float = 0.0, _causal: bool = False,
    _debug: bool = False, *, scale: float | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    del scale
    batch, heads, length, head = query.shape
    out = query.new_empty((batch, length, heads, head)).transpose(1, 2)
    sums = query.new_empty((batch, heads, length), dtype=torch.float32)
    seed, offset = (query.new_empty((), dtype=torch.int64) for _ in range(2))
    return out, sums, None, None, length, key.shape[2], seed, offset, query.new_empty(0)


def _efficient(
    query: Tensor, _key: Tensor, value: Tensor, _bias: Tensor | None, keep: bool,
    _dropout: float = 0.0, _causal: bool = False, *, scale: float | None = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    del scale
    batch, heads, length, _ = query.shape
    out = query.new_empty((batch, length, heads, value.shape[-1])).transpose(1, 2)
    rows = -(-length // ROWS) * ROWS if keep else 0
    sums = query.new_empty((batch, heads, rows), dtype=torch.float32)
    seed, offset = (query.new_empty((), dtype=torch.int64) for _ in range(2))
    return out, sums, seed, offset

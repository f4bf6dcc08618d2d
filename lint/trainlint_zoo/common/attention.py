# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Attention with its whole matrix, as libraries wrote it before torch had scaled_dot_product_attention.

Source: huggingface/pytorch-image-models 1.0.31, timm/layers/config.py (set_fused_attn); PyTorch's
torch/nn/attention (sdpa_kernel): its "math" kernel keeps the matrix too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from torch.nn.attention import SDPBackend, sdpa_kernel


@contextmanager
def timm_attention(*, fused: bool) -> Iterator[None]:
    """Let timm build networks that call scaled_dot_product_attention, or that write it out."""
    from timm.layers import set_fused_attn, use_fused_attn  # noqa: PLC0415 - an optional library

    before = bool(use_fused_attn())
    set_fused_attn(enable=fused)
    try:
        yield
    finally:
        set_fused_attn(enable=before)


def torch_attention(*, fused: bool) -> AbstractContextManager[None]:
    """Let scaled_dot_product_attention choose its kernel, or take the one that keeps the whole matrix."""
    return nullcontext() if fused else sdpa_kernel(SDPBackend.MATH)

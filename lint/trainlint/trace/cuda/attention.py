# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""scaled_dot_product_attention as CUDA computes it: which kernel, and what that kernel keeps.

Choice: aten/src/ATen/native/transformers/cuda/sdp_utils.cpp (torch 2.6 to 2.13). Classes of cards:
"flash" compute capability 8.0 and later, "flash-narrow" those of them that train no wide heads with flash
attention (8.6 to 8.9, 12.0 and 12.1), "efficient" 5.0 to 7.5, "math" where fused kernels are switched off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from trainlint.trace.torch_private import efficient_attention, flash_attention, math_attention

NARROW = "flash-narrow"
CARD_CLASSES = ("flash", NARROW, "efficient", "math")
_FLASH_CLASSES = ("flash", NARROW)
_NARROW_HEAD = 192  # largest head size that cards of that class train with flash attention, whatever else
_DROPLESS_HEAD = 224  # above it they do again, without dropout
_FLASH_HEAD = 256  # largest head size of flash attention
_FLASH_MULTIPLE = 8  # flash pads the head size to this
_BIAS_MULTIPLE = 8  # memory-efficient attention wants a bias' strides in multiples of this (attention.cpp)
_DIMENSIONS = 4  # batch, heads, length, head size


class AttentionCall(NamedTuple):
    """The arguments of one attention."""

    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    dropout: float
    causal: bool
    scale: float | None
    grouped: bool


def attention(card: str) -> Callable[..., Tensor]:
    """Return the stand-in for aten::scaled_dot_product_attention on a class of cards."""

    def kernel(  # noqa: PLR0917  (the operator's own)
        query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
        is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False,
    ) -> Tensor:  # fmt: skip
        mask = _float_mask(attn_mask, query.dtype)
        call = AttentionCall(query, key, value, mask, dropout_p, is_causal, scale, enable_gqa)
        if flash(call, card):
            return _run_flash(call)
        if efficient(call, card):
            return _run_efficient(call)
        return _run_math(call)

    return kernel


def _float_mask(mask: Tensor | None, dtype: torch.dtype) -> Tensor | None:
    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.where(mask, 0.0, torch.full((), float("-inf"), dtype=dtype, device=mask.device))


def _plain(call: AttentionCall) -> bool:
    """Return whether the inputs are what every fused kernel asks for."""
    tensors = (call.query, call.key, call.value)
    return (
        all(t.dim() == _DIMENSIONS and t.stride(-1) == 1 and t.numel() for t in tensors)
        and call.query.shape[0] == call.key.shape[0] == call.value.shape[0]
        and (call.grouped or call.query.shape[1] == call.key.shape[1] == call.value.shape[1])
    )


def flash(call: AttentionCall, card: str) -> bool:
    """Return whether a class of cards computes a call with flash attention."""
    head = call.query.shape[-1]
    return (
        card in _FLASH_CLASSES and torch.backends.cuda.flash_sdp_enabled()
        and call.mask is None and _plain(call)
        and call.query.dtype in (torch.float16, torch.bfloat16)
        and head == call.key.shape[-1] == call.value.shape[-1] <= _FLASH_HEAD
        and not (card == NARROW and _too_wide(call))
    )  # fmt: skip


def _too_wide(call: AttentionCall) -> bool:
    """Return whether a card of the class NARROW would fail in a call's backward.

    Source: sdp_utils.cpp, check_requires_grad_and_head_dim_gt192_constraints_on_sm86_89_or_120.
    """
    head = call.query.shape[-1]
    trained = any(t.requires_grad for t in (call.query, call.key, call.value))
    return trained and head > _NARROW_HEAD and (head <= _DROPLESS_HEAD or call.dropout > 0)


def efficient(call: AttentionCall, card: str) -> bool:
    """Return whether a class of cards computes a call with memory-efficient attention."""
    half = call.query.dtype in (torch.float16, torch.bfloat16)
    if call.query.dtype not in (torch.float32, torch.float16) and not (card in _FLASH_CLASSES and half):
        return False
    # minimum_gemm_alignment: 128 bits with tensor cores (all types from 8.0, half before), else one element
    alignment = 8 if half else 4 if card in _FLASH_CLASSES else 1
    return (
        card != "math" and torch.backends.cuda.mem_efficient_sdp_enabled()
        and not call.grouped and _plain(call)
        and not call.query.shape[-1] % alignment and not call.value.shape[-1] % alignment
        and (call.mask is None or call.mask.stride(-1) == 1 or call.mask.shape[-1] == 1)
    )  # fmt: skip


def _run_flash(call: AttentionCall) -> Tensor:
    head = call.query.shape[-1]
    padding = -head % _FLASH_MULTIPLE
    tensors = [F.pad(t, (0, padding)) if padding else t for t in (call.query, call.key, call.value)]
    scale = call.scale if call.scale is not None else head**-0.5
    out = flash_attention(*tensors, call.dropout, call.causal, False, scale=scale)[0]
    return out[..., :head] if padding else out  # type: ignore[no-any-return]  # operators of torch.ops are not typed


def _run_efficient(call: AttentionCall) -> Tensor:
    mask = call.mask
    if mask is not None:
        shape = (*call.query.shape[:-1], call.key.shape[-2])
        if any(stride % _BIAS_MULTIPLE for stride in mask.stride()[:-1]):
            length = mask.shape[-1]
            mask = F.pad(mask, (0, _BIAS_MULTIPLE - length % _BIAS_MULTIPLE))[..., :length]
        mask = mask.expand(shape)
    keep = any(t.requires_grad for t in (call.query, call.key, call.value))
    return efficient_attention(  # type: ignore[no-any-return]  # as above
        call.query, call.key, call.value, mask, keep, call.dropout, call.causal, scale=call.scale
    )[0]


def _run_math(call: AttentionCall) -> Tensor:
    return math_attention(  # type: ignore[no-any-return]  # as above
        call.query, call.key, call.value, call.mask, call.dropout, call.causal, None,
        scale=call.scale, enable_gqa=call.grouped,
    )[0]  # fmt: skip

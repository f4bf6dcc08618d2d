# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Layers that CUDA runs as one kernel and meta would unroll: cuDNN's recurrent layers, RMS norm.

cuDNN does not publish the size of a recurrent layer's reserve; RESERVE_NUMBERS is an estimate (the gates, the
cell and its hyperbolic tangent for every layer, direction and time step), and a note on the tape says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd import Function

RESERVE_NUMBERS = {"lstm": 6, "gru": 5, "rnn_tanh": 2, "rnn_relu": 2}
"""Numbers kept per hidden unit, time step and sample."""
RESERVE_NOTE = "cuDNN's reserve for recurrent layers is an estimate"


def register(library: torch.library.Library) -> None:
    """Register the layers for meta tensors."""
    library.impl("lstm.input", _lstm, "AutogradMeta")
    for name in ("gru", "rnn_tanh", "rnn_relu"):
        library.impl(f"{name}.input", _simple(name), "AutogradMeta")
    library.impl("rms_norm", rms_norm, "AutogradMeta")


def rms_norm(
    x: Tensor, shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Normalize as aten::_fused_rms_norm does (torch 2.9): input, weight and one number per row stay."""
    del eps
    if weight is not None and weight.dtype != x.dtype:
        weight = weight.to(x.dtype)
    return _RmsNorm.apply(x, weight, len(shape))  # type: ignore[no-any-return]  # torch leaves Function.apply without types


class _RmsNorm(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor | None, dims: int) -> Tensor:
        wide = torch.float32 if x.dtype in (torch.float16, torch.bfloat16) else x.dtype
        ctx.save_for_backward(x, weight, x.new_empty((*x.shape[: x.dim() - dims], *[1] * dims), dtype=wide))
        return torch.empty_like(x)

    @staticmethod
    def backward(ctx: Any, _grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, _ = ctx.saved_tensors
        needed = weight is not None and ctx.needs_input_grad[1]
        return torch.empty_like(x), torch.empty_like(weight) if needed else None, None


class _How(NamedTuple):
    """How a recurrent layer runs; `kept` is the reserve's numbers per hidden unit, time step and sample."""

    kept: int
    directions: int
    states: int
    batch_first: bool


def _lstm(  # noqa: PLR0917  (the operator's own)
    x: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: bool, num_layers: int,
    dropout: float, train: bool, bidirectional: bool, batch_first: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    del has_biases, dropout
    directions = 1 + bidirectional
    kept = RESERVE_NUMBERS["lstm"] * num_layers * directions * train
    return _layer(x, hx, params, _How(kept, directions, len(hx), batch_first))


def _simple(name: str) -> Callable[..., tuple[Tensor, ...]]:
    def kernel(  # noqa: PLR0917  (the operator's own)
        x: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float,
        train: bool, bidirectional: bool, batch_first: bool,
    ) -> tuple[Tensor, ...]:  # fmt: skip
        del has_biases, dropout
        directions = 1 + bidirectional
        kept = RESERVE_NUMBERS[name] * num_layers * directions * train
        return _layer(x, [hx], params, _How(kept, directions, 1, batch_first))

    return kernel


def _layer(x: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], how: _How) -> tuple[Tensor, ...]:
    x = (x.transpose(0, 1) if how.batch_first else x).contiguous()
    out, *states = _Recurrent.apply(how, x, *hx, *params)
    return (out.transpose(0, 1) if how.batch_first else out, *states)


class _Recurrent(Function):
    """aten::_cudnn_rnn: keeps input, states, weights, output and reserve; one buffer of weight gradients."""

    @staticmethod
    def forward(ctx: Any, how: _How, x: Tensor, *rest: Tensor) -> tuple[Tensor, ...]:
        width, steps = rest[0].shape[-1], prod(x.shape[:2])
        out = x.new_empty((*x.shape[:2], width * how.directions))
        reserve = x.new_empty(how.kept * steps * width * x.itemsize, dtype=torch.uint8)
        ctx.states = how.states
        ctx.save_for_backward(x, *rest, out, reserve)
        return (out, *[torch.empty_like(state) for state in rest[: how.states]])

    @staticmethod
    def backward(ctx: Any, *_grads: Tensor) -> tuple[Tensor | None, ...]:
        x, *rest, _, _ = ctx.saved_tensors
        states, params = rest[: ctx.states], rest[ctx.states :]
        sizes = [p.numel() for p in params]
        parts = x.new_empty(sum(sizes)).split(sizes)
        weights = [part.view(p.shape) for part, p in zip(parts, params)]  # noqa: B905 - Python 3.9
        return (None, torch.empty_like(x), *[torch.empty_like(state) for state in states], *weights)

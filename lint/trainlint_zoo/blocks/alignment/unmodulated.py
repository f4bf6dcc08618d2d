# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Deformable convolution without a mask (DCNv1), as BasicSR's compiled operator allocates.

A chunk of samples (im2col_step, at most 64) is unrolled at once. Source: XPixelGroup/BasicSR 8d56e3a,
basicsr/ops/dcn/src/deform_conv_cuda.cpp. The buffers that it is given stay empty: it replaces its own names
for them.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, zeros_like

from trainlint.errors import CannotTraceError


def forward(
    x: Tensor, weight: Tensor, offset: Tensor, output: Tensor, _columns: Tensor, _ones: Tensor, *how: Any
) -> None:
    """(b, cin, h, w) into `output` (b, cout, h', w'): made in order of the chunks, then copied there."""
    *_, groups, _, chunk = how
    weight = _packed(weight)
    x, _held = x.contiguous(), offset.contiguous()
    count, channels, high, wide = output.shape
    columns, _ones = _columns_of(x, weight, output, chunk), x.new_ones(high, wide)
    made = output.new_zeros(count // chunk, channels, chunk * high, wide)
    for part in made:
        by_group = (part.flatten(1).chunk(groups), weight.chunk(groups), columns.chunk(groups))
        for given, kernel, unrolled in zip(*by_group, strict=True):
            given.addmm_(kernel.flatten(1), unrolled)
    chunks = made.view(-1, channels, chunk, high, wide).transpose(1, 2)
    output.view(chunks.shape).copy_(chunks)


def to_input(
    x: Tensor, offset: Tensor, grad: Tensor, _to_x: Tensor, _to_offset: Tensor, weight: Tensor,
    _columns: Tensor, *how: Any,
) -> None:  # fmt: skip
    """Fill the gradients of the input and of the offsets that it is given, chunk by chunk."""
    *_, groups, _, chunk = how
    weight = _packed(weight)
    x, _held, grad = x.contiguous(), offset.contiguous(), grad.contiguous()
    columns = _columns_of(x, weight, grad, chunk)
    for part in _by_channel(grad, chunk):
        by_group = (part.chunk(groups), weight.chunk(groups), columns.chunk(groups))
        for given, kernel, unrolled in zip(*by_group, strict=True):
            unrolled.addmm_(kernel.flatten(1).t(), given.flatten(1), beta=0.0)


def to_weight(
    x: Tensor, offset: Tensor, grad: Tensor, to_weight: Tensor, _columns: Tensor, _ones: Tensor, *how: Any
) -> None:
    """Add the weight's gradient to the one that it is given.

    The gradients of several samples are copied into a tensor of their own strides, which the operator then
    cannot view: zeros_like has kept strides since torch 1.5 (open-mmlab/mmdetection#2775).
    """
    *_, groups, _, _, chunk = how
    to_weight = _packed(to_weight)
    x, _held, grad = x.contiguous(), offset.contiguous(), grad.contiguous()
    columns = _columns_of(x, to_weight, grad, chunk)
    swapped = _by_channel(grad, chunk)
    copy = zeros_like(swapped).copy_(swapped)
    count, channels, _, high, wide = swapped.shape
    try:
        copy = copy.view(count, channels, chunk * high, wide)
    except RuntimeError as error:
        raise CannotTraceError(
            "deform_conv_ext stops when it makes the gradient of DeformConv's weight: with torch 1.5 and "
            "later it cannot view those of several samples at once"
        ) from error
    for part in copy:
        by_group = (part.chunk(groups), columns.chunk(groups), to_weight.chunk(groups))
        for given, unrolled, made in zip(*by_group, strict=True):
            made.flatten(1).addmm_(given.flatten(1), unrolled.t())


def _packed(weight: Tensor) -> Tensor:
    if not weight.is_contiguous():
        raise CannotTraceError("deform_conv_ext stops: its weight has to be contiguous")
    return weight


def _columns_of(x: Tensor, weight: Tensor, made: Tensor, chunk: int) -> Tensor:
    """Return what a chunk of samples is unrolled into: (cin * taps, samples * h' * w')."""
    return x.new_zeros(x.shape[1] * weight[0, 0].numel(), chunk * made.shape[2] * made.shape[3])


def _by_channel(grad: Tensor, chunk: int) -> Tensor:
    """View (b, c, h, w) as (chunks, c, samples, h, w)."""
    return grad.view(-1, chunk, *grad.shape[1:]).transpose(1, 2)

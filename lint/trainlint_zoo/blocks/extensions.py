# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Compiled operators of other packages that repositories call, with the tensors that they allocate.

The autograd functions around them are the repositories' own. Sources: XPixelGroup/BasicSR 8d56e3a,
basicsr/ops/fused_act/src, upfirdn2d/src and dcn/src/deform_conv_cuda.cpp; CVL-UESTC/PFT-SR b1dc104,
ops_smm/src/smm_cuda.cu.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.alignment import unmodulated
from trainlint_zoo.blocks.attention.flex_attention import flex_attention


def fused_bias_act(x: Tensor, bias: Tensor, refer: Tensor, *_how: Any) -> Tensor:
    """Add a bias and activate, forward or (with `refer`) backward."""
    packed = [tensor.contiguous() for tensor in (x, bias, refer)]
    return torch.empty_like(packed[0])


def upfirdn2d(x: Tensor, kernel: Tensor, *how: int) -> Tensor:
    """(major, h, w, minor): insert zeros, pad, filter, and keep every so many."""
    up_x, up_y, down_x, down_y, left, right, above, below = how
    x, kernel = x.contiguous(), kernel.contiguous()
    major, height, width, minor = x.shape
    rows = (height * up_y + above + below - kernel.shape[0] + down_y) // down_y
    columns = (width * up_x + left + right - kernel.shape[1] + down_x) // down_x
    return x.new_empty(major, rows, columns, minor)


def modulated(
    x: Tensor, weight: Tensor, bias: Tensor, _ones: Tensor, _offset: Tensor, _mask: Tensor, output: Tensor,
    _columns: Tensor, _high: int, _wide: int, *how: Any,
) -> None:  # fmt: skip
    """(b, cin, h, w) into `output` (b, cout, h', w'): one sample's columns at a time, freed with the call.

    The two buffers that it is given stay empty: the operator replaces its own names for them.
    """
    *_, groups, _, with_bias = how
    ones, columns = _buffers(x, weight, output)
    output.zero_()
    for sample in output:
        parts = (tensor.chunk(groups) for tensor in (sample.flatten(1), weight, columns))
        for made, kernel, unrolled in zip(*parts, strict=True):
            made.addmm_(kernel.flatten(1), unrolled)
    if with_bias:
        output += bias.view(1, -1, 1, 1)
    del ones


def modulated_back(
    x: Tensor, weight: Tensor, _bias: Tensor, _ones: Tensor, _offset: Tensor, _mask: Tensor, _columns: Tensor,
    _to_x: Tensor, to_weight: Tensor, to_bias: Tensor, _to_offset: Tensor, _to_mask: Tensor, grad: Tensor,
    _high: int, _wide: int, *how: Any,
) -> None:  # fmt: skip
    """Add the gradients of a modulated deformable convolution to those that it is given, sample by sample."""
    *_, groups, _, with_bias = how
    ones, columns = _buffers(x, weight, grad)
    for sample in grad:
        parts = [tensor.chunk(groups) for tensor in (sample.flatten(1), weight, columns, to_weight)]
        for given, kernel, unrolled, made in zip(*parts, strict=True):
            unrolled.addmm_(kernel.flatten(1).t(), given, beta=0.0)
            made.flatten(1).addmm_(given, unrolled.t())
        for given, made in zip(parts[0], to_bias.chunk(groups) if with_bias else (), strict=False):
            made.view(-1, 1).addmm_(given, ones.view(-1, 1))


def _buffers(x: Tensor, weight: Tensor, made: Tensor) -> tuple[Tensor, Tensor]:
    """Return the ones and the columns that the operator makes for a sample's output."""
    if not (x.is_contiguous() and weight.is_contiguous()):
        raise CannotTraceError("deform_conv_ext stops: its input and weight have to be contiguous")
    size = made.shape[2] * made.shape[3]
    return x.new_ones(made.shape[2:]), x.new_zeros(x.shape[1] * weight[0, 0].numel(), size)


def query_key(a: Tensor, _b: Tensor, index: Tensor) -> Tensor:
    """(b, n, c), (b, c, m), (b, n, k): the products that are named, in fp32."""
    return torch.zeros(*a.shape[:2], index.shape[2], device=a.device)


def attend(a: Tensor, b: Tensor, _index: Tensor) -> Tensor:
    """(b, n, k), (b, m, c), (b, n, k): the sums of the rows that are named, in fp32."""
    return torch.zeros(*a.shape[:2], b.shape[2], device=a.device)


def gradients(_grad: Tensor, a: Tensor, b: Tensor, _index: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of both factors."""
    return torch.zeros_like(a), torch.zeros_like(b)


OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "fused_act_ext.fused_bias_act": fused_bias_act,
    "upfirdn2d_ext.upfirdn2d": upfirdn2d,
    "deform_conv_ext.deform_conv_forward": unmodulated.forward,
    "deform_conv_ext.deform_conv_backward_input": unmodulated.to_input,
    "deform_conv_ext.deform_conv_backward_parameters": unmodulated.to_weight,
    "deform_conv_ext.modulated_deform_conv_forward": modulated,
    "deform_conv_ext.modulated_deform_conv_backward": modulated_back,
    "torch.compile.flex_attention": flex_attention,
    "smm_cuda.SMM_QmK_forward_cuda": query_key,
    "smm_cuda.SMM_AmV_forward_cuda": attend,
    "smm_cuda.SMM_QmK_backward_cuda": gradients,
    "smm_cuda.SMM_AmV_backward_cuda": gradients,
}
"""An operator's name in its module -> what allocates as it does."""

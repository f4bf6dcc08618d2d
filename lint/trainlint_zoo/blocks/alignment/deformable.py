# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: Soumith Chintala 2016 (torchvision)
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0 AND BSD-3-Clause

"""Modulated deformable convolution (DCNv2) as torchvision's CUDA operator allocates.

Source: pytorch/vision 0d7913d, torchvision/csrc/ops/cuda/deform_conv2d_kernel.cu and
ops/autograd/deform_conv2d_kernel.cpp; XPixelGroup/BasicSR 8d56e3a, basicsr/ops/dcn and archs/arch_util.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

BUILDERS: dict[str, str] = {}

KERNEL = 3
TAPS = KERNEL**2


class DeformConv2d(torch.autograd.Function):
    """deform_conv2d, 3x3, stride and padding 1: keeps its five inputs, unrolls columns forward and backward.

    (b, cin, h, w), offsets (b, 18 x groups, h, w), mask (b, 9 x groups, h, w) -> (b, cout, h, w). torchvision
    unrolls up to 32 images at once; above that its columns are smaller than they are here.
    """

    @staticmethod
    def forward(  # noqa: PLR0917  (the operator's own)
        ctx: Any, x: Tensor, offset: Tensor, mask: Tensor, weight: Tensor, bias: Tensor
    ) -> Tensor:
        ctx.save_for_backward(x, offset, mask, weight, bias)
        x, offset, mask = x.contiguous(), offset.contiguous(), mask.contiguous()
        b, cin, h, w = x.shape
        cout = weight.shape[0]
        out = x.new_zeros(b, cout, h, w)
        buffer = x.new_zeros(cout, b * h * w)
        columns = x.new_zeros(cin * TAPS, b * h * w)
        for made, kernel, unrolled in _grouped(x, weight, buffer, weight, columns):
            made.addmm_(kernel.flatten(1), unrolled)
        out.copy_(buffer.view(cout, b, h, w).transpose(0, 1))
        return out + bias.view(1, cout, 1, 1)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, ...]:
        x, offset, mask, weight, bias = ctx.saved_tensors
        grad, x, offset, mask = grad.contiguous(), x.contiguous(), offset.contiguous(), mask.contiguous()
        gradients = torch.zeros_like(x), torch.zeros_like(offset), torch.zeros_like(mask)
        return (*gradients, *_parameters(grad, x, weight, bias, _columns(x, weight, grad)))


def _grouped(x: Tensor, weight: Tensor, *tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Cut tensors along their first dimension into the convolution's groups, as many as the channels say."""
    groups = x.shape[1] // weight.shape[1]
    return zip(*(tensor.chunk(groups) for tensor in tensors), strict=True)


def _columns(x: Tensor, weight: Tensor, grad: Tensor) -> tuple[int, int]:
    """Unroll the gradient for those of input, offsets and mask; returns the columns' size."""
    b, cin, h, w = x.shape
    size = cin * TAPS, b * h * w
    columns = x.new_empty(size).zero_()
    by_channel = grad.transpose(0, 1).flatten(1)
    for made, kernel, given in _grouped(x, weight, columns, weight, by_channel):
        made.addmm_(kernel.flatten(1).t(), given)
    return size


def _parameters(
    grad: Tensor, x: Tensor, weight: Tensor, bias: Tensor, size: tuple[int, int]
) -> tuple[Tensor, Tensor]:
    """Unroll the input again for the weight's gradient; the bias' is a sum."""
    by_channel = grad.transpose(0, 1).contiguous()
    to_weight = torch.zeros_like(weight)
    for made, given, unrolled in _grouped(x, weight, to_weight, by_channel, x.new_empty(size)):
        made.flatten(1).addmm_(given.flatten(1), unrolled.t())
    return to_weight, torch.ones_like(bias) * grad.sum((0, 2, 3))


class ModulatedDeformConv(nn.Module):
    """The weights of a 3x3 modulated deformable convolution and what predicts its offsets and mask."""

    def __init__(self, cin: int, cout: int, conv_offset: nn.Module) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(cout, cin, KERNEL, KERNEL))
        self.bias = nn.Parameter(torch.empty(cout))
        self.conv_offset = conv_offset

    def sample(self, x: Tensor, offset: Tensor, mask: Tensor) -> Tensor:
        """Convolve `x` at the offsets, weighted by the mask."""
        out: Tensor = DeformConv2d.apply(x, offset, mask, self.weight, self.bias)
        return out


class DCNv2Pack(ModulatedDeformConv):
    """Offsets and mask come from other features than those that are sampled."""

    def __init__(self, num_feat: int, groups: int) -> None:
        super().__init__(num_feat, num_feat, nn.Conv2d(num_feat, groups * 3 * TAPS, KERNEL, 1, 1))

    def forward(self, x: Tensor, feat: Tensor) -> Tensor:
        out = self.conv_offset(feat)
        first, second, mask = torch.chunk(out, 3, dim=1)
        offset = torch.cat((first, second), dim=1)
        mask = torch.sigmoid(mask)
        mean = torch.mean(torch.abs(offset))  # read for a warning, kept until the call returns
        result = self.sample(x, offset, mask)
        del mean
        return result

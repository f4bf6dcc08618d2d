# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-FileCopyrightText: 2019 Kim Seonghyeon
# SPDX-License-Identifier: MIT AND Apache-2.0

"""StyleGAN2's two CUDA operators, differentiable twice: what they allocate and what they keep.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/ops/fused_act and basicsr/ops/upfirdn2d.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

BUILDERS: dict[str, str] = {}


class FusedLeakyReLUBackward(torch.autograd.Function):
    """The activation's gradient as an operator of its own: keeps the activation's result."""

    @staticmethod
    def forward(ctx: Any, grad: Tensor, out: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(out)
        to_input = torch.empty_like(grad.contiguous())
        return to_input, to_input.sum([0, *range(2, to_input.ndim)]).detach()

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _bias: Tensor) -> tuple[Tensor, None]:
        _ = ctx.saved_tensors
        return torch.empty_like(grad.contiguous()), None


class FusedLeakyReLUFunction(torch.autograd.Function):
    """Bias, leaky ReLU and scale in one kernel: keeps its result, not its input."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, _bias: Tensor) -> Tensor:
        out = torch.empty_like(x.contiguous())
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        (out,) = ctx.saved_tensors
        return FusedLeakyReLUBackward.apply(grad, out)  # type: ignore[no-any-return]


def fused_leaky_relu(x: Tensor, bias: Tensor) -> Tensor:
    """Return the biased activation, a new tensor."""
    return FusedLeakyReLUFunction.apply(x, bias)  # type: ignore[no-any-return]


class FusedLeakyReLU(nn.Module):
    """The activation with a bias per channel."""

    def __init__(self, channel: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.empty(channel))

    def forward(self, x: Tensor) -> Tensor:
        return fused_leaky_relu(x, self.bias)


class Resampling(NamedTuple):
    """How an image is up-sampled, padded, filtered and down-sampled."""

    kernel: int
    up: int
    down: int
    pad: tuple[int, int]

    def side(self, length: int) -> int:
        """Return the result's side."""
        return (length * self.up + sum(self.pad) - self.kernel) // self.down + 1


class UpFirDnBackward(torch.autograd.Function):
    """The resampling's gradient, itself a resampling."""

    @staticmethod
    def forward(ctx: Any, grad: Tensor, kernel: Tensor, size: torch.Size) -> Tensor:
        ctx.save_for_backward(kernel)
        ctx.size = grad.shape
        return grad.contiguous().new_empty(size)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        _ = ctx.saved_tensors
        return grad.contiguous().new_empty(ctx.size), None, None


class UpFirDn(torch.autograd.Function):
    """Up-sample, filter, down-sample: keeps the kernel and its mirror image only."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, kernel: Tensor, how: Resampling) -> Tensor:
        b, c, h, w = x.shape
        ctx.size = x.shape
        x = x.contiguous()
        ctx.save_for_backward(kernel, torch.flip(kernel, [0, 1]))
        return x.new_empty(b, c, how.side(h), how.side(w))

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        kernel, _mirrored = ctx.saved_tensors
        return UpFirDnBackward.apply(grad, kernel, ctx.size), None, None


class UpFirDnLayer(nn.Module):
    """A resampling as a module; its kernel comes from the CPU at every call."""

    def __init__(self, taps: Sequence[float], how: Resampling) -> None:
        super().__init__()
        self.kernel = torch.zeros(len(taps), len(taps), device="cpu")
        self.how = how

    def forward(self, x: Tensor) -> Tensor:
        return UpFirDn.apply(x, self.kernel.type_as(x), self.how)  # type: ignore[no-any-return]


def upsample(taps: Sequence[float]) -> UpFirDnLayer:
    """Return a doubling of the image."""
    pad = len(taps) - 2
    return UpFirDnLayer(taps, Resampling(len(taps), 2, 1, ((pad + 1) // 2 + 1, pad // 2)))


def smooth_up(taps: Sequence[float], kernel_size: int) -> UpFirDnLayer:
    """Return the filter after a transposed convolution of stride 2."""
    pad = len(taps) - 2 - (kernel_size - 1)
    return UpFirDnLayer(taps, Resampling(len(taps), 1, 1, ((pad + 1) // 2 + 1, pad // 2 + 1)))


def smooth_down(taps: Sequence[float], kernel_size: int) -> UpFirDnLayer:
    """Return the filter before a convolution of stride 2."""
    pad = len(taps) - 2 + (kernel_size - 1)
    return UpFirDnLayer(taps, Resampling(len(taps), 1, 1, ((pad + 1) // 2, pad // 2)))

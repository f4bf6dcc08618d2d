# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""StyleGAN2's two compiled operators, with the tensors that each pass makes and keeps; no value is computed.

Both can be differentiated twice, as the gradient penalty and the path length ask for. Source: Karras et al.
2020, arXiv 1912.04958 (bias, leaky ReLU and scale in one operator; filters around changes of size), and tapes
of a step: sizes and lifetimes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

BUILDERS: dict[str, str] = {}

Gradients = tuple[Tensor | None, ...]


class Pass(NamedTuple):
    """What one pass of an operator returns and keeps, and the pass after it.

    `after` takes the gradients of what is `made`, then what was `kept`; it returns the arguments' gradients.
    """

    made: Tensor | tuple[Tensor, ...]
    kept: tuple[Tensor, ...]
    after: Callable[..., Gradients]


class Operator(torch.autograd.Function):
    """Runs a pass as a node of autograd's graph; where `after` runs one too, that is a node in its turn."""

    @staticmethod
    def forward(ctx: Any, run: Callable[..., Pass], *inputs: Any) -> Tensor | tuple[Tensor, ...]:
        made, kept, ctx.after = run(*inputs)
        ctx.save_for_backward(*kept)
        return made

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Gradients:
        return (None, *ctx.after(*grads, *ctx.saved_tensors))


def filled(x: Tensor, shape: Sequence[int]) -> Tensor:
    """Return what a CUDA kernel fills that reads `x` packed."""
    return x.contiguous().new_empty(shape)


def activate(x: Tensor, _bias: Tensor) -> Pass:
    """(b, channel, ...) -> the same; its sign says where the slope is, so that the input is not kept."""
    result = filled(x, x.shape)
    return Pass(result, (result,), partial(Operator.apply, activate_gradient))


def activate_gradient(grad: Tensor, result: Tensor) -> Pass:
    """Return the gradients of image and bias."""
    of_image = filled(grad, grad.shape)
    of_bias = of_image.sum([dim for dim in range(of_image.ndim) if dim != 1])
    return Pass((of_image, of_bias), (result,), _activate_second)


def _activate_second(grad: Tensor, _of_bias: Tensor, _result: Tensor) -> Gradients:
    return filled(grad, grad.shape), None


def resample(x: Tensor, kernel: Tensor, size: tuple[int, int]) -> Pass:
    """(b, c, h, w), (k, k) -> (b, c, *size); keeps the kernel and its mirror image, nothing of the image."""
    packed = x.contiguous()
    mirrored = kernel.flip(0, 1)
    made = packed.new_empty(*x.shape[:2], *size)
    return Pass(made, (kernel, mirrored), partial(_resample_first, x.shape))


def _resample_first(shape: torch.Size, grad: Tensor, kernel: Tensor, _mirrored: Tensor) -> Gradients:
    return Operator.apply(resample_gradient, grad, kernel, shape), None, None


def resample_gradient(grad: Tensor, kernel: Tensor, shape: torch.Size) -> Pass:
    """Return the gradient of an image of this shape."""
    return Pass(filled(grad, shape), (kernel,), partial(_resample_second, grad.shape))


def _resample_second(shape: torch.Size, grad: Tensor, _kernel: Tensor) -> Gradients:
    return filled(grad, shape), None, None


def fused_leaky_relu(x: Tensor, bias: Tensor) -> Tensor:
    """(b, channel, ...), (channel,) -> like the first."""
    out: Tensor = Operator.apply(activate, x, bias)
    return out


class FusedLeakyReLU(nn.Module):
    """The fused activation with its bias."""

    def __init__(self, channel: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.empty(channel))

    def forward(self, x: Tensor) -> Tensor:
        return fused_leaky_relu(x, self.bias)


class Filter(nn.Module):
    """(b, c, h, w) -> (b, c, factor x h + more, factor x w + more): zeros between, padding, a filter.

    The filter stays on the CPU and is copied to the image's device at every call.
    """

    def __init__(self, taps: Sequence[float], factor: int, more: int) -> None:
        super().__init__()
        self.factor, self.more = factor, more
        self.kernel = torch.empty(len(taps), len(taps), device="cpu")

    def forward(self, x: Tensor) -> Tensor:
        height, width = (side * self.factor + self.more for side in x.shape[2:])
        out: Tensor = Operator.apply(resample, x, self.kernel.type_as(x), (height, width))
        return out


def upsample(taps: Sequence[float]) -> Filter:
    """Return what makes an image twice as large."""
    return Filter(taps, 2, 0)


def smooth_up(taps: Sequence[float], kernel_size: int) -> Filter:
    """Return what smooths after a transposed convolution of stride 2, and leaves twice its input's side."""
    return Filter(taps, 1, 2 - kernel_size)


def smooth_down(taps: Sequence[float], kernel_size: int) -> Filter:
    """Return what smooths before a convolution of stride 2, and leaves it the border that it reads."""
    return Filter(taps, 1, kernel_size - 2)

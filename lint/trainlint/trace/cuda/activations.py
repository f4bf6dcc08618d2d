# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Activations of which CUDA makes or keeps less than meta: Mish, the logarithm of a sigmoid.

Source: aten/src/ATen/native/native_functions.yaml (torch 2.13), where mish_backward is the one elementwise
operator that has a kernel for CUDA and falls apart into others elsewhere, and ActivationLogSigmoidKernel.cu,
whose buffer is empty. Every other activation's backward is one operator on meta too.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function


def register(library: torch.library.Library) -> None:
    """Register the activations for meta tensors."""
    library.impl("mish_backward", mish_backward, "AutogradMeta")
    library.impl("log_sigmoid", log_sigmoid, "AutogradMeta")


def mish_backward(grad: Tensor, x: Tensor) -> Tensor:
    """Make the gradient in one kernel: SiLU's reads and writes the same.

    Autograd asks for it where no second derivative is wanted; else it takes the operators one by one.
    """
    return torch.ops.aten.silu_backward(grad, x)  # type: ignore[no-any-return]  # operators of torch.ops are not typed


def log_sigmoid(x: Tensor) -> Tensor:
    """Return log(sigmoid(x)); only the input stays."""
    return _LogSigmoid.apply(x)  # type: ignore[no-any-return]  # torch leaves Function.apply without types


class _LogSigmoid(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return torch.sigmoid(x)  # the same bytes, without the CPU's buffer

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return torch.ops.aten.log_sigmoid_backward(grad, x, x.new_empty(0))  # type: ignore[no-any-return]  # as above

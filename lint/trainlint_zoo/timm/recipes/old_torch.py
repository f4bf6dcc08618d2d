# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a torch before 1.11 keeps and today's does not: softmax's input, up to 1.9 autocast's GELU in fp32.

Source: PyTorch 1.7.1, aten/src/ATen/autocast_mode.cpp, whose list of fp32 has gelu, and
tools/autograd/derivatives.yaml, where _softmax and _log_softmax give `self` to their backward. The releases
1.6.0 to 1.9.1 do both, 1.10.2 the second alone, 1.11.0 neither (torch/csrc/autograd/generated/Functions.h
and the casts that libtorch_cpu registers).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

SOFTMAXES = (
    torch.softmax, Tensor.softmax, F.softmax, torch.log_softmax, Tensor.log_softmax, F.log_softmax,
)  # fmt: skip


GELU_IN_FP32 = "1.9"
"""The last version whose GELU autocast computes so."""


class OldTorch(TorchFunctionMode):
    """Computes them as a version of torch did; not in the forwards that checkpoints call again."""

    def __init__(self, version: str) -> None:
        super().__init__()
        self.gelu_in_fp32 = version == GELU_IN_FP32

    def __torch_function__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Answer one call of torch."""
        if func is F.gelu and self.gelu_in_fp32 and torch.is_autocast_enabled("cuda"):
            args = (args[0].float(), *args[1:])
        elif func in SOFTMAXES and args[0].requires_grad:
            args = (_Kept.apply(args[0]), *args[1:])
        return func(*args, **(kwargs or {}))


class _Kept(Function):
    """Hands a tensor on and holds it until the gradient of what is computed from it is there."""

    @staticmethod
    def forward(ctx: Any, source: Tensor) -> Tensor:
        ctx.save_for_backward(source)
        return source.view_as(source)

    @staticmethod
    def backward(_ctx: Any, gradient: Tensor) -> Tensor:
        return gradient

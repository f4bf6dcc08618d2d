# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Linear layers whose frozen weights are stored in eight bits with a scale for each output.

Read: huggingface/optimum-quanto 0.2.7, tensor/function.py, library/qbytes_mm.py. Forward and backward
restore the whole weight: it is converted to the precision of the scales, then multiplied by them. The input
is held for the backward, although the weight gets no gradient.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx

STORED: Final = {"qfloat8": torch.float8_e4m3fn, "qint8": torch.int8}
"""quanto's names -> what a weight is stored in."""


class EightBitLinear(nn.Linear):
    """y = x W^T + b with W in eight bits; only the input gets a gradient.

    It is one of torch's, as quanto's QLinear is: PEFT adapts those alone.
    """

    scales: Tensor

    def __init__(self, linear: nn.Linear, stored: torch.dtype) -> None:
        nn.Module.__init__(self)  # its weights are those of `linear`
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weight = nn.Parameter(torch.empty_like(linear.weight, dtype=stored), requires_grad=False)
        bias = None if linear.bias is None else nn.Parameter(linear.bias.detach(), requires_grad=False)
        self.register_parameter("bias", bias)
        self.register_buffer("scales", torch.empty(linear.out_features, 1, dtype=linear.weight.dtype))

    def restored(self) -> Tensor:
        """Return the weight in the precision of the scales."""
        weight: Tensor = self.weight
        if weight.is_floating_point():  # integers are multiplied as they are
            weight = weight.to(self.scales.dtype)
        return self.scales * weight

    def forward(self, x: Tensor) -> Tensor:
        """Multiply by the restored weight."""
        product: Tensor = _Product.apply(x, self)
        return product


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, layer: EightBitLinear) -> Tensor:
        ctx.save_for_backward(x)
        ctx.layer = layer  # type: ignore[attr-defined]  # what a function keeps between its two halves
        product = torch.matmul(x.to(layer.scales.dtype), layer.restored().t())
        return product if layer.bias is None else product + layer.bias

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, None]:
        _held = ctx.saved_tensors
        return (torch.matmul(grads[0], ctx.layer.restored()) if ctx.needs_input_grad[0] else None), None


def in_eight_bits(module: nn.Module, kind: str) -> None:
    """Put the linear layers of a module into eight bits."""
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and not isinstance(child, EightBitLinear):
                setattr(parent, name, EightBitLinear(child, STORED[kind]))

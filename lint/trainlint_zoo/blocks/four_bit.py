# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Linear layers whose frozen weights are stored in four bits (Dettmers et al., QLoRA, 2023).

Two weights share a byte, every 64 have a scale in fp32; with double quantisation the scales are bytes, of
which every 256 have a scale. Forward and backward restore the whole weight in the input's precision. Before
bitsandbytes 0.43.2 a layer held its input until its graph went, which is later than the backward.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx
from torch.nn import functional as F

BLOCK: Final = 64
"""Weights that share a scale."""
BLOCK_OF_SCALES: Final = 256
LEVELS: Final = 16
"""Values of four bits; the table of them is stored with each layer."""
KINDS: Final = ("nf4", "fp4")


class FourBitLinear(nn.Module):
    """y = x W^T + b with W in four bits, computed in `dtype`. Only the input gets a gradient."""

    scales: Tensor

    def __init__(
        self, inputs: int, outputs: int, *, bias: Tensor | None, double: bool, keeps_inputs: bool,
        dtype: torch.dtype,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_features, self.out_features, self.keeps_inputs = inputs, outputs, keeps_inputs
        self.dtype = dtype
        self.weights = inputs * outputs
        packed = torch.empty((-(-self.weights // 2), 1), dtype=torch.uint8)
        self.weight = nn.Parameter(packed, requires_grad=False)
        self.bias = None if bias is None else nn.Parameter(bias, requires_grad=False)
        scales = -(-self.weights // BLOCK)
        self.nested = double
        self.register_buffer("scales", torch.empty(scales, dtype=torch.uint8 if double else torch.float32))
        self.register_buffer("levels", torch.empty(LEVELS, dtype=torch.float32))
        if double:
            self.register_buffer(
                "scales_of_scales", torch.empty(-(-scales // BLOCK_OF_SCALES), dtype=torch.float32)
            )
            self.register_buffer("levels_of_scales", torch.empty(2**8, dtype=torch.float32))
            self.register_buffer("offset", torch.empty((), dtype=torch.float32))

    def restored(self, dtype: torch.dtype) -> Tensor:
        """Return the weight as the kernels restore it; the scales' own values go when it is there."""
        device = self.weight.device
        count = self.scales.numel()
        scales = torch.empty(count, dtype=torch.float32, device=device).zero_() if self.nested else None
        weight = torch.empty((self.out_features, self.in_features), dtype=dtype, device=device).zero_()
        del scales
        return weight

    def forward(self, x: Tensor) -> Tensor:
        """Multiply by the restored weight."""
        product: Tensor = _Product.apply(x.to(self.dtype), self)
        return product.to(x.dtype)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, layer: FourBitLinear) -> Tensor:
        ctx.layer = layer  # type: ignore[attr-defined]  # what a function keeps between its two halves
        if layer.keeps_inputs and ctx.needs_input_grad[0]:  # type: ignore[attr-defined]  # as above
            ctx.x = x  # type: ignore[attr-defined]  # as above; it is no saved tensor, which backward frees
        bias = None if layer.bias is None else layer.bias.to(x.dtype)
        return F.linear(x, layer.restored(x.dtype), bias)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        grad = grads[0]
        return grad @ ctx.layer.restored(grad.dtype), None


def quantised(linear: nn.Linear, *, double: bool, keeps_inputs: bool) -> FourBitLinear:
    """Return a linear layer with its weight in four bits, which computes in the precision that it had."""
    return FourBitLinear(
        linear.in_features,
        linear.out_features,
        bias=None if linear.bias is None else linear.bias.detach(),
        double=double,
        keeps_inputs=keeps_inputs,
        dtype=linear.weight.dtype,
    )


def parameters_of(module: nn.Module) -> int:
    """Count a network's parameters, where two that share a byte are two."""
    packed = {
        id(layer.weight): layer.weights for layer in module.modules() if isinstance(layer, FourBitLinear)
    }
    return sum(packed.get(id(parameter), parameter.numel()) for parameter in module.parameters())

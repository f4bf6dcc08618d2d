# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""LyCORIS: a weight is rebuilt of small factors in each forward, and the layer's input goes through it.

From their paper (Yeh et al., Navigating Text-To-Image Customization, 2024): LoKr's change of a weight is the
Kronecker product of two factors, the larger of which may be a product of two of a rank; LoHa's is the
elementwise product of two products of a rank, LoCon's one such product, and IA3 scales a weight's rows. Read
for what a step keeps: KohakuBlueleaf/LyCORIS 3.4 and 4.1, lycoris/modules/lokr.py, loha.py, locon.py, ia3.py
(forward without bypass_mode), lycoris/kohya.py. What their fused kernels keep is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

LOKR, LOHA, LOCON, IA3 = "lycoris.lokr", "lycoris.loha", "lycoris.locon", "lycoris.ia3"


class RebuiltWeight(nn.Module):
    """What a layer gives, and what its input gives through the rebuilt change of its weight."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.original = layer.forward
        self.layers = (layer,)  # which is no part of its adapter
        convolution = isinstance(layer, nn.Conv2d)
        self.shape = tuple(layer.weight.shape)
        self.op: Any = F.conv2d if convolution else F.linear
        self.given = (
            {"stride": layer.stride, "padding": layer.padding, "groups": layer.groups} if convolution else {}
        )
        self.scalar: Tensor
        self.register_buffer("scalar", torch.tensor(1.0), persistent=False)

    def change(self) -> Tensor:
        """Return the change of the weight, of its shape."""
        raise NotImplementedError

    def difference(self, weight: Tensor) -> Tensor:
        """Return what the changed weight is more than the layer's own."""
        change: Tensor = self.change().to(weight.dtype) * self.scalar
        return (weight + change) - weight

    def forward(self, x: Tensor) -> Tensor:
        """Add to the layer's own result."""
        result: Tensor = self.original(x)
        change = self.difference(self.layers[0].weight.detach())
        added: Tensor = self.op(x, change.to(x.dtype), None, **self.given)
        return result + added


class KroneckerFactors(RebuiltWeight):
    """LoKr: both factors whole where the rank is no saving, or the larger one of a rank."""

    def __init__(self, layer: Any, rank: int, dtype: torch.dtype, *, factor: int, full_matrix: bool) -> None:
        super().__init__(layer)
        rows, columns, *kernel = self.shape
        small_rows, large_rows = divided(rows, factor)
        small_columns, large_columns = divided(columns, factor)
        self.small = nn.Parameter(torch.empty(small_rows, small_columns, dtype=dtype))
        self.whole = full_matrix or rank >= max(large_rows, large_columns) / 2
        if self.whole:
            self.large = nn.Parameter(torch.empty(large_rows, large_columns, *kernel, dtype=dtype))
        else:
            self.up = nn.Parameter(torch.empty(large_rows, rank, dtype=dtype))
            self.down = nn.Parameter(torch.empty(rank, large_columns * prod(kernel), dtype=dtype))

    def change(self) -> Tensor:
        """Return the factors' Kronecker product, scaled where a rank is in it."""
        if not self.whole:
            return (torch.kron(self.small, self.up @ self.down) * 0.5).view(self.shape)
        small = self.small.view(*self.small.shape, *[1] * (self.large.dim() - 2))
        return torch.kron(small, self.large).view(self.shape)


class _ElementwiseProduct(torch.autograd.Function):
    """(up @ down) * (other_up @ other_down), of which only the factors are kept."""

    @staticmethod
    def forward(ctx: Any, down: Tensor, up: Tensor, other_down: Tensor, other_up: Tensor) -> Tensor:
        ctx.save_for_backward(down, up, other_down, other_up)
        return ((up @ down) * (other_up @ other_down)) * 0.5

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:
        down, up, other_down, other_up = ctx.saved_tensors
        gradient = gradients[0] * 0.5
        inner = gradient * (other_up @ other_down)
        of_up, of_down = inner @ down.T, up.T @ inner
        inner = gradient * (up @ down)
        return of_down, of_up, other_up.T @ inner, inner @ other_down.T


class HadamardFactors(RebuiltWeight):
    """LoHa: two pairs of factors of a rank."""

    def __init__(self, layer: Any, rank: int, dtype: torch.dtype) -> None:
        super().__init__(layer)
        rows, columns = self.shape[0], prod(self.shape[1:])
        self.factors = nn.ParameterList(
            nn.Parameter(torch.empty(*shape, dtype=dtype)) for shape in [(rank, columns), (rows, rank)] * 2
        )

    def change(self) -> Tensor:
        """Return the product of both pairs' products."""
        changed: Tensor = _ElementwiseProduct.apply(*self.factors)
        return changed.reshape(self.shape)


class LowRankFactors(RebuiltWeight):
    """LoCon: one pair of factors of a rank."""

    def __init__(self, layer: Any, rank: int, dtype: torch.dtype) -> None:
        super().__init__(layer)
        self.up = nn.Parameter(torch.empty(self.shape[0], rank, dtype=dtype))
        self.down = nn.Parameter(torch.empty(rank, prod(self.shape[1:]), dtype=dtype))

    def change(self) -> Tensor:
        """Return the factors' product."""
        return (self.up * 1.0 @ self.down).view(self.shape)


class RowScales(RebuiltWeight):
    """IA3: a number for each row of a weight, whatever the rank."""

    def __init__(self, layer: Any, rank: int, dtype: torch.dtype) -> None:
        super().__init__(layer)
        del rank
        self.scales = nn.Parameter(torch.empty(self.shape[0], *[1] * len(self.shape[2:]), dtype=dtype))

    def difference(self, weight: Tensor) -> Tensor:
        """Return what the scaled weight is more than the layer's own."""
        scaled = (weight.transpose(0, 1) * (self.scales * 1.0 + 1)).transpose(0, 1)
        return scaled.to(weight.dtype) - weight


OF_A_RANK: Final[Mapping[str, Callable[[Any, int, torch.dtype], RebuiltWeight]]] = {
    LOHA: HadamardFactors, LOCON: LowRankFactors, IA3: RowScales
}  # fmt: skip
"""Kinds that their rank alone decides."""


def add_rebuilt_weights(
    net: nn.Module, kind: str, parts: Sequence[str], ranks: tuple[int, int], dtype: torch.dtype, *,
    factor: int, full_matrix: bool,
) -> nn.ModuleList:  # fmt: skip
    """Put adapters of a kind on the layers of a network that lie in its named parts; return them.

    `ranks`: of linear layers and 1x1 convolutions, and of wider ones, which 0 leaves alone.
    """
    made = nn.ModuleList()
    for layer, rank in layers_of(net, parts, ranks):
        adapter = (
            KroneckerFactors(layer, rank, dtype, factor=factor, full_matrix=full_matrix)
            if kind == LOKR
            else OF_A_RANK[kind](layer, rank, dtype)
        )
        layer.forward = adapter.forward
        made.append(adapter)
    return made


def layers_of(net: nn.Module, parts: Sequence[str], ranks: tuple[int, int]) -> Iterator[tuple[Any, int]]:
    """Return the layers in named parts of a network that get an adapter, each with its rank."""
    for name, layer in list(net.named_modules()):
        if not isinstance(layer, nn.Linear | nn.Conv2d) or not any(part in f"{name}." for part in parts):
            continue
        if rank := ranks[isinstance(layer, nn.Conv2d) and layer.kernel_size != (1, 1)]:
            yield layer, rank


def divided(size: int, factor: int) -> tuple[int, int]:
    """Return a size as a product of two, the smaller first: the factor itself where it divides the size.

    Otherwise the divisors nearest to each other, of which the smaller is no more than the factor (-1: any).
    """
    if factor > 0 and size % factor == 0:
        return min(factor, size // factor), max(factor, size // factor)
    most = size if factor < 0 else factor
    small = max(
        part for part in range(1, int(size**0.5) + 1) if size % part == 0 and (part <= most or part == 1)
    )
    return small, size // small

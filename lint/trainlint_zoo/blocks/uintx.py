# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Linear layers whose frozen weights are stored in two to seven bits, packed into bytes.

Read: ostris/ai-toolkit 27a03a9, toolkit/util/uintx_quant.py, toolkit/util/ostris_quant.py. Every 64 weights
share a scale and a zero point. The forward unpacks them to bytes and restores the whole weight, which is held
for the backward: the product knows nothing of where it came from.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

BITS: Final = {f"uint{bits}": bits for bits in range(2, 8)}
"""ai-toolkit's names -> bits of a weight; its uint8 leaves layers as they are."""
GROUP: Final = 64
"""Weights that share a scale."""
SHARDS: Final = (4, 2, 1)
"""Bits of a weight that lie together: 3 bits are 2 in one place and 1 in another."""


class PackedLinear(nn.Linear):
    """y = x W^T + b with W in few bits; only the input gets a gradient."""

    scales: Tensor
    zero_points: Tensor

    def __init__(self, linear: nn.Linear, bits: int) -> None:
        nn.Module.__init__(self)  # its weights are those of `linear`
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weights = linear.weight.numel()
        self.shards = tuple(shard for shard in SHARDS if bits & shard)
        packed = sum(-(-self.weights * shard // 8) for shard in self.shards)
        self.weight = nn.Parameter(torch.empty(packed, dtype=torch.uint8), requires_grad=False)
        bias = None if linear.bias is None else nn.Parameter(linear.bias.detach(), requires_grad=False)
        self.register_parameter("bias", bias)
        groups = (self.out_features, self.in_features // GROUP)
        self.register_buffer("scales", torch.empty(groups, dtype=linear.weight.dtype))
        self.register_buffer("zero_points", torch.empty(groups, dtype=torch.uint8))

    def unpacked(self) -> Tensor:
        """Return each weight as a byte."""
        device = self.weight.device
        first, *others = (torch.empty(self.weights, dtype=torch.uint8, device=device) for _ in self.shards)
        for other in others:
            first |= other
        return first

    def restored(self) -> Tensor:
        """Return the weight in the precision of the scales."""
        grouped = self.unpacked().view(self.out_features, -1, GROUP).to(self.scales.dtype)
        grouped -= self.zero_points.to(self.scales.dtype).unsqueeze(-1)
        grouped *= self.scales.unsqueeze(-1)
        return grouped.view(self.out_features, self.in_features)

    def forward(self, x: Tensor) -> Tensor:
        """Multiply by the restored weight."""
        with torch.no_grad():
            weight = self.restored().to(x.dtype)
        return F.linear(x, weight, self.bias)


def in_few_bits(module: nn.Module, kind: str) -> None:
    """Put the linear layers of a module into few bits, but those whose inputs are no whole groups."""
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and child.in_features % GROUP == 0:
                setattr(parent, name, PackedLinear(child, BITS[kind]))

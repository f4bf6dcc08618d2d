# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: HiT-SR authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""A bias per head from relative coordinates, by a small network."""

from __future__ import annotations

from torch import Tensor, nn


class PositionBias(nn.Module):
    """A network from relative coordinates to one bias per head."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        width = dim // 4
        self.pos_proj = nn.Linear(2, width)
        outs = (width, width, heads)
        self.layers = nn.Sequential(
            *(
                nn.Sequential(nn.LayerNorm(width), nn.ReLU(inplace=True), nn.Linear(width, out))
                for out in outs
            )
        )

    def forward(self, biases: Tensor) -> Tensor:
        out: Tensor = self.layers(self.pos_proj(biases))
        return out

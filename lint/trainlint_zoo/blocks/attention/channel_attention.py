# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Channel attention: every channel weighed by what its mean says of all of them.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/rcan_arch.py.
"""

from __future__ import annotations

from torch import Tensor, nn


class ChannelAttention(nn.Module):
    """Scale every channel by a gate computed from its mean."""

    def __init__(self, num_feat: int, squeeze_factor: int) -> None:
        super().__init__()
        squeezed = num_feat // squeeze_factor
        self.attention = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(num_feat, squeezed, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(squeezed, num_feat, 1),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor) -> Tensor:
        gate: Tensor = self.attention(x)
        return x * gate

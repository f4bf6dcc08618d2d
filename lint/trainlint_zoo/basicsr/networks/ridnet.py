# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""RIDNet: denoising by merge-and-run units and channel attention.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/ridnet_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.channel_attention import ChannelAttention
from trainlint_zoo.blocks.residual import RGB_MEAN, ResidualBlockNoBN

BUILDERS = {"RIDNet": "RIDNet"}

SQUEEZE = 16


def convolved(cin: int, cout: int, dilations: Sequence[int]) -> nn.Sequential:
    """Return 3x3 convolutions of these dilations, each with an activation in place."""
    layers: list[nn.Module] = []
    for dilation in dilations:
        layers += [nn.Conv2d(cin, cout, 3, 1, dilation, dilation), nn.ReLU(inplace=True)]
        cin = cout
    return nn.Sequential(*layers)


class MergeRun(nn.Module):
    """Two branches of dilated convolutions, merged and added to the input."""

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__()
        self.dilation1 = convolved(cin, cout, (1, 2))
        self.dilation2 = convolved(cin, cout, (3, 4))
        self.aggregation = convolved(cout * 2, cout, (1,))

    def forward(self, x: Tensor) -> Tensor:
        dilation1 = self.dilation1(x)
        dilation2 = self.dilation2(x)
        out = torch.cat([dilation1, dilation2], dim=1)
        out = self.aggregation(out)
        result: Tensor = out + x
        return result


class EnhancedBlock(nn.Module):
    """Three convolutions in a residual, and an activation after it."""

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__()
        self.body = nn.Sequential(*convolved(cin, cout, (1,)), *convolved(cout, cout, (1,)))
        self.body.append(nn.Conv2d(cout, cout, 1))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        out = self.body(x)
        result: Tensor = self.relu(out + x)
        return result


class EAM(nn.Module):
    """Merge-and-run unit, two residual blocks, channel attention."""

    def __init__(self, cin: int, mid: int, cout: int) -> None:
        super().__init__()
        self.merge = MergeRun(cin, mid)
        self.block1 = ResidualBlockNoBN(mid)
        self.block2 = EnhancedBlock(mid, cout)
        self.ca = ChannelAttention(cout, SQUEEZE)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        out = self.merge(x)
        out = self.relu(self.block1(out))
        out = self.block2(out)
        result: Tensor = self.ca(out)
        return result


class RIDNet(nn.Module):
    """Shift of the mean, head, units, tail, shift back, and the input added; the shifts are trained too."""

    def __init__(
        self,
        *,
        in_channels: Positive,
        mid_channels: Positive,
        out_channels: Positive,
        num_block: Positive = 4,
        img_range: float = 255.0,
        rgb_mean: Sequence[float] = RGB_MEAN,
        rgb_std: Sequence[float] = (1.0, 1.0, 1.0),
    ) -> None:
        super().__init__()
        del img_range, rgb_mean, rgb_std  # values of the shifts' weights
        self.sub_mean, self.add_mean = nn.Conv2d(3, 3, 1), nn.Conv2d(3, 3, 1)
        self.head = nn.Conv2d(in_channels, mid_channels, 3, 1, 1)
        self.body = nn.Sequential(*(EAM(mid_channels, mid_channels, mid_channels) for _ in range(num_block)))
        self.tail = nn.Conv2d(mid_channels, out_channels, 3, 1, 1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        res = self.sub_mean(x)
        res = self.tail(self.body(self.relu(self.head(res))))
        res = self.add_mean(res)
        out: Tensor = x + res
        return out

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: SPAN authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""SPANPlus: SPAN's blocks with Mish, in groups, and a learnt upsampling.

Source: muslll/neosr de9c33cc, neosr/archs/spanplus_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.parameter_free_attention import Conv3XC
from trainlint_zoo.blocks.sampling import GROUPS, DySample, conv3

BUILDERS = {
    "neosr:spanplus": "SPANPlus",
    "neosr:spanplus_s": "spanplus_s",
    "neosr:spanplus_st": "spanplus_st",
    "neosr:spanplus_sts": "spanplus_sts",
}

Tail = Literal["dys", "ps", "conv"]


class SPAB(nn.Module):
    """Three convolutions whose result, squashed, gates itself; the last one returns its first result too."""

    def __init__(self, channels: int, *, end: bool = False) -> None:
        super().__init__()
        self.c1_r, self.c2_r, self.c3_r = (Conv3XC(channels, channels) for _ in range(3))
        self.act1 = nn.Mish(inplace=True)
        self.end = end

    def forward(self, x: Tensor) -> Any:
        out1 = self.c1_r(x)
        out1_act = self.act1(out1)
        out2 = self.c2_r(out1_act)
        out2_act = self.act1(out2)
        out3 = self.c3_r(out2_act)
        attention = torch.sigmoid(out3) - 0.5
        out = (out3 + x) * attention
        return (out, out1) if self.end else out


class SPABS(nn.Module):
    """A group: four of its tensors are concatenated."""

    def __init__(self, channels: int, blocks: int, drop: float) -> None:
        super().__init__()
        self.block_1 = SPAB(channels)
        self.block_n = nn.Sequential(*(SPAB(channels) for _ in range(blocks)))
        self.block_end = SPAB(channels, end=True)
        self.conv_2 = Conv3XC(channels, channels)
        self.conv_cat = nn.Conv2d(channels * 4, channels, 1)
        self.dropout = nn.Dropout2d(drop)

    def forward(self, x: Tensor) -> Tensor:
        out_b1 = self.block_1(x)
        out_x = self.block_n(out_b1)
        out_end, out_x_2 = self.block_end(out_x)
        out_end = self.dropout(self.conv_2(out_end))
        out: Tensor = self.conv_cat(torch.cat([x, out_end, out_b1, out_x_2], 1))
        return out


class SPANPlus(nn.Module):
    """Groups of blocks and one of three tails."""

    def __init__(
        self,
        *,
        num_in_ch: Positive = 3,
        num_out_ch: Positive = 3,
        blocks: Sequence[int] | int = (4,),
        feature_channels: Positive = 48,
        scale: Positive = 4,
        upscale: Positive | None = None,
        drop_rate: float = 0.0,
        upsampler: Tail = "dys",
    ) -> None:
        super().__init__()
        factor = upscale or scale
        out = num_out_ch if upsampler == "dys" else num_in_ch
        counts = [blocks] if isinstance(blocks, int) else blocks
        groups = (SPABS(feature_channels, count, drop_rate) for count in counts)
        self.feats = nn.Sequential(Conv3XC(num_in_ch, feature_channels), *groups)
        self.upsampler = _tail(upsampler, factor, feature_channels, out)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.upsampler(self.feats(x))
        return out


def _tail(kind: str, scale: int, channels: int, out: int) -> nn.Module:
    if kind == "dys":
        return DySample(channels, scale, GROUPS, out)
    if kind == "ps":
        return nn.Sequential(conv3(channels, out * scale**2), nn.PixelShuffle(scale))
    if scale != 1:
        raise ValueError("conv supports only 1x")
    return conv3(channels, out)


def spanplus_s(*, scale: Positive = 4, upsampler: Tail = "dys", drop_rate: float = 0.0) -> nn.Module:
    """Return SPANPlus with one group of two blocks, 32 channels."""
    return SPANPlus(blocks=[2], feature_channels=32, scale=scale, upsampler=upsampler, drop_rate=drop_rate)


def spanplus_st(*, scale: Positive = 4, feature_channels: Positive = 48, drop_rate: float = 0.0) -> nn.Module:
    """Return SPANPlus with a pixel shuffle."""
    return SPANPlus(feature_channels=feature_channels, scale=scale, upsampler="ps", drop_rate=drop_rate)


def spanplus_sts(*, scale: Positive = 4, drop_rate: float = 0.0) -> nn.Module:
    """Return the small SPANPlus with a pixel shuffle."""
    return SPANPlus(blocks=[2], feature_channels=32, scale=scale, upsampler="ps", drop_rate=drop_rate)

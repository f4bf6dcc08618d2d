# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ParagonSR2 authors
# SPDX-License-Identifier: MIT

"""ParagonSR2 static (history version 4): fixed kernels and channel gates, Magic Kernel on features, HR head.

Source: Phhofm/ParagonSR2 921e57d1, history version 4 (layers and parameter counts); the fast body, which
halves groups and blocks, is on by default up to `s`.
"""

from __future__ import annotations

from functools import partial

from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.layer_scale import LayerScale
from trainlint_zoo.blocks.paragon import ChannelGate, FeatureUpsampler, InceptionDepthwise

BUILDERS = {
    "trainner-redux:paragonsr2_static_micro": "micro",
    "trainner-redux:paragonsr2_static_nano": "nano",
    "trainner-redux:paragonsr2_static_s": "s",
}


class Block(nn.Module):
    """Context, then pointwise and depthwise mixing with a channel gate; GroupNorm without parameters."""

    def __init__(self, dim: int, ffn: float, band: int, *, norm: bool) -> None:
        super().__init__()
        hidden = int(dim * ffn)
        self.context, self.ls1 = InceptionDepthwise(dim, band), LayerScale(dim)
        self.transformer = nn.Sequential(
            nn.Conv2d(dim, hidden, 1), nn.Conv2d(hidden, hidden, 3, padding=1, groups=hidden),
            nn.LeakyReLU(0.1, inplace=True), nn.Conv2d(hidden, hidden, 1), ChannelGate(hidden),
            nn.Conv2d(hidden, dim, 1),
        )  # fmt: skip
        self.ls2 = LayerScale(dim)
        self.norm = nn.GroupNorm(1, dim, affine=False) if norm else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.ls1(self.context(x))
        result: Tensor = self.norm(x + self.ls2(self.transformer(x)))
        return result


def micro(
    scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 1, **_ignored: object
) -> nn.Module:
    """12,019 parameters at scale 2."""
    return FeatureUpsampler(
        scale, 16, 1, 1, partial(Block, 16, 1.2, 7, norm=False), upsampler_alpha, hr_blocks, norm=False
    )


def nano(
    scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 1, **_ignored: object
) -> nn.Module:
    """27,042 parameters at scale 2."""
    return FeatureUpsampler(
        scale, 24, 1, 1, partial(Block, 24, 1.5, 9, norm=True), upsampler_alpha, hr_blocks, norm=True
    )


def s(scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 2, **_ignored: object) -> nn.Module:
    """177,819 parameters at scale 2."""
    return FeatureUpsampler(
        scale, 48, 1, 2, partial(Block, 48, 2.0, 11, norm=True), upsampler_alpha, hr_blocks, norm=True
    )

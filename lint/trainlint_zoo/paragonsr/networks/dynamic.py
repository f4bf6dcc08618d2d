# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ParagonSR2 authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ParagonSR2 with dynamic kernels (the fork's first two versions): LR body, Magic Kernel, HR head.

`v1` modulates channels cheaply in half-size bodies; `v2` (the fork's HEAD of November 2025) predicts a
depthwise kernel per sample. Source: Phhofm/traiNNer-redux 2f64430b and its history.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.paragon import ChannelGate, FeatureUpsampler, InceptionDepthwise, LayerScale

BUILDERS = {
    "trainner-redux:paragonsr2_nano@v2": "nano",
    "trainner-redux:paragonsr2_xs@v2": "xs",
    "trainner-redux:paragonsr2_s@v2": "s",
    "trainner-redux:paragonsr2_m@v2": "m",
    "trainner-redux:paragonsr2_l@v2": "l",
    "trainner-redux:paragonsr2_xl@v2": "xl",
    "trainner-redux:paragonsr2_nano@v1": "nano_v1",
}


class SampleKernels(nn.Module):
    """Predicts a 3x3 depthwise kernel per sample and channel and applies it as one grouped convolution."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.predictor = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(dim, dim, 1), nn.ReLU(inplace=True), nn.Conv2d(dim, dim * 9, 1)
        )
        self.register_buffer("identity_kernel", torch.zeros(dim, 1, 3, 3))
        self.register_buffer("tracked_kernel", torch.zeros(dim, 1, 3, 3))
        self.register_buffer("tracked_initialized", torch.zeros((), dtype=torch.bool))

    def forward(self, x: Tensor) -> Tensor:
        b, c, h, w = x.shape
        kernels = self.predictor(x).reshape(b * c, 1, 3, 3)
        return F.conv2d(x.reshape(1, b * c, h, w), kernels, padding=1, groups=b * c).reshape(b, c, h, w)


class Block(nn.Module):
    """Context and transformer, each with its layer scale and residual."""

    def __init__(self, dim: int, ffn: float, band: int, *, cheap: bool) -> None:
        super().__init__()
        hidden = int(dim * ffn)
        self.context, self.ls1 = InceptionDepthwise(dim, band), LayerScale(dim)
        self.project_in, self.project_out = nn.Conv2d(dim, hidden, 1), nn.Conv2d(hidden, dim, 1)
        self.mix = ChannelGate(hidden) if cheap else SampleKernels(hidden)
        self.act, self.ls2 = nn.LeakyReLU(0.1, inplace=True), LayerScale(dim)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.ls1(self.context(x))
        result: Tensor = x + self.ls2(self.project_out(self.act(self.mix(self.project_in(x)))))
        return result


def nano(
    scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 1, **_ignored: object
) -> nn.Module:
    """N1, the fork's HEAD: 83,715 parameters at any scale."""
    return FeatureUpsampler(
        scale, 24, 2, 2, partial(Block, 24, 1.5, 9, cheap=False), upsampler_alpha, hr_blocks
    )


def nano_v1(
    scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 1, **_ignored: object
) -> nn.Module:
    """Return the first history version with its default fast body (halved): 25,350 parameters."""
    return FeatureUpsampler(
        scale, 24, 1, 1, partial(Block, 24, 1.5, 9, cheap=True), upsampler_alpha, hr_blocks, norm=True
    )


def xs(
    scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 1, **_ignored: object
) -> nn.Module:
    """200,755 parameters."""
    return FeatureUpsampler(
        scale, 32, 2, 3, partial(Block, 32, 1.5, 11, cheap=False), upsampler_alpha, hr_blocks
    )


def s(scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 2, **_ignored: object) -> nn.Module:
    """1,361,859 parameters."""
    return FeatureUpsampler(
        scale, 48, 3, 4, partial(Block, 48, 2.0, 11, cheap=False), upsampler_alpha, hr_blocks
    )


def m(scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 2, **_ignored: object) -> nn.Module:
    """4,597,699 parameters."""
    return FeatureUpsampler(
        scale, 64, 4, 6, partial(Block, 64, 2.0, 13, cheap=False), upsampler_alpha, hr_blocks
    )


def l(scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 3, **_ignored: object) -> nn.Module:  # noqa: E743 - named after its size, like s, m and xl
    """20,275,491 parameters."""
    return FeatureUpsampler(
        scale, 96, 6, 8, partial(Block, 96, 2.0, 15, cheap=False), upsampler_alpha, hr_blocks
    )


def xl(
    scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 3, **_ignored: object
) -> nn.Module:
    """59,172,227 parameters."""
    return FeatureUpsampler(
        scale, 128, 8, 10, partial(Block, 128, 2.0, 15, cheap=False), upsampler_alpha, hr_blocks
    )

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ParagonSR2 authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ParagonSR2 with dynamic kernels (the fork's first two versions): LR body, Magic Kernel, HR head.

`v1` modulates channels cheaply in half-size bodies; `v2` (the fork's HEAD of November 2025) predicts a
depthwise kernel per sample. Source: Phhofm/traiNNer-redux 2f64430b and its history.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.signature import Positive
from trainlint_zoo.blocks.magic_kernel import MagicUpsample

BUILDERS = {
    "trainner-redux:paragonsr2_nano@v2": "nano",
    "trainner-redux:paragonsr2_xs@v2": "xs",
    "trainner-redux:paragonsr2_s@v2": "s",
    "trainner-redux:paragonsr2_m@v2": "m",
    "trainner-redux:paragonsr2_l@v2": "l",
    "trainner-redux:paragonsr2_xl@v2": "xl",
    "trainner-redux:paragonsr2_nano@v1": "nano_v1",
}


class InceptionDepthwise(nn.Module):
    """An identity share and three depthwise branches: square, horizontal band, vertical band."""

    def __init__(self, dim: int, band: int) -> None:
        super().__init__()
        part = max(1, dim // 8)
        self.split = [dim - 3 * part, part, part, part]
        self.square = nn.Conv2d(part, part, 3, padding=1, groups=part)
        self.wide = nn.Conv2d(part, part, (1, band), padding=(0, band // 2), groups=part)
        self.tall = nn.Conv2d(part, part, (band, 1), padding=(band // 2, 0), groups=part)

    def forward(self, x: Tensor) -> Tensor:
        kept, square, wide, tall = torch.split(x, self.split, dim=1)
        return torch.cat((kept, self.square(square), self.wide(wide), self.tall(tall)), dim=1)


class LayerScale(nn.Module):
    """Per-channel gain applied in channels-last order: two copies per call."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.full((dim,), 1e-5))

    def forward(self, x: Tensor) -> Tensor:
        x = x.permute(0, 2, 3, 1).contiguous()
        return (x * self.gamma).permute(0, 3, 1, 2).contiguous()


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


class ChannelGate(nn.Module):
    """Squeeze-and-excitation, the cheap stand-in for dynamic kernels."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        inner = max(1, dim // 4)
        self.net = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(dim, inner, 1), nn.ReLU(inplace=True),
            nn.Conv2d(inner, dim, 1), nn.Sigmoid(),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = x * self.net(x)
        return result


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


class Group(nn.Module):
    """Blocks with one outer residual."""

    def __init__(self, blocks: list[nn.Module]) -> None:
        super().__init__()
        self.blocks = nn.Sequential(*blocks)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.blocks(x) + x
        return result


class HighResBlock(nn.Module):
    """Two 3x3 convolutions at the output's resolution; `norm` puts a parameter-free GroupNorm before each."""

    def __init__(self, dim: int, *, norm: bool) -> None:
        super().__init__()
        self.norm1, self.norm2 = (
            (nn.GroupNorm(1, dim, affine=False) if norm else nn.Identity()) for _ in range(2)
        )
        self.conv1, self.conv2 = nn.Conv2d(dim, dim, 3, padding=1), nn.Conv2d(dim, dim, 3, padding=1)
        self.act = nn.LeakyReLU(0.1, inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = x + self.conv2(self.norm2(self.act(self.conv1(self.norm1(x)))))
        return result


class FeatureUpsampler(nn.Module):
    """A body of `block`s, Magic Kernel on its features, HR head: (batch, 3, h, w) -> scale times the side."""

    def __init__(  # noqa: PLR0917 - the published order
        self, scale: int, dim: int, groups: int, blocks: int, block: Callable[[], nn.Module], alpha: float,
        hr_blocks: int, *, norm: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.conv_in = nn.Conv2d(3, dim, 3, padding=1)
        self.body = nn.Sequential(*(Group([block() for _ in range(blocks)]) for _ in range(groups)))
        self.conv_fuse = nn.Conv2d(dim, dim, 3, padding=1)
        self.magic_upsampler = MagicUpsample(dim, scale, alpha)
        self.hr_conv_in = nn.Conv2d(dim, dim, 3, padding=1)
        self.hr_head = nn.Sequential(*(HighResBlock(dim, norm=norm) for _ in range(hr_blocks)))
        self.conv_out = nn.Conv2d(dim, 3, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        shallow = self.conv_in(x)
        fused = self.conv_fuse(self.body(shallow)) + shallow
        result: Tensor = self.conv_out(self.hr_head(self.hr_conv_in(self.magic_upsampler(fused))))
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


def l(scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 3, **_ignored: object) -> nn.Module:  # noqa: E743
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

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ParagonSR2 authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Blocks of the ParagonSR family: inception-style depthwise convolutions, gates, gains, upsampling."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from trainlint_zoo.blocks.magic_kernel import MagicUpsample


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

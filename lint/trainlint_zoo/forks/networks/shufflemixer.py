# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2022 Long Sun
# SPDX-License-Identifier: MIT

"""ShuffleMixer: large depthwise convolutions between channel mixers that shuffle half of the channels.

Source: sunny2109/ShuffleMixer f9aa3a61, basicsr/archs/shufflemixer_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.windows import image, tokens

BUILDERS = {"ShuffleMixer": "ShuffleMixer"}

EPSILON = 1e-5
GROUPS = 8
"""Channels are shuffled across so many groups."""
EXTRA_CHANNELS = 16
"""Channels by which a block's convolution widens."""


class Scale(nn.Module):
    """What a normalization learns: a factor per channel."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(dim))


class ChannelNorm(nn.Module):
    """Normalize the channels of every pixel, written out in elementary operators, without a bias."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.body = Scale(dim)

    def forward(self, x: Tensor) -> Tensor:
        return image(self.normalize(tokens(x)), (x.shape[2], x.shape[3]))

    def normalize(self, x: Tensor) -> Tensor:
        """Work on (b, pixels, c)."""
        mu = x.mean(-1, keepdim=True)
        sigma = x.var(-1, keepdim=True, unbiased=False)
        return (x - mu) / torch.sqrt(sigma + EPSILON) * self.body.weight


class SplitMlp(nn.Module):
    """Mix half of the channels, then shuffle all."""

    def __init__(self, dim: int, mlp_ratio: float) -> None:
        super().__init__()
        hidden = int(dim // 2 * mlp_ratio)
        self.fc = nn.Sequential(
            nn.Conv2d(dim // 2, hidden, 1), nn.SiLU(inplace=True), nn.Conv2d(hidden, dim // 2, 1)
        )

    def forward(self, x: Tensor) -> Tensor:
        x1, x2 = x.chunk(2, dim=1)
        x1 = self.fc(x1)
        x = torch.cat([x1, x2], dim=1)
        b, c, h, w = x.shape
        return x.view(b, GROUPS, c // GROUPS, h, w).transpose(1, 2).reshape(b, c, h, w)


class Layer(nn.Module):
    """Two mixers with a depthwise convolution between them."""

    def __init__(self, dim: int, kernel: int, mlp_ratio: float) -> None:
        super().__init__()
        self.norm1, self.norm2 = ChannelNorm(dim), ChannelNorm(dim)
        self.spatial = nn.Conv2d(dim, dim, kernel, 1, kernel // 2, groups=dim)
        self.mlp1, self.mlp2 = SplitMlp(dim, mlp_ratio), SplitMlp(dim, mlp_ratio)

    def forward(self, x: Tensor) -> Tensor:
        x = self.mlp1(self.norm1(x)) + x
        x = self.spatial(x)
        out: Tensor = self.mlp2(self.norm2(x)) + x
        return out


class Block(nn.Module):
    """Two layers and two convolutions, each pair in a residual."""

    def __init__(self, dim: int, kernel: int, mlp_ratio: float) -> None:
        super().__init__()
        self.net = nn.Sequential(Layer(dim, kernel, mlp_ratio), Layer(dim, kernel, mlp_ratio))
        self.conv = nn.Sequential(
            nn.Conv2d(dim, dim + EXTRA_CHANNELS, 3, 1, 1),
            nn.SiLU(inplace=True),
            nn.Conv2d(dim + EXTRA_CHANNELS, dim, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.net(x) + x
        out: Tensor = self.conv(x) + x
        return out


class ShuffleMixer(nn.Module):
    """Blocks, pixel shuffles, and the enlarged image added."""

    def __init__(
        self,
        *,
        n_feats: Positive = 64,
        kernel_size: Positive = 7,
        n_blocks: Positive = 5,
        mlp_ratio: float = 2,
        upscaling_factor: Positive = 4,
    ) -> None:
        super().__init__()
        self.scale = upscaling_factor
        self.to_feat = nn.Conv2d(3, n_feats, 3, 1, 1, bias=False)
        self.blocks = nn.Sequential(*(Block(n_feats, kernel_size, mlp_ratio) for _ in range(n_blocks)))
        layers: list[nn.Module] = []
        for step in [2, 2] if upscaling_factor == 4 else [upscaling_factor]:
            layers += [nn.Conv2d(n_feats, n_feats * step**2, 1), nn.PixelShuffle(step), nn.SiLU(inplace=True)]
        self.upsapling = nn.Sequential(*layers)  # the published spelling
        self.tail = nn.Conv2d(n_feats, 3, 3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        base = x
        x = self.to_feat(x)
        x = self.blocks(x)
        x = self.upsapling(x)
        x = self.tail(x)
        base = F.interpolate(base, scale_factor=self.scale, mode="bilinear", align_corners=False)
        return x + base

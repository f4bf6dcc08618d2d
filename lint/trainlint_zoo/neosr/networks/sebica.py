# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 idiosyncracies
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Sebica: a light network with a spatial weight and channel weights read in both directions.

Source: 0ZL0/neosr 6c0333df, neosr/archs/sebica_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive

BUILDERS = {"neosr:sebica": "Sebica", "neosr:sebica_mini": "sebica_mini"}


class Spatial(nn.Sequential):
    """A weight per pixel from the channels' mean and maximum."""

    def __init__(self) -> None:
        super().__init__(nn.Conv2d(2, 1, 7, padding=3, bias=False), nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        mean = torch.mean(x, dim=1, keepdim=True)
        most, _ = torch.max(x, dim=1, keepdim=True)
        out: Tensor = super().forward(torch.cat([mean, most], dim=1))
        return out


class SECA(nn.Module):
    """The spatial weight and a squeeze-and-excite gate."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.spatial_attention = Spatial()
        self.channel_attention = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(width, width // 8, 1, bias=False),
            nn.ReLU(inplace=True),
            nn.Conv2d(width // 8, width, 1, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor) -> Tensor:
        spatial = self.spatial_attention(x)
        out: Tensor = x * spatial * self.channel_attention(x)
        return out


def _direction() -> nn.Sequential:
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv1d(1, 1, 3, padding=1, bias=False), nn.Sigmoid())


class CSA(nn.Module):
    """The spatial weight and two one-number channel weights, spread over the image."""

    def __init__(self) -> None:
        super().__init__()
        self.spatial_attention = Spatial()
        self.channel_attention_forward = _direction()
        self.channel_attention_backward = _direction()

    def forward(self, x: Tensor) -> Tensor:
        spatial = self.spatial_attention(x)
        y = torch.mean(x, dim=(2, 3), keepdim=True).squeeze(-1).transpose(-1, -2)
        ahead = self.channel_attention_forward(y).transpose(-1, -2).unsqueeze(-1)
        back = self.channel_attention_backward(y.flip(dims=[1])).transpose(-1, -2).unsqueeze(-1)
        weight = ((ahead + back.flip(dims=[1])) / 2).expand_as(x)
        out: Tensor = x * spatial * weight
        return out


class Block(nn.Module):
    """Convolutions, attention, a pointwise network; the input is added in place."""

    def __init__(self, width: int, *, mini: bool) -> None:
        super().__init__()
        wide = width * 2
        self.pre_mixer = nn.Sequential(
            nn.Conv2d(width, wide, 1), nn.BatchNorm2d(wide), nn.ReLU(inplace=True),
            nn.Conv2d(wide, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
        )  # fmt: skip
        self.ffn = nn.Sequential(
            nn.Conv2d(width, wide, 1), nn.BatchNorm2d(wide), nn.GELU(),
            nn.Conv2d(wide, width, 1), nn.BatchNorm2d(width),
        )  # fmt: skip
        self.attn = SECA(width) if mini else CSA()
        self.norm1, self.norm2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.pre_mixer(x)
        out = self.norm1(out)
        out = self.attn(out)
        out = self.ffn(out) + out
        out = self.norm2(out)
        out += x
        return out


class Sebica(nn.Module):
    """Blocks, plus the clamped bilinear image."""

    def __init__(
        self,
        *,
        N: Positive = 16,  # noqa: N803  the config's name
        mini: bool = False,
        dropout: float = 0.0,
        scale: Positive = 4,
        sr_rate: Positive | None = None,
        **_: object,
    ) -> None:
        super().__init__()
        self.scale = sr_rate or scale
        self.head = nn.Sequential(nn.Conv2d(3, N, 3, padding=1), nn.BatchNorm2d(N), nn.ReLU(inplace=True))
        self.body = nn.Sequential(*(Block(N, mini=mini) for _ in range(4 if mini else 6)))
        last = nn.Conv2d(N, 3 * self.scale**2, 1)
        self.tail = nn.Sequential(last, nn.Dropout(dropout), nn.PixelShuffle(self.scale))

    def forward(self, x: Tensor) -> Tensor:
        h = self.tail(self.body(self.head(x)))
        base = F.interpolate(x, scale_factor=self.scale, mode="bilinear", align_corners=False)
        out: Tensor = h + torch.clamp(base, 0, 1)
        return out


def sebica_mini(*, scale: Positive = 4, sr_rate: Positive | None = None, **_: object) -> nn.Module:
    """Return the small Sebica."""
    return Sebica(N=8, mini=True, scale=scale, sr_rate=sr_rate)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Ross Wightman
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ConvNeXt-Tiny's four stages as frozen features, as timm's features_only gives them.

Source: Liu et al. 2022 (ConvNeXt-T), huggingface/pytorch-image-models, timm/models/convnext.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

WIDTHS, DEPTHS = (96, 192, 384, 768), (3, 3, 9, 3)


class ChannelsLastNorm(nn.LayerNorm):
    """Layer normalization over the channels of an image."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Block(nn.Module):
    """Depthwise 7x7, then a pointwise network on tokens, scaled, in a residual."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.conv_dw = nn.Conv2d(dim, dim, 7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.fc1, self.fc2 = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.act = nn.GELU()
        self.gamma = nn.Parameter(torch.empty(dim))

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x
        x = self.conv_dw(x)
        x = x.permute(0, 2, 3, 1)
        x = self.norm(x)
        x = self.fc1(x)
        x = self.act(x)
        x = self.fc2(x)
        x = x.permute(0, 3, 1, 2)
        x = x.mul(self.gamma.reshape(1, -1, 1, 1))
        return x + shortcut


class ConvNeXtTiny(nn.Module):
    """x (n, 3, h, w) -> the maps of its four stages, at a quarter of the size and less."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, WIDTHS[0], 4, 4), ChannelsLastNorm(WIDTHS[0], eps=1e-6))
        self.stages = nn.ModuleList()
        before = WIDTHS[0]
        for index, (width, depth) in enumerate(zip(WIDTHS, DEPTHS, strict=True)):
            down = [ChannelsLastNorm(before, eps=1e-6), nn.Conv2d(before, width, 2, 2)] if index else []
            self.stages.append(nn.Sequential(*down, *(Block(width) for _ in range(depth))))
            before = width
        self.requires_grad_(False).eval()

    def forward(self, x: Tensor) -> list[Tensor]:
        x = self.stem(x)
        features = []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        return features

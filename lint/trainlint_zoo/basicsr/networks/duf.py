# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""DUF: 3-D dense blocks over seven frames that predict an upsampling filter for every pixel.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/duf_arch.py.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive

BUILDERS = {"DUF": "DUF"}

LAYERS = {16: (3, 32), 28: (9, 16), 52: (21, 16)}
"""Layers -> dense blocks and their growth."""
FIRST, FILTER = 64, 5


def unit(width: int, grow: int, across: int) -> nn.Sequential:
    """Batch norm, ReLU, 1x1x1, batch norm, ReLU, 3x3x3 with `across` frames of padding."""
    return nn.Sequential(
        nn.BatchNorm3d(width), nn.ReLU(inplace=True), nn.Conv3d(width, width, 1),
        nn.BatchNorm3d(width), nn.ReLU(inplace=True), nn.Conv3d(width, grow, 3, 1, (across, 1, 1)),
    )  # fmt: skip


class DenseBlocks(nn.Module):
    """Units that each add channels to the concatenation of all before."""

    def __init__(self, blocks: int, width: int, grow: int) -> None:
        super().__init__()
        self.dense_blocks = nn.ModuleList([unit(width + i * grow, grow, 1) for i in range(blocks)])

    def forward(self, x: Tensor) -> Tensor:
        for block in self.dense_blocks:
            y = block(x)
            x = torch.cat((x, y), 1)
        return x


class DenseBlocksTemporalReduce(nn.Module):
    """Three units without temporal padding: seven frames become one."""

    def __init__(self, width: int, grow: int) -> None:
        super().__init__()
        self.temporal_reduce1 = unit(width, grow, 0)
        self.temporal_reduce2 = unit(width + grow, grow, 0)
        self.temporal_reduce3 = unit(width + 2 * grow, grow, 0)

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.temporal_reduce1(x)
        x1 = torch.cat((x[:, :, 1:-1], x1), 1)
        x2 = self.temporal_reduce2(x1)
        x2 = torch.cat((x1[:, :, 1:-1], x2), 1)
        x3 = self.temporal_reduce3(x2)
        return torch.cat((x2[:, :, 1:-1], x3), 1)


class DynamicUpsamplingFilter(nn.Module):
    """Applies a predicted 5x5 filter per pixel and sub-pixel to the centre frame."""

    def __init__(self) -> None:
        super().__init__()
        self.expansion = torch.zeros(3 * FILTER**2, 1, FILTER, FILTER, device="cpu")

    def forward(self, x: Tensor, filters: Tensor) -> Tensor:
        n, taps, cells, h, w = filters.shape
        expanded = F.conv2d(x, self.expansion.to(x), padding=FILTER // 2, groups=3)
        expanded = expanded.view(n, 3, taps, h, w).permute(0, 3, 4, 1, 2)
        filters = filters.permute(0, 3, 4, 1, 2)
        out = torch.matmul(expanded, filters)
        return out.permute(0, 3, 4, 1, 2).view(n, 3 * cells, h, w)


class DUF(nn.Module):
    """(b, 7, 3, h, w) -> the centre frame, (b, 3, scale x h, scale x w)."""

    def __init__(
        self,
        scale: Positive = 4,
        num_layer: Literal[16, 28, 52] = 52,
        adapt_official_weights: bool = False,  # noqa: ARG002  only the batch norms' constants
    ) -> None:
        super().__init__()
        self.scale = scale
        blocks, grow = LAYERS[num_layer]
        width = FIRST + grow * blocks
        self.conv3d1 = nn.Conv3d(3, FIRST, (1, 3, 3), 1, (0, 1, 1))
        self.dynamic_filter = DynamicUpsamplingFilter()
        self.dense_block1 = DenseBlocks(blocks, FIRST, grow)
        self.dense_block2 = DenseBlocksTemporalReduce(width, grow)
        self.bn3d2 = nn.BatchNorm3d(width + 3 * grow)
        self.conv3d2 = nn.Conv3d(width + 3 * grow, 256, (1, 3, 3), 1, (0, 1, 1))
        self.conv3d_r1, self.conv3d_r2 = nn.Conv3d(256, 256, 1), nn.Conv3d(256, 3 * scale**2, 1)
        self.conv3d_f1, self.conv3d_f2 = nn.Conv3d(256, 512, 1), nn.Conv3d(512, FILTER**2 * scale**2, 1)

    def forward(self, x: Tensor) -> Tensor:
        b, frames, _, h, w = x.shape
        x = x.permute(0, 2, 1, 3, 4)
        center = x[:, :, frames // 2]
        x = self.conv3d1(x)
        x = self.dense_block1(x)
        x = self.dense_block2(x)
        x = F.relu(self.bn3d2(x), inplace=True)
        x = F.relu(self.conv3d2(x), inplace=True)
        residual = self.conv3d_r2(F.relu(self.conv3d_r1(x), inplace=True))
        filters = self.conv3d_f2(F.relu(self.conv3d_f1(x), inplace=True))
        filters = F.softmax(filters.view(b, FILTER**2, self.scale**2, h, w), dim=1)
        out = self.dynamic_filter(center, filters)
        out += residual.squeeze_(2)
        return F.pixel_shuffle(out, self.scale)

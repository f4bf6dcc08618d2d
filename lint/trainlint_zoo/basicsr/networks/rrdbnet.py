# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""RRDBNet: residual in residual dense blocks (ESRGAN, Real-ESRGAN).

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/rrdbnet_arch.py.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.dense import RESIDUAL, DenseBlock
from trainlint_zoo.blocks.residual import pixel_unshuffle

BUILDERS = {"RRDBNet": "RRDBNet"}


class RRDB(nn.Module):
    """Three dense blocks in a residual."""

    def __init__(self, num_feat: int, grow: int) -> None:
        super().__init__()
        self.rdb1 = DenseBlock(num_feat, grow)
        self.rdb2 = DenseBlock(num_feat, grow)
        self.rdb3 = DenseBlock(num_feat, grow)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.rdb1(x)
        out = self.rdb2(out)
        out = self.rdb3(out)
        return out * RESIDUAL + x


class RRDBNet(nn.Module):
    """x4 by two nearest upsamplings; scales 2 and 1 shrink the input by pixel-unshuffle first."""

    def __init__(
        self,
        *,
        num_in_ch: Positive,
        num_out_ch: Positive,
        scale: Positive = 4,
        num_feat: Positive = 64,
        num_block: Positive = 23,
        num_grow_ch: Positive = 32,
    ) -> None:
        super().__init__()
        self.shrink = {1: 4, 2: 2}.get(scale, 1)
        self.conv_first = nn.Conv2d(num_in_ch * self.shrink**2, num_feat, 3, 1, 1)
        self.body = nn.Sequential(*(RRDB(num_feat, num_grow_ch) for _ in range(num_block)))
        self.conv_body = nn.Conv2d(num_feat, num_feat, 3, 1, 1)
        self.conv_up1 = nn.Conv2d(num_feat, num_feat, 3, 1, 1)
        self.conv_up2 = nn.Conv2d(num_feat, num_feat, 3, 1, 1)
        self.conv_hr = nn.Conv2d(num_feat, num_feat, 3, 1, 1)
        self.conv_last = nn.Conv2d(num_feat, num_out_ch, 3, 1, 1)
        self.lrelu = nn.LeakyReLU(0.2, inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        feat = pixel_unshuffle(x, self.shrink) if self.shrink > 1 else x
        feat = self.conv_first(feat)
        body = self.conv_body(self.body(feat))
        feat = feat + body
        feat = self.lrelu(self.conv_up1(F.interpolate(feat, scale_factor=2, mode="nearest")))
        feat = self.lrelu(self.conv_up2(F.interpolate(feat, scale_factor=2, mode="nearest")))
        out: Tensor = self.conv_last(self.lrelu(self.conv_hr(feat)))
        return out

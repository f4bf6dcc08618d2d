# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""RCAN: residual groups of channel-attention blocks.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/rcan_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.channel_attention import ChannelAttention
from trainlint_zoo.blocks.residual import Upsample, image_mean

BUILDERS = {"RCAN": "RCAN"}


class RCAB(nn.Module):
    """Two convolutions and channel attention in a residual."""

    def __init__(self, num_feat: int, squeeze_factor: int, res_scale: float) -> None:
        super().__init__()
        self.res_scale = res_scale
        self.rcab = nn.Sequential(
            nn.Conv2d(num_feat, num_feat, 3, 1, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(num_feat, num_feat, 3, 1, 1),
            ChannelAttention(num_feat, squeeze_factor),
        )

    def forward(self, x: Tensor) -> Tensor:
        res: Tensor = self.rcab(x) * self.res_scale
        return res + x


class ResidualGroup(nn.Module):
    """Several blocks and a convolution in a residual."""

    def __init__(self, num_feat: int, num_block: int, squeeze_factor: int, res_scale: float) -> None:
        super().__init__()
        blocks = (RCAB(num_feat, squeeze_factor, res_scale) for _ in range(num_block))
        self.residual_group = nn.Sequential(*blocks)
        self.conv = nn.Conv2d(num_feat, num_feat, 3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        res: Tensor = self.conv(self.residual_group(x))
        return res + x


class RCAN(nn.Module):
    """Groups, one long skip connection, upsampling at the end."""

    def __init__(
        self,
        *,
        num_in_ch: Positive,
        num_out_ch: Positive,
        num_feat: Positive = 64,
        num_group: Positive = 10,
        num_block: Positive = 16,
        squeeze_factor: Positive = 16,
        upscale: Positive = 4,
        res_scale: float = 1,
        img_range: float = 255.0,
        rgb_mean: Sequence[float] = (0.4488, 0.4371, 0.4040),
    ) -> None:
        super().__init__()
        self.img_range = img_range
        self.mean = image_mean(rgb_mean)
        self.conv_first = nn.Conv2d(num_in_ch, num_feat, 3, 1, 1)
        groups = (ResidualGroup(num_feat, num_block, squeeze_factor, res_scale) for _ in range(num_group))
        self.body = nn.Sequential(*groups)
        self.conv_after_body = nn.Conv2d(num_feat, num_feat, 3, 1, 1)
        self.upsample = Upsample(upscale, num_feat)
        self.conv_last = nn.Conv2d(num_feat, num_out_ch, 3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        self.mean = self.mean.type_as(x)
        x = (x - self.mean) * self.img_range
        x = self.conv_first(x)
        res = self.conv_after_body(self.body(x))
        res += x
        x = self.conv_last(self.upsample(res))
        return x / self.img_range + self.mean

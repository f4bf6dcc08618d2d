# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""EDSR: residual blocks without normalization, upsampling at the end.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/edsr_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.residual import ResidualBlockNoBN, Upsample, image_mean

BUILDERS = {"EDSR": "EDSR"}


class EDSR(nn.Module):
    """The image is centred on `rgb_mean` and scaled to `img_range` before the first convolution."""

    def __init__(
        self,
        *,
        num_in_ch: Positive,
        num_out_ch: Positive,
        num_feat: Positive = 64,
        num_block: Positive = 16,
        upscale: Positive = 4,
        res_scale: float = 1,
        img_range: float = 255.0,
        rgb_mean: Sequence[float] = (0.4488, 0.4371, 0.4040),
    ) -> None:
        super().__init__()
        self.img_range = img_range
        self.mean = image_mean(rgb_mean)
        self.conv_first = nn.Conv2d(num_in_ch, num_feat, 3, 1, 1)
        self.body = nn.Sequential(*(ResidualBlockNoBN(num_feat, res_scale) for _ in range(num_block)))
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

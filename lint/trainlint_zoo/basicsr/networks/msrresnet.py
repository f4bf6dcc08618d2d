# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""MSRResNet: SRResNet without batch normalization.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/srresnet_arch.py.
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.residual import ResidualBlockNoBN

BUILDERS = {"MSRResNet": "MSRResNet"}


class MSRResNet(nn.Module):
    """Residual blocks, pixel-shuffle upsampling, plus the bilinearly upsampled input."""

    def __init__(
        self,
        num_in_ch: Positive = 3,
        num_out_ch: Positive = 3,
        num_feat: Positive = 64,
        num_block: Positive = 16,
        upscale: Literal[2, 3, 4] = 4,
    ) -> None:
        super().__init__()
        self.upscale = upscale
        self.conv_first = nn.Conv2d(num_in_ch, num_feat, 3, 1, 1)
        self.body = nn.Sequential(*(ResidualBlockNoBN(num_feat) for _ in range(num_block)))
        step = 2 if upscale == 4 else upscale
        self.upconv1 = nn.Conv2d(num_feat, num_feat * step**2, 3, 1, 1)
        if upscale == 4:
            self.upconv2 = nn.Conv2d(num_feat, num_feat * 4, 3, 1, 1)
        self.pixel_shuffle = nn.PixelShuffle(step)
        self.conv_hr = nn.Conv2d(num_feat, num_feat, 3, 1, 1)
        self.conv_last = nn.Conv2d(num_feat, num_out_ch, 3, 1, 1)
        self.lrelu = nn.LeakyReLU(0.1, inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        feat = self.lrelu(self.conv_first(x))
        out: Tensor = self.body(feat)
        out = self.lrelu(self.pixel_shuffle(self.upconv1(out)))
        if self.upscale == 4:
            out = self.lrelu(self.pixel_shuffle(self.upconv2(out)))
        out = self.conv_last(self.lrelu(self.conv_hr(out)))
        base = F.interpolate(x, scale_factor=self.upscale, mode="bilinear", align_corners=False)
        out += base
        return out

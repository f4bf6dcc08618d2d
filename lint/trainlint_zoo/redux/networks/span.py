# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: SPAN authors
# SPDX-FileCopyrightText: spandrel authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""SPAN: parameter-free attention; every 3x3 convolution is three in training and one at inference.

Source: chaiNNer-org/spandrel 0.4 (architectures/SPAN), which traiNNer-redux trains.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.parameter_free_attention import SPAB, Conv3XC
from trainlint_zoo.blocks.residual import image_mean

BUILDERS = {"trainner-redux:span": "SPAN", "trainner-redux:span_s": "span_s"}


class SPAN(nn.Module):
    """Six blocks, four of their results concatenated, one pixel shuffle."""

    def __init__(
        self,
        *,
        scale: Positive = 4,
        num_in_ch: Positive = 3,
        num_out_ch: Positive = 3,
        feature_channels: Positive = 52,
        norm: bool = True,
        img_range: float = 255.0,
        rgb_mean: Sequence[float] = (0.4488, 0.4371, 0.4040),
    ) -> None:
        super().__init__()
        self.img_range, self.norm = img_range, norm
        self.mean = image_mean(rgb_mean)
        if not norm:
            self.register_buffer("no_norm", torch.empty(1))
        self.conv_1 = Conv3XC(num_in_ch, feature_channels)
        for index in range(1, 7):
            self.add_module(f"block_{index}", SPAB(feature_channels))
        self.conv_cat = nn.Conv2d(feature_channels * 4, feature_channels, 1)
        self.conv_2 = Conv3XC(feature_channels, feature_channels)
        self.upsampler = nn.Sequential(
            nn.Conv2d(feature_channels, num_out_ch * scale**2, 3, padding=1), nn.PixelShuffle(scale)
        )

    def forward(self, x: Tensor) -> Tensor:
        if self.norm:
            self.mean = self.mean.type_as(x)
            x = (x - self.mean) * self.img_range
        feature = self.conv_1(x)
        first, _, _ = self.get_submodule("block_1")(feature)
        out = first
        for index in range(2, 7):  # of later blocks only the last result and its attention outlive the loop
            out, second, _ = self.get_submodule(f"block_{index}")(out)
        last = self.conv_2(out)
        out = self.conv_cat(torch.cat([feature, last, first, second], 1))
        result: Tensor = self.upsampler(out)
        return result


def span_s(*, scale: Positive = 4, norm: bool = True) -> nn.Module:
    """Return SPAN with 48 channels."""
    return SPAN(scale=scale, feature_channels=48, norm=norm)

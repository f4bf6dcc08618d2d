# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-FileCopyrightText: 2019 Kim Seonghyeon
# SPDX-License-Identifier: MIT AND Apache-2.0

"""StyleGAN2's generator and discriminator as BasicSR has them.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/stylegan2_arch.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.faces.stylegan2 import ConvLayer, EqualLinear, ResBlock, StyleGenerator, widths

BUILDERS = {
    "StyleGAN2Generator": "StyleGAN2Generator",
    "StyleGAN2Discriminator": "StyleGAN2Discriminator",
}


class StyleGAN2Generator(StyleGenerator):
    """The generator as BasicSR registers it."""

    def __init__(
        self,
        *,
        out_size: Positive,
        num_style_feat: Positive = 512,
        num_mlp: int = 8,
        channel_multiplier: float = 2,
        resample_kernel: Sequence[float] = (1, 3, 3, 1),
        lr_mlp: float = 0.01,
        narrow: float = 1,
    ) -> None:
        super().__init__(
            out_size=out_size,
            num_style_feat=num_style_feat,
            num_mlp=num_mlp,
            channel_multiplier=channel_multiplier,
            resample_kernel=resample_kernel,
            lr_mlp=lr_mlp,
            narrow=narrow,
        )


class StyleGAN2Discriminator(nn.Module):
    """(b, 3, out_size, out_size) -> (b, 1); the deviation within groups of samples is one more channel."""

    def __init__(
        self,
        out_size: Positive,
        channel_multiplier: float = 2,
        resample_kernel: Sequence[float] = (1, 3, 3, 1),
        stddev_group: Positive = 4,
        narrow: float = 1,
    ) -> None:
        super().__init__()
        channels, taps = widths(channel_multiplier, narrow), tuple(resample_kernel)
        body: list[nn.Module] = [ConvLayer(3, channels[out_size], 1)]
        previous = channels[out_size]
        for level in range(int(math.log2(out_size)), 2, -1):
            body.append(ResBlock(previous, channels[2 ** (level - 1)], taps))
            previous = channels[2 ** (level - 1)]
        self.conv_body = nn.Sequential(*body)
        self.final_conv = ConvLayer(previous + 1, channels[4], 3)
        self.final_linear = nn.Sequential(
            EqualLinear(channels[4] * 4 * 4, channels[4], activated=True), EqualLinear(channels[4], 1)
        )
        self.stddev_group = stddev_group

    def forward(self, x: Tensor) -> Tensor:
        out = self.conv_body(x)
        b, c, h, w = out.shape
        group = min(b, self.stddev_group)
        deviation = out.view(group, -1, 1, c, h, w)
        deviation = torch.sqrt(deviation.var(0, unbiased=False) + 1e-8)
        deviation = deviation.mean([2, 3, 4], keepdim=True).squeeze(2)
        deviation = deviation.repeat(group, 1, h, w)
        out = torch.cat([out, deviation], 1)
        out = self.final_conv(out)
        out = out.view(b, -1)
        result: Tensor = self.final_linear(out)
        return result

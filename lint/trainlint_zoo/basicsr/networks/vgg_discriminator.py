# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""VGGStyleDiscriminator: SRGAN's and ESRGAN's discriminator for crops of 128 or 256 pixels.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/discriminator_arch.py; those with a size are BasicSR 1.2's.
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from trainlint.catalogue.signature import Positive

BUILDERS = {
    "VGGStyleDiscriminator": "VGGStyleDiscriminator",
    "VGGStyleDiscriminator128": "VGGStyleDiscriminator128",
    "VGGStyleDiscriminator256": "VGGStyleDiscriminator256",
}


class VGGStyleDiscriminator(nn.Module):
    """Pairs of a 3x3 and a halving 4x4 convolution down to 4x4 pixels, then two linear layers."""

    def __init__(
        self, num_in_ch: Positive, num_feat: Positive = 64, input_size: Literal[128, 256] = 128
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.stages = 5 if input_size == 128 else 6
        widths = [num_feat * 2 ** min(stage, 3) for stage in range(self.stages)]
        previous = num_in_ch
        for stage, width in enumerate(widths):
            self.add_module(f"conv{stage}_0", nn.Conv2d(previous, width, 3, 1, 1, bias=stage == 0))
            if stage:
                self.add_module(f"bn{stage}_0", nn.BatchNorm2d(width))
            self.add_module(f"conv{stage}_1", nn.Conv2d(width, width, 4, 2, 1, bias=False))
            self.add_module(f"bn{stage}_1", nn.BatchNorm2d(width))
            previous = width
        self.linear1 = nn.Linear(num_feat * 8 * 4 * 4, 100)
        self.linear2 = nn.Linear(100, 1)
        self.lrelu = nn.LeakyReLU(0.2, inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        if x.size(2) != self.input_size:
            raise ValueError(f"input must be {self.input_size} pixels, is {x.size(2)}")
        feat = x
        for stage in range(self.stages):
            feat = self._half(f"{stage}_0", feat)
            feat = self._half(f"{stage}_1", feat)
        feat = feat.view(feat.size(0), -1)
        feat = self.lrelu(self.linear1(feat))
        out: Tensor = self.linear2(feat)
        return out

    def _half(self, suffix: str, feat: Tensor) -> Tensor:
        children = self._modules
        conv, norm = children[f"conv{suffix}"], children.get(f"bn{suffix}")
        assert conv is not None  # noqa: S101  the constructor made it
        out: Tensor = self.lrelu(norm(conv(feat)) if norm else conv(feat))
        return out


class VGGStyleDiscriminator128(VGGStyleDiscriminator):
    """The one for crops of 128 pixels."""

    def __init__(self, num_in_ch: Positive, num_feat: Positive = 64) -> None:
        super().__init__(num_in_ch, num_feat, 128)


class VGGStyleDiscriminator256(VGGStyleDiscriminator):
    """The one for crops of 256 pixels."""

    def __init__(self, num_in_ch: Positive, num_feat: Positive = 64) -> None:
        super().__init__(num_in_ch, num_feat, 256)

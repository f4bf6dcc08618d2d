# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: LKFMixer authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""LKFMixer: large separable depthwise kernels, feature distillation, spatial modulation.

Source: the-database/traiNNer-redux, traiNNer/archs/lkfmixer_arch.py (52d4be7c).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.windows import UpsampleOneStep
from trainlint_zoo.blocks.sampling import cropped, padded

BUILDERS = {
    "trainner-redux:lkfmixer_t": "lkfmixer_t",
    "trainner-redux:lkfmixer_b": "LKFMixer",
    "trainner-redux:lkfmixer_l": "lkfmixer_l",
}

POOL = 8


class PLKB(nn.Module):
    """A row and a column kernel on a part of the channels, then 1x1 and GELU."""

    def __init__(self, channels: int, kernel: int, share: float) -> None:
        super().__init__()
        part = int(channels * share)
        self.parts = [part, channels - part]
        half = kernel // 2
        self.DWConv_Kx1 = nn.Conv2d(part, part, (kernel, 1), padding=(half, 0), groups=part)
        self.DWConv_1xK = nn.Conv2d(part, part, (1, kernel), padding=(0, half), groups=part)
        self.conv1 = nn.Conv2d(channels, channels, 1)
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        x1, x2 = torch.split(x, self.parts, dim=1)
        x1 = self.DWConv_Kx1(self.DWConv_1xK(x1))
        out: Tensor = self.act(self.conv1(torch.cat((x1, x2), dim=1)))
        return out


def _depthwise(channels: int) -> nn.Conv2d:
    return nn.Conv2d(channels, channels, 3, 1, 1, groups=channels)


class FFB(nn.Module):
    """A small and a large kernel, fused."""

    def __init__(self, channels: int, kernel: int, share: float) -> None:
        super().__init__()
        self.PLKB = PLKB(channels, kernel, share)
        self.DWConv3 = _depthwise(channels)
        self.conv1 = nn.Conv2d(channels, channels, 1)
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.DWConv3(x)
        x2 = self.PLKB(x)
        out: Tensor = self.act(self.conv1(x1 + x2))
        return out


class FDB(nn.Module):
    """Three fusions in a row; half of the channels of each are kept for the end."""

    def __init__(self, channels: int, kernel: int, share: float) -> None:
        super().__init__()
        for index in (1, 2, 3):
            self.add_module(f"c{index}_d", nn.Conv2d(channels, channels // 2, 1))
            self.add_module(f"c{index}_r", FFB(channels, kernel, share))
        self.c4 = nn.Conv2d(channels, channels // 2, 1)
        self.act = nn.GELU()
        self.c5 = nn.Conv2d(channels * 2, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        kept, refined = [], [x]  # the published code holds all of them until its end
        part = dict(self.named_children())
        for index in (1, 2, 3):
            kept.append(self.act(part[f"c{index}_d"](refined[-1])))
            refined.append(part[f"c{index}_r"](refined[-1]))
        kept.append(self.act(self.c4(refined[-1])))
        out = torch.cat(kept, dim=1)
        result: Tensor = self.c5(out)
        return result


class SFMB(nn.Module):
    """A large kernel plus a map pooled by 8, enlarged again and weighed by channel means."""

    def __init__(self, channels: int, kernel: int, share: float) -> None:
        super().__init__()
        self.PLKB = PLKB(channels, kernel, share)
        self.DWConv_3 = _depthwise(channels)
        self.AdaptiveAvgPool = nn.AdaptiveAvgPool2d((1, 1))
        self.conv1_1 = nn.Conv2d(channels, channels, 1)
        self.conv1_2 = nn.Conv2d(channels, channels, 1)
        self.sigmoid = nn.Sigmoid()
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.PLKB(x)
        x2_1 = self.sigmoid(self.AdaptiveAvgPool(x))
        x2_2 = F.max_pool2d(x, kernel_size=POOL, stride=POOL)
        x2_2 = self.act(self.conv1_1(self.DWConv_3(x2_2)))
        x2_2 = F.interpolate(x2_2, size=(x.size(2), x.size(3)), mode="bilinear", align_corners=False)
        x2 = x2_1 * x2_2
        out: Tensor = self.act(self.conv1_2(x1 + x2))
        return out


class FSB(nn.Module):
    """A small and a large kernel, mixed by a learnt weight per pixel."""

    def __init__(self, channels: int, kernel: int, share: float) -> None:
        super().__init__()
        self.PLKB = PLKB(channels, kernel, share)
        self.DWConv_3 = _depthwise(channels)
        self.conv1_1 = nn.Conv2d(channels * 2, channels, 1)
        self.sigmoid = nn.Sigmoid()
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        x1: Tensor = self.PLKB(x)
        x2: Tensor = self.DWConv_3(x)
        fused = self.act(self.conv1_1(torch.cat((x1, x2), dim=1)))
        weight = self.sigmoid(fused)
        out: Tensor = x1 * weight + x2 * (1 - weight)
        return out


class FMB(nn.Module):
    """Distillation, modulation and selection in a residual."""

    def __init__(self, channels: int, kernel: int, share: float) -> None:
        super().__init__()
        self.FDB = FDB(channels, kernel, share)
        self.SFMB = SFMB(channels, kernel, share)
        self.FSB = FSB(channels, kernel, share)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.FDB(x)
        out = self.SFMB(out)
        out = self.FSB(out)
        return out + x


class LKFMixer(nn.Module):
    """Blocks in a long residual on an image padded to multiples of 8."""

    def __init__(
        self,
        *,
        in_channels: Positive = 3,
        channels: Positive = 48,
        out_channels: Positive = 3,
        scale: Positive = 4,
        num_block: Positive = 8,
        large_kernel: Positive = 31,
        split_factor: float = 0.25,
    ) -> None:
        super().__init__()
        self.scale = scale
        self.conv_first = nn.Conv2d(in_channels, channels, 3, 1, 1)
        self.layers = nn.Sequential(*(FMB(channels, large_kernel, split_factor) for _ in range(num_block)))
        self.conv = _depthwise(channels)
        self.upsampler = UpsampleOneStep(scale, channels, out_channels)
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = padded(x, POOL)
        features = self.conv_first(x)
        out = self.layers(features)
        out = self.act(self.conv(out))
        return cropped(self.upsampler(out + features), height * self.scale, width * self.scale)


def lkfmixer_t(
    *,
    in_channels: Positive = 3,
    channels: Positive = 40,
    out_channels: Positive = 3,
    scale: Positive = 4,
    num_block: Positive = 6,
    large_kernel: Positive = 31,
    split_factor: float = 0.25,
) -> nn.Module:
    """Return the tiny LKFMixer."""
    return LKFMixer(
        in_channels=in_channels, channels=channels, out_channels=out_channels, scale=scale,
        num_block=num_block, large_kernel=large_kernel, split_factor=split_factor,
    )  # fmt: skip


def lkfmixer_l(
    *,
    in_channels: Positive = 3,
    channels: Positive = 64,
    out_channels: Positive = 3,
    scale: Positive = 4,
    num_block: Positive = 12,
    large_kernel: Positive = 31,
    split_factor: float = 0.25,
) -> nn.Module:
    """Return the large LKFMixer."""
    return LKFMixer(
        in_channels=in_channels, channels=channels, out_channels=out_channels, scale=scale,
        num_block=num_block, large_kernel=large_kernel, split_factor=split_factor,
    )  # fmt: skip

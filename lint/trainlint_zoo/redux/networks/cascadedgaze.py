# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 Huawei Technologies Co., Ltd.
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""CascadedGaze: NAFNet's U-Net whose encoder blocks look at ever coarser copies of themselves; scale 1 only.

Source: the-database/traiNNer-redux, traiNNer/archs/cgnet_arch.py (5ad2b93c).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.naf import LayerNorm2d, NAFBlock
from trainlint_zoo.blocks.sampling import cropped

BUILDERS = {"trainner-redux:cascadedgaze": "CascadedGaze"}

STEPS = {3: ((3, 2), (3, 3), (5, 4)), 2: ((3, 2), (3, 3))}
"""Convolutions of the context -> their kernels and strides."""


class GlobalContext(nn.Module):
    """Depthwise convolutions with strides, one after another; returns all results."""

    def __init__(self, c: int, steps: tuple[tuple[int, int], ...]) -> None:
        super().__init__()
        self.convs = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(c, c, kernel, stride, groups=c, bias=False), nn.Conv2d(c, c, 1, bias=False)
            )
            for kernel, stride in steps
        )

    def forward(self, x: Tensor) -> list[Tensor]:
        outputs = []
        for conv in self.convs:
            x = F.gelu(conv(x))
            outputs.append(x)
        return outputs


class CascadedGazeBlock(nn.Module):
    """NAFNet's block with the context, enlarged, next to the features."""

    def __init__(self, c: int, contexts: int) -> None:
        super().__init__()
        steps = STEPS[3 if contexts == 3 else 2]
        wide, joined = 2 * c, 2 * c + len(steps) * c
        self.conv1 = nn.Conv2d(c, wide, 1)
        self.conv2 = nn.Conv2d(wide, wide, 3, padding=1, groups=wide)
        self.GCE = GlobalContext(c, steps)
        self.project_out = nn.Conv2d(joined, c, 1)
        self.sca = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(joined, joined, 1))
        self.conv4 = nn.Conv2d(c, 2 * c, 1)
        self.conv5 = nn.Conv2d(c, c, 1)
        self.norm1 = LayerNorm2d(c)
        self.norm2 = LayerNorm2d(c)
        self.beta = nn.Parameter(torch.empty(1, c, 1, 1))
        self.gamma = nn.Parameter(torch.empty(1, c, 1, 1))

    def forward(self, inp: Tensor) -> Tensor:
        size = inp.shape[2:]
        x = self.norm1(inp)
        x = self.conv1(x)
        x = self.conv2(x)
        x = F.gelu(x)
        first, second = x.chunk(2, dim=1)
        contexts = self.GCE(first + second)
        x = torch.cat(
            [x, *(F.interpolate(context, size=size, mode="nearest") for context in contexts)], dim=1
        )
        x = self.sca(x) * x
        x = self.project_out(x)
        y = inp + x * self.beta
        x = self.conv4(self.norm2(y))
        first, second = x.chunk(2, dim=1)
        x = self.conv5(first * second)
        out: Tensor = y + x * self.gamma
        return out


class CascadedGaze(nn.Module):
    """U-Net with additive skips, plus the input."""

    def __init__(
        self,
        *,
        scale: Positive = 1,
        img_channel: Positive = 3,
        width: Positive = 60,
        middle_blk_num: Positive = 10,
        enc_blk_nums: list[int] | None = None,
        dec_blk_nums: list[int] | None = None,
        GCE_CONVS_nums: list[int] | None = None,  # noqa: N803  the published name
    ) -> None:
        super().__init__()
        if scale != 1:
            raise ValueError(f"CascadedGaze restores at scale 1, the scale is {scale}")
        encoders = enc_blk_nums or [2, 2, 4, 6]
        decoders = dec_blk_nums or [2, 2, 2, 2]
        contexts = GCE_CONVS_nums or [3, 3, 2, 2]
        self.intro = nn.Conv2d(img_channel, width, 3, padding=1)
        self.ending = nn.Conv2d(width, img_channel, 3, padding=1)
        self.encoders, self.downs = nn.ModuleList(), nn.ModuleList()
        self.decoders, self.ups = nn.ModuleList(), nn.ModuleList()
        for number, context in zip(encoders, contexts, strict=True):
            self.encoders.append(nn.Sequential(*(CascadedGazeBlock(width, context) for _ in range(number))))
            self.downs.append(nn.Conv2d(width, 2 * width, 2, 2))
            width *= 2
        self.middle_blks = nn.Sequential(*(NAFBlock(width) for _ in range(middle_blk_num)))
        for number in decoders:
            self.ups.append(nn.Sequential(nn.Conv2d(width, width * 2, 1, bias=False), nn.PixelShuffle(2)))
            width //= 2
            self.decoders.append(nn.Sequential(*(NAFBlock(width) for _ in range(number))))
        self.padder_size = 2 ** len(encoders)

    def forward(self, inp: Tensor) -> Tensor:
        height, width = inp.shape[2:]
        inp = F.pad(inp, (0, -width % self.padder_size, 0, -height % self.padder_size))
        x = self.intro(inp)
        encs = []
        for encoder, down in zip(self.encoders, self.downs, strict=True):
            x = encoder(x)
            encs.append(x)
            x = down(x)
        x = self.middle_blks(x)
        for decoder, up, skip in zip(self.decoders, self.ups, reversed(encs), strict=False):
            x = up(x)
            x = x + skip
            x = decoder(x)
        x = self.ending(x)
        x = x + inp
        return cropped(x, height, width)

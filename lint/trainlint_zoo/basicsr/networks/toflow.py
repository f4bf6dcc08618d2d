# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""TOFlow: six of seven frames are warped onto the fourth by a flow with batch normalization, then convolved.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/tof_arch.py. Frames are as large as the target.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.blocks.alignment.optical_flow import flow_warp
from trainlint_zoo.features.vgg import image_statistic

BUILDERS = {"TOFlow": "TOFlow"}

FRAMES = 7
LEVELS = 4
WIDTHS = (8, 32, 64, 32, 16, 2)


class FlowModule(nn.Module):
    """Five 7x7 convolutions, all but the last normalized."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for cin, cout in pairwise(WIDTHS):
            layers += [nn.Conv2d(cin, cout, 7, 1, 3, bias=cout == WIDTHS[-1])]
            layers += [nn.BatchNorm2d(cout), nn.ReLU(inplace=True)]
        self.basic_module = nn.Sequential(*layers[:-2])

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.basic_module(x)
        return out


class Flow(nn.Module):
    """A pyramid of four levels, from an eighth of the side up."""

    def __init__(self) -> None:
        super().__init__()
        self.basic_module = nn.ModuleList(FlowModule() for _ in range(LEVELS))

    def forward(self, ref: Tensor, supp: Tensor) -> Tensor:
        n, _, h, w = ref.size()
        refs, supps = [ref], [supp]
        for _ in range(LEVELS - 1):
            refs.insert(0, F.avg_pool2d(refs[0], 2, 2, count_include_pad=False))
            supps.insert(0, F.avg_pool2d(supps[0], 2, 2, count_include_pad=False))
        flow = refs[0].new_zeros(n, 2, h // 16, w // 16)
        for level, module in enumerate(self.basic_module):
            up = F.interpolate(flow, scale_factor=2, mode="bilinear", align_corners=True) * 2.0
            flow = up + module(
                torch.cat([refs[level], flow_warp(supps[level], up.permute(0, 2, 3, 1)), up], 1)
            )
        return flow


class TOFlow(nn.Module):
    """(b, 7, 3, h, w) -> (b, 3, h, w)."""

    def __init__(self, *, adapt_official_weights: bool = False) -> None:
        super().__init__()
        self.official = adapt_official_weights
        self.register_buffer("mean", image_statistic())
        self.register_buffer("std", image_statistic())
        self.spynet = Flow()
        self.conv_1 = nn.Conv2d(3 * FRAMES, 64, 9, 1, 4)
        self.conv_2 = nn.Conv2d(64, 64, 9, 1, 4)
        self.conv_3 = nn.Conv2d(64, 64, 1)
        self.conv_4 = nn.Conv2d(64, 3, 1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, lrs: Tensor) -> Tensor:
        reference = 0 if self.official else FRAMES // 2
        if self.official:
            lrs = lrs[:, [3, 0, 1, 2, 4, 5, 6], :, :, :]
        n, frames, _, h, w = lrs.size()
        mean, std = self.get_buffer("mean"), self.get_buffer("std")
        lrs = (lrs.view(-1, 3, h, w) - mean) / std
        lrs = lrs.view(n, frames, 3, h, w)
        ref = lrs[:, reference]
        aligned = []
        for index in range(FRAMES):
            if index == reference:
                aligned.append(ref)
                continue
            supp = lrs[:, index]
            flow = self.spynet(ref, supp)
            aligned.append(flow_warp(supp, flow.permute(0, 2, 3, 1)))
        hr = torch.stack(aligned, dim=1)
        hr = hr.view(n, -1, h, w)
        hr = self.relu(self.conv_1(hr))
        hr = self.relu(self.conv_2(hr))
        hr = self.relu(self.conv_3(hr))
        hr = self.conv_4(hr) + ref
        out: Tensor = hr * std + mean
        return out

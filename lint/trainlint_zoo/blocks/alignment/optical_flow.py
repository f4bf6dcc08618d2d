# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Optical flow by a pyramid of small networks (SpyNet), and the warping by a flow.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/spynet_arch.py and arch_util.py.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

LEVELS = 6


SIDE_MULTIPLE = 32
"""SpyNet resizes its input to a multiple of this."""


def flow_warp(x: Tensor, flow: Tensor, padding_mode: str = "zeros") -> Tensor:
    """Sample (n, c, h, w) bilinearly at a flow of (n, h, w, 2) pixels."""
    h, w = x.shape[2:]
    rows, columns = torch.meshgrid(
        torch.arange(0, h).type_as(x), torch.arange(0, w).type_as(x), indexing="ij"
    )
    grid = torch.stack((columns, rows), 2).float()
    moved = grid + flow
    across = 2.0 * moved[:, :, :, 0] / max(w - 1, 1) - 1.0
    down = 2.0 * moved[:, :, :, 1] / max(h - 1, 1) - 1.0
    scaled = torch.stack((across, down), dim=3)
    return F.grid_sample(x, scaled, mode="bilinear", padding_mode=padding_mode, align_corners=True)


class FlowModule(nn.Module):
    """Five 7x7 convolutions from both images and the flow so far to the flow's correction."""

    def __init__(self) -> None:
        super().__init__()
        widths = (8, 32, 64, 32, 16, 2)
        layers: list[nn.Module] = []
        for cin, cout in pairwise(widths):
            layers += [nn.Conv2d(cin, cout, 7, 1, 3), nn.ReLU()]
        self.basic_module = nn.Sequential(*layers[:-1])

    def forward(self, x: Tensor) -> Tensor:
        flow: Tensor = self.basic_module(x)
        return flow


class SpyNet(nn.Module):
    """A pyramid of six levels; each warps the second image by the flow of the coarser one."""

    def __init__(self, load_path: str | None = None) -> None:  # noqa: ARG002  weights do not shape memory
        super().__init__()
        self.basic_module = nn.ModuleList([FlowModule() for _ in range(LEVELS)])
        self.register_buffer("mean", torch.zeros(1, 3, 1, 1))
        self.register_buffer("std", torch.ones(1, 3, 1, 1))

    def _pyramid(self, image: Tensor) -> list[Tensor]:
        levels = [(image - self.get_buffer("mean")) / self.get_buffer("std")]
        for _ in range(LEVELS - 1):
            levels.insert(0, F.avg_pool2d(levels[0], 2, 2, count_include_pad=False))
        return levels

    def process(self, ref: Tensor, supp: Tensor) -> Tensor:
        """Refine the flow from the coarsest level to the finest."""
        refs, supps = self._pyramid(ref), self._pyramid(supp)
        n, _, h, w = refs[0].shape
        flow = refs[0].new_zeros([n, 2, h // 2, w // 2])
        for level, module in enumerate(self.basic_module):
            up = F.interpolate(flow, scale_factor=2, mode="bilinear", align_corners=True) * 2.0
            if up.size(2) != refs[level].size(2):
                up = F.pad(up, [0, 0, 0, 1], mode="replicate")
            if up.size(3) != refs[level].size(3):
                up = F.pad(up, [0, 1, 0, 0], mode="replicate")
            flow = (
                module(
                    torch.cat([refs[level], flow_warp(supps[level], up.permute(0, 2, 3, 1), "border"), up], 1)
                )
                + up
            )
        return flow

    def forward(self, ref: Tensor, supp: Tensor) -> Tensor:
        """Return the flow (n, 2, h, w) from `ref` to `supp` (n, 3, h, w)."""
        h, w = ref.shape[2:]
        size = (-(-h // SIDE_MULTIPLE) * SIDE_MULTIPLE, -(-w // SIDE_MULTIPLE) * SIDE_MULTIPLE)
        ref = F.interpolate(ref, size=size, mode="bilinear", align_corners=False)
        supp = F.interpolate(supp, size=size, mode="bilinear", align_corners=False)
        flow = F.interpolate(self.process(ref, supp), size=(h, w), mode="bilinear", align_corners=False)
        flow[:, 0, :, :] *= float(w) / float(size[1])
        flow[:, 1, :, :] *= float(h) / float(size[0])
        return flow

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Kai Zhang
# SPDX-License-Identifier: MIT

"""Alignment by flows at four levels: neighbours warped by their corners, deformable convolution of them.

Source: cszn/KAIR fc1732f, models/network_vrt.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.blocks.alignment.deformable import TAPS, ModulatedDeformConv
from trainlint_zoo.blocks.alignment.optical_flow import SIDE_MULTIPLE, SpyNet, flow_warp

NEIGHBOURS = 4
"""Copies of a neighbour that are warped to a frame: the corners of the pixel that the flow points to."""

Flows = list[Tensor]


class FlowPyramid(SpyNet):
    """SpyNet that returns the flows of its four finest levels, the finest first."""

    def forward(self, ref: Tensor, supp: Tensor) -> Flows:  # type: ignore[override]  # SpyNet returns the finest alone
        h, w = ref.shape[2:]
        size = (-(-h // SIDE_MULTIPLE) * SIDE_MULTIPLE, -(-w // SIDE_MULTIPLE) * SIDE_MULTIPLE)
        ref = F.interpolate(ref, size=size, mode="bilinear", align_corners=False)
        supp = F.interpolate(supp, size=size, mode="bilinear", align_corners=False)
        refs, supps = self._pyramid(ref), self._pyramid(supp)
        n, _, rows, columns = refs[0].shape
        flow = refs[0].new_zeros([n, 2, rows // 2, columns // 2])
        flows: Flows = []
        for level, module in enumerate(self.basic_module):
            up = F.interpolate(flow, scale_factor=2, mode="bilinear", align_corners=True) * 2.0
            if up.size(2) != refs[level].size(2):
                up = F.pad(up, [0, 0, 0, 1], mode="replicate")
            if up.size(3) != refs[level].size(3):
                up = F.pad(up, [0, 1, 0, 0], mode="replicate")
            warped = flow_warp(supps[level], up.permute(0, 2, 3, 1), "border")
            flow = module(torch.cat([refs[level], warped, up], 1)) + up
            coarse = len(self.basic_module) - 1 - level
            if coarse < NEIGHBOURS:
                sides = (h >> coarse, w >> coarse)
                out = F.interpolate(flow, size=sides, mode="bilinear", align_corners=False)
                out[:, 0, :, :] *= float(sides[1]) / float(size[1] >> coarse)
                out[:, 1, :, :] *= float(sides[0]) / float(size[0] >> coarse)
                flows.insert(0, out)
        return flows


def warp_corners(x: Tensor, flow: Tensor) -> Tensor:
    """Sample (n, c, h, w) at the four corners of the pixels that a flow (n, h, w, 2) points to."""
    h, w = x.shape[2:]
    rows, columns = torch.meshgrid(
        torch.arange(0, h, dtype=x.dtype, device=x.device),
        torch.arange(0, w, dtype=x.dtype, device=x.device),
        indexing="ij",
    )
    grid = torch.stack((columns, rows), 2).float()
    moved = grid + flow
    left = 2.0 * torch.floor(moved[:, :, :, 0]) / max(w - 1, 1) - 1.0
    right = 2.0 * torch.ceil(moved[:, :, :, 0]) / max(w - 1, 1) - 1.0
    top = 2.0 * torch.floor(moved[:, :, :, 1]) / max(h - 1, 1) - 1.0
    bottom = 2.0 * torch.ceil(moved[:, :, :, 1]) / max(h - 1, 1) - 1.0

    def sample(across: Tensor, down: Tensor) -> Tensor:
        corners = torch.stack((across, down), dim=3)
        return F.grid_sample(x, corners, mode="nearest", padding_mode="zeros", align_corners=True)

    first, second = sample(left, top), sample(left, bottom)
    third, fourth = sample(right, top), sample(right, bottom)
    return torch.cat([first, second, third, fourth], 1)


class Alignment(ModulatedDeformConv):
    """Deformable convolution of neighbours; the offsets start from the flows to them."""

    def __init__(self, dim: int, groups: int, reach: float, pa_frames: int) -> None:
        frames = pa_frames // 2
        predict = nn.Sequential(
            nn.Conv2d((1 + frames) * dim + pa_frames, dim, 3, 1, 1),
            nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(dim, dim, 3, 1, 1),
            nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(dim, dim, 3, 1, 1),
            nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(dim, 3 * TAPS * groups, 3, 1, 1),
        )
        super().__init__(dim, dim, predict)
        self.reach, self.frames = reach, frames

    def forward(self, x: Tensor, warped: Flows, current: Tensor, flows: Flows) -> Tensor:
        out = self.conv_offset(torch.cat([*warped, current, *flows], dim=1))
        o1, o2, mask = torch.chunk(out, 3, dim=1)
        offset = self.reach * torch.tanh(torch.cat((o1, o2), dim=1))
        parts = list(torch.chunk(offset, self.frames, dim=1))
        for i, flow in enumerate(flows):
            parts[i] = parts[i] + flow.flip(1).repeat(1, parts[i].size(1) // 2, 1, 1)
        offset = parts[0] if self.frames == 1 else torch.cat(parts, dim=1)
        mask = torch.sigmoid(mask)
        return self.sample(x, offset, mask)

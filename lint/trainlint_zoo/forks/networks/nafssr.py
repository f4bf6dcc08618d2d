# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2022 megvii-model
# SPDX-License-Identifier: MIT

"""NAFSSR: NAFNet's blocks on two views, which attend to each other row by row after every block.

Source: megvii-research/NAFNet f2809712, basicsr/models/archs/NAFSSR_arch.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.naf import LayerNorm2d, LocalPool, NAFBlock, refuse_dropout, refuse_fast

BUILDERS = {"NAFSSR": "NAFSSR"}


class StereoAttention(nn.Module):
    """Each row of a view attends to the same row of the other."""

    def __init__(self, c: int) -> None:
        super().__init__()
        self.scale = c**-0.5
        self.norm_l, self.norm_r = LayerNorm2d(c), LayerNorm2d(c)
        self.l_proj1, self.r_proj1 = nn.Conv2d(c, c, 1), nn.Conv2d(c, c, 1)
        self.beta = nn.Parameter(torch.empty(1, c, 1, 1))
        self.gamma = nn.Parameter(torch.empty(1, c, 1, 1))
        self.l_proj2, self.r_proj2 = nn.Conv2d(c, c, 1), nn.Conv2d(c, c, 1)

    def forward(self, x_l: Tensor, x_r: Tensor) -> tuple[Tensor, Tensor]:
        q_l = self.l_proj1(self.norm_l(x_l)).permute(0, 2, 3, 1)
        q_r = self.r_proj1(self.norm_r(x_r)).permute(0, 2, 1, 3)
        v_l = self.l_proj2(x_l).permute(0, 2, 3, 1)
        v_r = self.r_proj2(x_r).permute(0, 2, 3, 1)
        attention = torch.matmul(q_l, q_r) * self.scale
        to_l = torch.matmul(torch.softmax(attention, dim=-1), v_r)
        to_r = torch.matmul(torch.softmax(attention.permute(0, 1, 3, 2), dim=-1), v_l)
        to_l = to_l.permute(0, 3, 1, 2) * self.beta
        to_r = to_r.permute(0, 3, 1, 2) * self.gamma
        return x_l + to_l, x_r + to_r


class StereoBlock(nn.Module):
    """One block for both views, then the exchange between them."""

    def __init__(self, c: int, *, fusion: bool) -> None:
        super().__init__()
        self.blk = NAFBlock(c)
        self.fusion = StereoAttention(c) if fusion else None

    def forward(self, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        left, right = self.blk(left), self.blk(right)
        return self.fusion(left, right) if self.fusion else (left, right)


RARE_DEVIATION = 4.5
"""Standard deviations above the mean that one step in 300,000 exceeds (the normal tail: 3.4e-6)."""


def most_kept(blocks: int, rate: float) -> int:
    """Return how many blocks the deepest step of a run keeps; each is skipped with probability `rate`."""
    mean = blocks * (1 - rate)
    return min(blocks, math.ceil(mean + RARE_DEVIATION * math.sqrt(mean * rate)))


class RandomBlock(nn.Module):
    """Stochastic depth: steps skip whole blocks at random; `skipped`: those that even the deepest skips."""

    def __init__(self, rate: float, module: nn.Module, *, skipped: bool) -> None:
        super().__init__()
        self.rate, self.module, self.skipped = rate, module, skipped

    def forward(self, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        if self.training and self.skipped:
            return left, right
        new_left, new_right = self.module(left, right)
        if self.training and self.rate:
            factor = 1.0 / (1 - self.rate)
            return left + factor * (new_left - left), right + factor * (new_right - right)
        return new_left, new_right


class NAFSSR(nn.Module):
    """Blocks on both views at the input's size, pixel shuffle, the enlarged views added."""

    def __init__(
        self,
        *,
        up_scale: Positive = 4,
        width: Positive = 48,
        num_blks: Positive = 16,
        drop_path_rate: float = 0.0,
        drop_out_rate: float = 0.0,
        train_size: Sequence[int] = (1, 6, 30, 90),
        fast_imp: bool = False,
        fusion_from: int = -1,
        fusion_to: int = 1000,
    ) -> None:
        super().__init__()
        refuse_fast(fast_imp)
        refuse_dropout(drop_out_rate)
        self.up_scale = up_scale
        self.intro = nn.Conv2d(3, width, 3, padding=1)
        self.body = nn.ModuleList(
            RandomBlock(
                drop_path_rate,
                StereoBlock(width, fusion=fusion_from <= i <= fusion_to),
                skipped=i >= most_kept(num_blks, drop_path_rate),
            )
            for i in range(num_blks)
        )
        self.up = nn.Sequential(nn.Conv2d(width, 3 * up_scale**2, 3, padding=1), nn.PixelShuffle(up_scale))
        window = (int(train_size[2] * 1.5), int(train_size[3] * 1.5))
        for block in self.modules():
            if isinstance(block, NAFBlock):
                block.sca[0] = LocalPool(window)

    def forward(self, inp: Tensor) -> Tensor:
        inp_hr = F.interpolate(inp, scale_factor=self.up_scale, mode="bilinear")
        left, right = (self.intro(view) for view in inp.chunk(2, dim=1))
        for block in self.body:
            left, right = block(left, right)
        out = torch.cat([self.up(left), self.up(right)], dim=1)
        return out + inp_hr

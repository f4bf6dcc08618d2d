# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 umzi
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""The gated CNN block with depthwise convolutions in parallel, and its norms.

Source: the-database/traiNNer-redux 6862931, traiNNer/archs/mosrv2_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.blocks.sampling import PlainNorm

BAND_SIDE = 11


class InceptionDWConv2d(nn.Module):
    """A quarter and a half of the channels through square, wide and tall depthwise convolutions."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        gc = channels // 8
        self.dwconv_hw = nn.Conv2d(gc, gc, 3, padding=1, groups=gc)
        self.dwconv_w = nn.Conv2d(gc, gc, (1, BAND_SIDE), padding=(0, BAND_SIDE // 2), groups=gc)
        self.dwconv_h = nn.Conv2d(gc, gc, (BAND_SIDE, 1), padding=(BAND_SIDE // 2, 0), groups=gc)
        self.parts = [channels - 3 * gc, gc, gc, gc]

    def forward(self, x: Tensor) -> Tensor:
        x_id, x_hw, x_w, x_h = torch.split(x, self.parts, dim=1)
        return torch.cat((x_id, self.dwconv_hw(x_hw), self.dwconv_w(x_w), self.dwconv_h(x_h)), dim=1)


class RMSNorm(nn.Module):
    """Root-mean-square normalization over channels."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.empty(dim, 1, 1))
        self.offset = nn.Parameter(torch.empty(dim, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        norm_x: Tensor = x.norm(2, dim=1, keepdim=True)
        rms_x = norm_x * (x.size(1) ** (-1.0 / 2))
        normed = x / (rms_x + 1e-6)
        out: Tensor = self.scale * normed + self.offset
        return out


class LayerNorm(PlainNorm):
    """Layer normalization over channels; fused for channels-last images."""

    def forward(self, x: Tensor) -> Tensor:
        if not x.is_contiguous(memory_format=torch.channels_last):
            return super().forward(x)
        tokens = x.permute(0, 2, 3, 1)
        normed = F.layer_norm(tokens, self.weight.shape, self.weight, self.bias, 1e-6)
        return normed.permute(0, 3, 1, 2)


class GatedCNNBlock(nn.Module):
    """Normalization, a wide convolution split into gate, identity and convolved part, a narrow one."""

    def __init__(
        self, dim: int, expansion_ratio: float, *, rms_norm: bool = False, plain: bool = False
    ) -> None:
        super().__init__()
        self.norm = RMSNorm(dim) if rms_norm else PlainNorm(dim) if plain else LayerNorm(dim)
        hidden = int(expansion_ratio * dim)
        self.fc1 = nn.Conv2d(dim, hidden * 2, 3, 1, 1)
        self.act = nn.Mish()
        self.parts = [hidden, hidden - dim, dim]
        self.conv = InceptionDWConv2d(dim)
        self.fc2 = nn.Conv2d(hidden, dim, 3, 1, 1)
        self.gamma = nn.Parameter(torch.empty(1, dim, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x
        x = self.norm(x)
        g, i, c = torch.split(self.fc1(x), self.parts, dim=1)
        c = self.conv(c)
        x = self.act(self.fc2(self.act(g) * torch.cat((i, c), dim=1)))
        return x * self.gamma + shortcut

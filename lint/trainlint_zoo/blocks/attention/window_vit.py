# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 Jeongsoo Kim
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Attention in small windows over several heads' own scales.

Source: the-database/traiNNer-redux, traiNNer/archs/lmlt_arch.py (330de267).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from trainlint_zoo.blocks.attention.windows import partition, reverse

WINDOW_SIDE = 8


class WindowViT(nn.Module):
    """Attention in windows with a depthwise convolution of the values as position."""

    def __init__(self, dim: int, attn_drop: float, drop: float) -> None:
        super().__init__()
        self.scale = dim**-0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.attn_drop = nn.Dropout(attn_drop)
        self.proj = nn.Linear(dim, dim)
        self.proj_drop = nn.Dropout(drop)
        self.get_v = nn.Conv2d(dim, dim, 3, 1, 1, groups=dim)

    def positions(self, v: Tensor) -> tuple[Tensor, Tensor]:
        """Return the values, copied twice, and their convolution: tokens of one window each."""
        b, _, c = v.shape
        v = v.transpose(-2, -1).contiguous().view(b, c, 1, WINDOW_SIDE, 1, WINDOW_SIDE)
        v = v.permute(0, 2, 4, 1, 3, 5).contiguous().reshape(-1, c, WINDOW_SIDE, WINDOW_SIDE)
        lepe = self.get_v(v)
        lepe = lepe.reshape(-1, c, WINDOW_SIDE**2).permute(0, 2, 1).contiguous()
        v = v.reshape(-1, c, WINDOW_SIDE**2).permute(0, 2, 1).contiguous()
        return v, lepe

    def forward(self, x: Tensor) -> Tensor:
        _, c, h, w = x.shape
        windows = partition(x.permute(0, 2, 3, 1), WINDOW_SIDE).view(-1, WINDOW_SIDE**2, c)
        q, k, v = torch.chunk(self.qkv(windows), 3, dim=-1)
        v, lepe = self.positions(v)
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = attn.softmax(dim=-1)
        attn = self.attn_drop(attn)
        x = (attn @ v) + lepe
        x = self.proj(x)
        x = self.proj_drop(x)
        x = reverse(x.reshape(-1, WINDOW_SIDE, WINDOW_SIDE, c), WINDOW_SIDE, h, w)
        return x.permute(0, 3, 1, 2)

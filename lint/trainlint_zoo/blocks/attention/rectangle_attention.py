# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2022 CAT Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Attention in rectangular windows, lying and upright, and groups of its blocks.

Source: zhengchen1999/CAT 89cbfc88, basicsr/archs/cat_arch.py (CAT-A: axial, CAT-R: regular).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from trainlint_zoo.blocks.attention.windows import (
    Reconstruction,
    connection,
    image,
    tokens,
)


@dataclass(frozen=True, slots=True)
class Options:
    """What one block is made of; a rectangle's long side of 0 is the image's."""

    dim: int
    heads: int
    side: int  # of the square image that masks are stored for
    short: int
    long: int
    shifted: bool
    ratio: float
    qkv_bias: bool
    qk_scale: float | None
    drop: float
    attn_drop: float
    drop_path: float

    def rectangle(self, branch: int, size: tuple[int, int]) -> tuple[int, int]:
        """Return (height, width) of a branch's windows; axial ones reach across the whole image."""
        if self.long == 0:
            return (size[0], self.short) if branch == 0 else (self.short, size[1])
        return (self.short, self.long) if branch == 0 else (self.long, self.short)

    def shift(self, branch: int) -> tuple[int, int]:
        """Return by how much a branch's windows move down and right."""
        if not self.shifted:
            return 0, 0
        if self.long == 0:
            return (0, self.short // 2) if branch == 0 else (self.short // 2, 0)
        down, right = self.short // 2, self.long // 2
        return (down, right) if branch == 0 else (right, down)

    def _moves(self, branch: int) -> dict[int, int]:
        """Return dimension -> shift of (b, h, w, c); axial windows move one way only."""
        return {dim: by for dim, by in enumerate(self.shift(branch), start=1) if by or self.long}

    def rolled(self, qkv: Tensor, branch: int) -> Tensor:
        """Move a branch's half of the channels up and left: (3, b, h, w, c) -> (3, b, h w, c)."""
        moves = self._moves(branch)
        moved = torch.roll(qkv, [-by for by in moves.values()], [dim + 1 for dim in moves])
        return moved.view(3, qkv.shape[1], -1, qkv.shape[4])

    def unrolled(self, x: Tensor, branch: int) -> Tensor:
        """Move a branch's result back: (b, h, w, c)."""
        moves = self._moves(branch)
        return torch.roll(x, list(moves.values()), list(moves))

    def mask(self, branch: int, size: tuple[int, int]) -> Tensor:
        """Return room for a branch's mask, (windows, n, n); built on the CPU and copied over."""
        high, wide = self.rectangle(branch, size)
        if high > size[0] or wide > size[1]:
            raise ValueError(f"windows of {high}x{wide} do not fit into an image of {size[0]}x{size[1]}")
        windows = (size[0] // high) * (size[1] // wide)
        return torch.empty(windows, high * wide, high * wide)


class PositionBias(nn.Module):
    """A small network that turns every relative position into a bias per head."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        width = dim // 4
        self.pos_proj = nn.Linear(2, width)
        self.pos1 = self._layer(width, width)
        self.pos2 = self._layer(width, width)
        self.pos3 = self._layer(width, heads)

    @staticmethod
    def _layer(width: int, out: int) -> nn.Sequential:
        return nn.Sequential(nn.LayerNorm(width), nn.ReLU(inplace=True), nn.Linear(width, out))

    def forward(self, biases: Tensor) -> Tensor:
        out: Tensor = self.pos3(self.pos2(self.pos1(self.pos_proj(biases))))
        return out


def positions(h: int, w: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return all relative positions in a window (floats) and, for each pair of tokens, which it is."""
    span = torch.arange(1 - h, h, device=device), torch.arange(1 - w, w, device=device)
    biases = torch.stack(torch.meshgrid(*span, indexing="ij"))
    biases = biases.flatten(1).transpose(0, 1).contiguous().float()
    span = torch.arange(h, device=device), torch.arange(w, device=device)
    coords = torch.flatten(torch.stack(torch.meshgrid(*span, indexing="ij")), 1)
    relative = coords[:, :, None] - coords[:, None, :]
    relative = relative.permute(1, 2, 0).contiguous()
    relative[:, :, 0] += h - 1
    relative[:, :, 1] += w - 1
    relative[:, :, 0] *= 2 * w - 1
    return biases, relative.sum(-1)


class RectangleAttention(nn.Module):
    """Attention of one branch; scores are materialized."""

    def __init__(self, options: Options, branch: int) -> None:
        super().__init__()
        self.options, self.branch = options, branch
        self.dim, self.heads = options.dim // 2, options.heads // 2
        self.scale = options.qk_scale or (self.dim // self.heads) ** -0.5
        self.pos = PositionBias(self.dim // 4, self.heads)
        if options.long:
            h, w = options.rectangle(branch, (0, 0))
            biases, index = positions(h, w, torch.device("meta"))
            self.register_buffer("rpe_biases", biases)
            self.register_buffer("relative_position_index", index)
        self.attn_drop = nn.Dropout(options.attn_drop)

    def windows(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        """(b, h w, c) -> (b x windows, heads, n, c / heads)."""
        b, _, c = x.shape
        (h, w), (high, wide) = size, self.options.rectangle(self.branch, size)
        x = x.transpose(-2, -1).contiguous().view(b, c, h, w)
        x = x.view(b, c, h // high, high, w // wide, wide)
        x = x.permute(0, 2, 4, 3, 5, 1).contiguous().reshape(-1, high * wide, c)
        return x.reshape(-1, high * wide, self.heads, c // self.heads).permute(0, 2, 1, 3).contiguous()

    def forward(self, qkv: Tensor, size: tuple[int, int], mask: Tensor | None) -> Tensor:
        """(3, b, h w, c) -> (b, h, w, c)."""
        q, k, v = qkv[0], qkv[1], qkv[2]
        b, _, c = q.shape
        (h, w), (high, wide) = size, self.options.rectangle(self.branch, size)
        q, k, v = self.windows(q, size), self.windows(k, size), self.windows(v, size)
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        biases, index = self._positions(high, wide, attn.device)
        pos = self.pos(biases)
        n = high * wide
        bias = pos[index.view(-1)].view(n, n, -1)
        bias = bias.permute(2, 0, 1).contiguous()
        attn = attn + bias.unsqueeze(0)
        if mask is not None:
            attn = attn.view(b, mask.shape[0], self.heads, n, n) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.heads, n, n)
        attn = F.softmax(attn, dim=-1, dtype=attn.dtype)
        attn = self.attn_drop(attn)
        x = attn @ v
        x = x.transpose(1, 2).reshape(-1, n, c)
        x = x.view(b, h // high, w // wide, high, wide, -1)
        out: Tensor = x.permute(0, 1, 3, 2, 4, 5).contiguous().view(b, h, w, -1)
        return out

    def _positions(self, high: int, wide: int, device: torch.device) -> tuple[Tensor, Tensor]:
        if self.options.long:
            return self.get_buffer("rpe_biases"), self.get_buffer("relative_position_index")
        return positions(high, wide, device)


class Group(nn.Module):
    """Blocks and a convolution in a residual."""

    def __init__(self, blocks: Iterable[nn.Module], dim: int, resi_connection: str, use_chk: bool) -> None:
        super().__init__()
        self.use_chk = use_chk
        self.blocks = nn.ModuleList(blocks)
        self.conv = connection(dim, resi_connection)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        res = x
        for block in self.blocks:
            x = checkpoint(block, x, size, use_reentrant=True) if self.use_chk else block(x, size)
        x = image(x, size)
        x = self.conv(x)
        x = tokens(x)
        return res + x


class Tokens(nn.Module):
    """An image as tokens."""

    def forward(self, x: Tensor) -> Tensor:
        return tokens(x)


class Grouped(Reconstruction):
    """Tokens, groups, and an image again."""

    before_RG: nn.Module  # noqa: N815  the published name
    layers: nn.ModuleList
    norm: nn.Module

    def deep(self, x: Tensor) -> Tensor:
        size = (x.shape[2], x.shape[3])
        x = self.before_RG(x)
        for layer in self.layers:
            x = layer(x, size)
        x = self.norm(x)
        return image(x, size)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Kai Zhang
# SPDX-License-Identifier: MIT

"""Attention in windows of space and time, with checkpointing: the blocks of VRT and RVRT.

Source: cszn/KAIR fc1732f, models/{network_vrt,network_rvrt}.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import mul
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from trainlint_zoo.blocks.attention.windows import drop_path

BUILDERS: dict[str, str] = {}

Triple = tuple[int, int, int]
MASKED = -100.0


@dataclass
class Masks:
    """The masks of shifted windows, made once per size and kept for ever (an lru_cache in the original)."""

    made: dict[Any, Tensor] = field(default_factory=dict)

    def __deepcopy__(self, _memo: Any) -> Masks:
        """One cache for a network and its average, as one function's cache serves both."""
        return self

    def get(self, size: Triple, window: Triple, shift: Triple, device: torch.device) -> Tensor:
        """Return the mask (windows, n, n) of n tokens per window for a clip of this padded size."""
        key = (size, window, shift)
        if key not in self.made:
            self.made[key] = _mask(size, window, shift, device)
        return self.made[key]


def _mask(size: Triple, window: Triple, shift: Triple, device: torch.device) -> Tensor:
    regions = torch.zeros((1, *size, 1), device=device)
    count = 0
    parts = [
        (slice(-side), slice(-side, -step), slice(-step, None))
        for side, step in zip(window, shift, strict=True)
    ]
    for d in parts[0]:
        for h in parts[1]:
            for w in parts[2]:
                regions[:, d, h, w, :] = count
                count += 1
    windows = partition(regions, window).squeeze(-1)
    mask = windows.unsqueeze(1) - windows.unsqueeze(2)
    return mask.masked_fill(mask != 0, MASKED).masked_fill(mask == 0, 0.0)


def partition(x: Tensor, window: Triple) -> Tensor:
    """(b, d, h, w, c) -> (b x windows, tokens, c), copied."""
    b, d, h, w, c = x.shape
    cells = x.view(b, d // window[0], window[0], h // window[1], window[1], w // window[2], window[2], c)
    return cells.permute(0, 1, 3, 5, 2, 4, 6, 7).contiguous().view(-1, reduce(mul, window), c)


def reverse(windows: Tensor, window: Triple, size: tuple[int, int, int, int]) -> Tensor:
    """Undo `partition`; `size` is (b, d, h, w)."""
    b, d, h, w = size
    x = windows.view(b, d // window[0], h // window[1], w // window[2], *window, -1)
    return x.permute(0, 1, 4, 2, 5, 3, 6, 7).contiguous().view(b, d, h, w, -1)


def fitted(size: Triple, window: Triple, shift: Triple) -> tuple[Triple, Triple]:
    """Return window and shift for a clip: no larger than the clip, and then not shifted."""
    fits = [side > edge for side, edge in zip(size, window, strict=True)]
    sides = [edge if ok else side for side, edge, ok in zip(size, window, fits, strict=True)]
    steps = [step if ok else 0 for step, ok in zip(shift, fits, strict=True)]
    return (sides[0], sides[1], sides[2]), (steps[0], steps[1], steps[2])


class WindowAttention(nn.Module):
    """Attention among the tokens of a window; with `mutual`, also between its two frames.

    The attention matrices are materialized, as the original does.
    """

    def __init__(self, dim: int, window: Triple, heads: int, *, mutual: bool) -> None:
        super().__init__()
        self.heads, self.mutual = heads, mutual
        self.scale = (dim // heads) ** -0.5
        tokens = reduce(mul, window)
        self.relative_position_bias_table = nn.Parameter(
            torch.zeros(reduce(mul, (2 * side - 1 for side in window)), heads)
        )
        self.register_buffer("relative_position_index", torch.zeros(tokens, tokens, dtype=torch.int64))
        self.qkv_self = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)
        if mutual:
            self.register_buffer("position_bias", torch.zeros(1, window[1] * window[2], dim // 2 * 2))
            self.qkv_mut = nn.Linear(dim, dim * 3)
            self.proj = nn.Linear(2 * dim, dim)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        qkv = self._heads(self.qkv_self(x))
        q, k, v = qkv[0], qkv[1], qkv[2]
        out = self.attention(q, k, v, mask, relative=True)
        if self.mutual:
            qkv = self._heads(self.qkv_mut(x + self.get_buffer("position_bias").repeat(1, 2, 1)))
            (q1, q2), (k1, k2), (v1, v2) = (torch.chunk(qkv[i], 2, dim=2) for i in range(3))
            first = self.attention(q2, k1, v1, mask, relative=False)
            second = self.attention(q1, k2, v2, mask, relative=False)
            out = torch.cat([torch.cat([first, second], 1), out], 2)
        result: Tensor = self.proj(out)
        return result

    def _heads(self, qkv: Tensor) -> Tensor:
        b, n, c = qkv.shape
        return qkv.reshape(b, n, 3, self.heads, c // 3 // self.heads).permute(2, 0, 3, 1, 4)

    def attention(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, *, relative: bool) -> Tensor:
        """(b, heads, n, c) each -> (b, n, heads x c)."""
        b, heads, n, c = q.shape
        attn = (q * self.scale) @ k.transpose(-2, -1)
        if relative:
            index = self.get_buffer("relative_position_index")[:n, :n].reshape(-1)
            bias = self.relative_position_bias_table[index].reshape(n, n, -1)
            attn = attn + bias.permute(2, 0, 1).unsqueeze(0)
        if mask is not None:
            count = mask.shape[0]
            attn = attn.view(b // count, count, heads, n, n) + mask[:, :n, :n].unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, heads, n, n)
        attn = F.softmax(attn, dim=-1)
        return (attn @ v).transpose(1, 2).reshape(b, n, heads * c)


class GatedMlp(nn.Module):
    """GELU of one linear layer times another, then a third (GEGLU)."""

    def __init__(self, dim: int, hidden: int, out: int | None = None) -> None:
        super().__init__()
        self.fc11 = nn.Linear(dim, hidden)
        self.fc12 = nn.Linear(dim, hidden)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden, out or dim)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.fc2(self.act(self.fc11(x)) * self.fc12(x))
        return out


@dataclass(frozen=True)
class Blocks:
    """What the blocks of a group have in common."""

    dim: int
    heads: int
    window: Triple
    masks: Masks
    mutual: bool = False
    mlp_ratio: float = 2.0
    mlp: Callable[[int, int], nn.Module] = GatedMlp
    checkpoint_attn: bool = False
    checkpoint_ffn: bool = False


class Block(nn.Module):
    """Attention and MLP, each in a residual, each checkpointed where the options say so."""

    def __init__(self, options: Blocks, shift: Triple, drop: float) -> None:
        super().__init__()
        self.options, self.shift = options, shift
        self.norm1 = nn.LayerNorm(options.dim)
        self.attn = WindowAttention(options.dim, options.window, options.heads, mutual=options.mutual)
        self.drop_path = drop_path(drop)
        self.norm2 = nn.LayerNorm(options.dim)
        self.mlp = options.mlp(options.dim, int(options.dim * options.mlp_ratio))

    def attend(self, x: Tensor, mask: Tensor) -> Tensor:
        """Attend inside windows, rolled by the shift; the sides are padded to whole windows."""
        b, d, h, w, c = x.shape
        window, shift = fitted((d, h, w), self.options.window, self.shift)
        x = self.norm1(x)
        deep, down, right = (-side % edge for side, edge in zip((d, h, w), window, strict=True))
        x = F.pad(x, (0, 0, 0, right, 0, down, 0, deep), mode="constant")
        size = (b, *x.shape[1:4])
        moved = any(step > 0 for step in shift)
        shifted = torch.roll(x, [-step for step in shift], dims=(1, 2, 3)) if moved else x
        windows = partition(shifted, window)
        attended = self.attn(windows, mask if moved else None)
        attended = attended.view(-1, *window, c)
        shifted = reverse(attended, window, size)
        x = torch.roll(shifted, shift, dims=(1, 2, 3)) if moved else shifted
        if deep or down or right:
            x = x[:, :d, :h, :w, :]
        out: Tensor = self.drop_path(x)
        return out

    def feed(self, x: Tensor) -> Tensor:
        """Run the MLP on the normalized tokens."""
        out: Tensor = self.drop_path(self.mlp(self.norm2(x)))
        return out

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        if self.options.checkpoint_attn:
            x = x + checkpoint(self.attend, x, mask, use_reentrant=True)
        else:
            x = x + self.attend(x, mask)
        if self.options.checkpoint_ffn:
            out: Tensor = x + checkpoint(self.feed, x, use_reentrant=True)
            return out
        return x + self.feed(x)


class Group(nn.Module):
    """Blocks one after another, every second one shifted by half a window; (b, c, d, h, w) in and out."""

    def __init__(self, options: Blocks, drops: Sequence[float]) -> None:
        super().__init__()
        self.options = options
        half = options.window
        self.shift: Triple = (half[0] // 2, half[1] // 2, half[2] // 2)
        shifts: list[Triple] = [(0, 0, 0) if i % 2 == 0 else self.shift for i in range(len(drops))]
        self.blocks = nn.ModuleList(
            [Block(options, shift, drop) for shift, drop in zip(shifts, drops, strict=True)]
        )

    def forward(self, x: Tensor) -> Tensor:
        size = (x.shape[2], x.shape[3], x.shape[4])
        window, shift = fitted(size, self.options.window, self.shift)
        x = x.permute(0, 2, 3, 4, 1)
        d, h, w = (-(-side // edge) * edge for side, edge in zip(size, window, strict=True))
        mask = self.options.masks.get((d, h, w), window, shift, x.device)
        for block in self.blocks:
            x = block(x, mask)
        return x.permute(0, 4, 1, 2, 3)


class ResidualGroup(nn.Module):
    """A group and a linear layer in a residual (VRT's stage 8, RVRT's RSTB)."""

    def __init__(self, options: Blocks, drops: Sequence[float]) -> None:
        super().__init__()
        self.residual_group = Group(options, drops)
        self.linear = nn.Linear(options.dim, options.dim)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.linear(self.residual_group(x).transpose(1, 4)).transpose(1, 4)
        return out


class Permute(nn.Module):
    """Dimensions in another order, a view."""

    def __init__(self, *order: int) -> None:
        super().__init__()
        self.order = order

    def forward(self, x: Tensor) -> Tensor:
        return x.permute(self.order)


TO_LAST = (0, 2, 3, 4, 1)
TO_SECOND = (0, 4, 1, 2, 3)
"""(n, c, d, h, w) -> (n, d, h, w, c), and back."""


class Lift(nn.Module):
    """A layer applied to frames: dimensions 1 and 2 swapped around it."""

    def forward(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2)


def upsampler(scale: int, width: int) -> nn.Sequential:
    """Return the layers that enlarge frames by 3 once or by 2 as often as a power of two asks for."""
    layers: list[nn.Module] = []
    for step in [3] if scale == 3 else [2] * (scale.bit_length() - 1):
        layers += [
            nn.Conv3d(width, step**2 * width, (1, 3, 3), padding=(0, 1, 1)),
            Lift(),
            nn.PixelShuffle(step),
            Lift(),
            nn.LeakyReLU(0.1, inplace=True),
        ]
    return nn.Sequential(*layers, nn.Conv3d(width, width, (1, 3, 3), padding=(0, 1, 1)))

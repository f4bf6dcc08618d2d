# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-FileCopyrightText: 2021 SwinIR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Swin Transformer blocks: window attention, shifted in every second block, in residual groups.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/swinir_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from trainlint_zoo.blocks.attention.attention_bias import bias_of
from trainlint_zoo.blocks.attention.windows import (
    Mlp,
    connection,
    drop_path,
    image,
    partition,
    reverse,
    tokens,
)


@dataclass(frozen=True, slots=True)
class Options:
    """What one block is made of: widths, window, rates."""

    dim: int
    heads: int
    side: int
    shift: int
    ratio: float
    qkv_bias: bool
    qk_scale: float | None
    drop: float
    attn_drop: float
    drop_path: float


class AttentionOptions(Protocol):
    """What window attention takes of a block's options."""

    @property
    def dim(self) -> int:
        """Channels of a token."""

    @property
    def heads(self) -> int:
        """Heads, of dim // heads channels each."""

    @property
    def qkv_bias(self) -> bool:
        """Whether queries, keys and values have a bias."""

    @property
    def qk_scale(self) -> float | None:
        """What queries are multiplied by; None: (dim // heads) ** -0.5."""

    @property
    def drop(self) -> float:
        """Dropout of the projection."""

    @property
    def attn_drop(self) -> float:
        """Dropout of the scores."""


class WindowAttention(nn.Module):
    """Attention inside windows with a relative position bias; scores are materialized.

    The pairs' positions are a buffer of each attention; HAT makes them once and gives them to every call
    (`own_index` False).
    """

    def __init__(self, options: AttentionOptions, side: int, *, own_index: bool = True) -> None:
        super().__init__()
        dim, heads = options.dim, options.heads
        self.heads = heads
        self.scale = options.qk_scale or (dim // heads) ** -0.5
        self.relative_position_bias_table = nn.Parameter(torch.empty((2 * side - 1) ** 2, heads))
        if own_index:
            index = torch.empty(side**2, side**2, dtype=torch.int64)
            self.register_buffer("relative_position_index", index)
        self.qkv = nn.Linear(dim, dim * 3, bias=options.qkv_bias)
        self.attn_drop = nn.Dropout(options.attn_drop)
        self.proj = nn.Linear(dim, dim)
        self.proj_drop = nn.Dropout(options.drop)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x: Tensor, mask: Tensor | None, index: Tensor | None = None) -> Tensor:
        """Attend in windows.

        `x` is (samples x windows, tokens, channels), and so is what returns; `mask` (windows, tokens, tokens)
        is added to the scores, `index` (tokens, tokens) points into the bias's table.
        """
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        index = self.get_buffer("relative_position_index") if index is None else index
        bias = bias_of(self.relative_position_bias_table, index)
        attn = attn + bias
        if mask is not None:
            windows = mask.shape[0]
            attn = attn.view(b // windows, windows, self.heads, n, n) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.heads, n, n)
        attn = self.softmax(attn)
        attn = self.attn_drop(attn)
        x = (attn @ v).transpose(1, 2).reshape(b, n, c)
        x = self.proj(x)
        out: Tensor = self.proj_drop(x)
        return out


class Block(nn.Module):
    """Window attention and an MLP, each in a residual; every second block shifts its windows."""

    def __init__(self, options: Options, size: tuple[int, int]) -> None:
        super().__init__()
        self.size = size
        whole = min(size) <= options.side
        self.side, self.shift = (min(size), 0) if whole else (options.side, options.shift)
        self.norm1 = nn.LayerNorm(options.dim)
        self.attn = self.attention(options)
        self.drop_path = drop_path(options.drop_path)
        self.norm2 = nn.LayerNorm(options.dim)
        self.mlp = self.feed_forward(options.dim, int(options.dim * options.ratio), options.drop)
        self.register_buffer("attn_mask", self.mask(size) if self.shift > 0 else None)

    def attention(self, options: Options) -> nn.Module:
        """Return the attention over windows."""
        return WindowAttention(options, self.side)

    def feed_forward(self, dim: int, hidden: int, drop: float) -> nn.Module:
        """Return the MLP."""
        return Mlp(dim, hidden, drop)

    def mask(self, size: tuple[int, int]) -> Tensor:
        """Return room for the mask of shifted windows, (windows, n, n); built on the CPU and copied over."""
        return torch.empty((size[0] // self.side) * (size[1] // self.side), self.side**2, self.side**2)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        h, w = size
        b, _, c = x.shape
        shortcut = x
        x = self.norm1(x)
        x = x.view(b, h, w, c)
        shifted = torch.roll(x, (-self.shift, -self.shift), (1, 2)) if self.shift > 0 else x
        windows = partition(shifted, self.side)
        windows = windows.view(-1, self.side**2, c)
        attended = self.attend(windows, size)
        attended = attended.view(-1, self.side, self.side, c)
        shifted = reverse(attended, self.side, h, w)
        x = torch.roll(shifted, (self.shift, self.shift), (1, 2)) if self.shift > 0 else shifted
        x = x.view(b, h * w, c)
        x = shortcut + self.drop_path(x)
        out: Tensor = x + self.drop_path(self.feed(x, size))
        return out

    def feed(self, x: Tensor, size: tuple[int, int]) -> Tensor:  # noqa: ARG002  SRFormer's MLP needs the size
        """Run the MLP on the normalized tokens."""
        out: Tensor = self.mlp(self.norm2(x))
        return out

    def attend(self, windows: Tensor, size: tuple[int, int]) -> Tensor:
        """Attend with the stored mask, or with a new one where the image has another size."""
        mask = self._buffers["attn_mask"] if size == self.size else self.mask(size).to(windows.device)
        out: Tensor = self.attn(windows, mask)
        return out


def block_options(layout: tuple[int, int, int], rest: tuple[Any, ...], rates: list[float]) -> list[Options]:
    """Return the options of a layer's blocks: every second one shifts by half a window."""
    half = layout[2] // 2
    fields = ((*layout, half * (index % 2), *rest, rate) for index, rate in enumerate(rates))
    return [Options(*values) for values in fields]


class Blocks(nn.Module):
    """A layer's blocks (BasicSR's `residual_group`)."""

    def __init__(self, blocks: Sequence[nn.Module], use_checkpoint: bool) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.use_checkpoint = use_checkpoint

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        for block in self.blocks:
            x = checkpoint(block, x, size, use_reentrant=True) if self.use_checkpoint else block(x, size)
        return x


class Group(nn.Module):
    """Blocks and a convolution in a residual."""

    def __init__(
        self, dim: int, blocks: Sequence[nn.Module], resi_connection: str, use_checkpoint: bool
    ) -> None:
        super().__init__()
        self.residual_group = Blocks(blocks, use_checkpoint)
        self.conv = connection(dim, resi_connection)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        return tokens(self.conv(image(self.residual_group(x, size), size))) + x

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2023 korouuuuu
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""HMA: fused convolutions, window attention, and attention over a shuffled grid.

Source: neosr-project/neosr 236a9c15, neosr/archs/hma_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.attention.position_bias import PositionBias
from trainlint_zoo.blocks.attention.windows import Mlp, drop_path, partition, reverse, rising
from trainlint_zoo.blocks.residual import Upsample

BUILDERS = {"neosr:hma": "HMA"}

Size = tuple[int, int]


def shuffle(x: Tensor, step: int) -> Tensor:
    """(b, h, w, c) -> (b x step x step, h / step, w / step, c): every step-th pixel together, copied."""
    _, h, w, c = x.shape
    x = x.view(-1, h // step, step, w // step, step, c).permute(0, 2, 4, 1, 3, 5).contiguous()
    return x.view(-1, h // step, w // step, c)


def unshuffle(x: Tensor, step: int) -> Tensor:
    """Undo `shuffle`."""
    _, h, w, c = x.shape
    x = x.view(-1, step, step, h, w, c)
    return x.permute(0, 3, 1, 4, 2, 5).contiguous().view(-1, h * step, w * step, c)


class WindowAttention(nn.Module):
    """Attention of windows whose query, key and value were projected outside."""

    def __init__(self, dim: int, side: int, heads: int) -> None:
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.relative_position_bias_table = nn.Parameter(torch.empty((2 * side - 1) ** 2, heads))
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Tensor, index: Tensor, mask: Tensor | None) -> Tensor:
        b, n, c = x.shape
        qkv = x.reshape(b, n, 3, self.heads, c // self.heads // 3).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        bias = self.relative_position_bias_table[index.view(-1)].view(n, n, -1)
        attn = attn + bias.permute(2, 0, 1).contiguous().unsqueeze(0)
        if mask is not None:
            windows = mask.shape[0]
            attn = attn.view(b // windows, windows, self.heads, n, n) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.heads, n, n)
        attn = attn.softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).reshape(b, n, c // 3)
        out: Tensor = self.proj(x)
        return out


class FAB(nn.Module):
    """Window attention, shifted in every other block, and an MLP."""

    def __init__(self, dim: int, side: int, heads: int, *, shift: int, ratio: float, drop: float) -> None:
        super().__init__()
        self.side, self.shift = side, shift
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, dim * 3)
        self.attn = WindowAttention(dim, side, heads)
        self.drop_path = drop_path(drop)
        self.mlp = Mlp(dim, int(dim * ratio), 0.0)

    def forward(self, x: Tensor, size: Size, index: Tensor, mask: Tensor) -> Tensor:
        h, w = size
        b, _, c = x.shape
        shortcut = x
        x = self.norm1(x).view(b, h, w, c)
        if self.shift:
            x = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        windows = partition(x, self.side).view(-1, self.side**2, c)
        windows = self.attn(self.qkv(windows), index, mask if self.shift else None)
        x = reverse(windows.view(-1, self.side, self.side, c), self.side, h, w)
        if self.shift:
            x = torch.roll(x, shifts=(self.shift, self.shift), dims=(1, 2))
        x = shortcut + self.drop_path(x.view(b, h * w, c))
        out: Tensor = x + self.drop_path(self.mlp(self.norm2(x)))
        return out


class SE(nn.Module):
    """Squeeze and excite."""

    def __init__(self, width: int, narrow: int) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Conv2d(width, narrow, 1), nn.Conv2d(narrow, width, 1)
        self.act = nn.SiLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        gate = self.fc2(self.act(self.fc1(x.mean((2, 3), keepdim=True))))
        return x * torch.sigmoid(gate)


class FusedConv(nn.Module):
    """A 3x3 convolution to six times the channels, gated, and back."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        wide = dim * 6
        self.pre_norm, self.norm1 = nn.LayerNorm(dim), nn.LayerNorm(wide)
        self.fused_conv = nn.Conv2d(dim, wide, 3, 1, 1)
        self.act1 = nn.GELU()
        self.se = SE(wide, wide // 2)
        self.conv3_1x1 = nn.Conv2d(wide, dim, 1)

    def forward(self, x: Tensor, size: Size, _index: Tensor, _mask: Tensor) -> Tensor:
        h, w = size
        b, _, c = x.shape
        shortcut = x
        x = self.pre_norm(x.view(b, h, w, c)).permute(0, 3, 1, 2)
        x = self.fused_conv(x).permute(0, 2, 3, 1).contiguous()
        x = self.act1(self.norm1(x).permute(0, 3, 1, 2).contiguous())
        x = self.se(x)
        out: Tensor = self.conv3_1x1(x).permute(0, 2, 3, 1).contiguous().view(b, h * w, c) + shortcut
        return out


class Affine(nn.Module):
    """Attention with a position bias from a network, for a grid of any size."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.scale = (dim // heads) ** -0.5
        self.pos = PositionBias(dim // 4, heads)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, size: Size) -> Tensor:
        h, w = size
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        biases = torch.empty((2 * h - 1) * (2 * w - 1), 2, device=attn.device)
        coords = torch.empty(2, h * w, dtype=torch.int64, device=attn.device)
        relative = coords[:, :, None] - coords[:, None, :]
        relative = relative.permute(1, 2, 0).contiguous()
        index = relative.sum(-1)
        pos = self.pos(biases)
        bias = pos[index.view(-1)].view(h * w, h * w, -1).permute(2, 0, 1).contiguous()
        attn = attn + bias.unsqueeze(0)
        out: Tensor = attn.softmax(dim=-1) @ v
        return out


class GAB(nn.Module):
    """Half of the channels attend over the grid, a quarter each in windows and in shifted rows."""

    def __init__(self, dim: int, side: int, step: int, heads: int, ratio: float) -> None:
        super().__init__()
        self.side, self.step, self.heads = side, step, heads // 2
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, dim * 3)
        self.grid_proj = nn.Linear(dim, dim // 2)
        self.first, self.second = Affine(dim // 2, self.heads), Affine(dim // 2, self.heads)
        self.window_attn = WindowAttention(dim // 4, side, self.heads)
        self.window_attn_s = WindowAttention(dim // 4, side, self.heads)
        self.fc = nn.Linear(dim, dim)
        self.mlp = Mlp(dim, int(dim * ratio), 0.0)

    def over_grid(self, qkv: Tensor, grid: Tensor, size: Size) -> Tensor:
        """Attend twice, through the grid's tokens."""
        b, n, c = grid.shape
        qkv = qkv.reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        grid = grid.reshape(b, n, self.heads, -1).permute(0, 2, 1, 3)
        q, k, v = qkv[0], qkv[1], qkv[2]
        x = self.first(grid, k, v, size)
        x = self.second(q, grid, x, size)
        out: Tensor = x.transpose(1, 2).reshape(b, n, c)
        return out

    def forward(self, x: Tensor, size: Size, index: Tensor, mask: Tensor) -> Tensor:
        h, w = size
        b, _, c = x.shape
        side, shift = self.side, self.side // 2
        shortcut = x
        x_window, x_qkv = torch.split(self.qkv(x), c * 3 // 2, dim=-1)
        grid = (h // self.step, w // self.step)
        x_grid = self.grid_proj(shuffle(x.view(b, h, w, c), self.step).view(-1, grid[0] * grid[1], c))
        x_qkv = shuffle(x_qkv.view(b, h, w, -1), self.step).view(-1, grid[0] * grid[1], c * 3 // 2)
        grids = self.over_grid(x_qkv, x_grid, grid).view(-1, *grid, c // 2)
        grids = unshuffle(grids, self.step).view(b, h * w, c // 2)
        plain, moved = torch.split(x_window.view(b, h, w, c * 3 // 2), c * 3 // 4, dim=-1)
        plain = partition(plain, side).view(-1, side * side, c * 3 // 4)
        moved = torch.roll(moved, shifts=(-shift, -shift), dims=(1, 2)).view(-1, side * side, c * 3 // 4)
        plain = self.window_attn(plain, index, None).view(-1, side, side, c // 4)
        plain = reverse(plain, side, h, w).view(b, h * w, c // 4)
        moved = self.window_attn_s(moved, index, mask).view(-1, side, side, c // 4)
        moved = reverse(moved, side, h, w).view(b, h * w, c // 4)
        moved = torch.roll(moved, shifts=(shift, shift), dims=(1, 2))
        x = torch.cat([torch.cat([plain, moved], dim=-1), grids], dim=-1)
        x = shortcut + self.norm1(self.fc(x))
        out: Tensor = x + self.norm2(self.mlp(x))
        return out


class Group(nn.Module):
    """A fused convolution before every other attention block, the grid's block, and a convolution."""

    def __init__(
        self, dim: int, heads: int, side: int, step: int, *, ratio: float, drops: list[float]
    ) -> None:
        super().__init__()
        self.blocks = nn.ModuleList()
        for number, drop in enumerate(drops):
            if number % 2 == 0:
                self.blocks.append(FusedConv(dim))
            shift = side // 2 if number % 2 else 0
            self.blocks.append(FAB(dim, side, heads, shift=shift, ratio=ratio, drop=drop))
        self.gab = GAB(dim, side, step, heads, ratio)
        self.scale = nn.Parameter(torch.empty(dim))
        self.conv = nn.Conv2d(dim, dim, 3, 1, 1)

    def forward(self, x: Tensor, size: Size, index: Tensor, mask: Tensor) -> Tensor:
        shortcut = x
        for block in self.blocks:
            x = block(x, size, index, mask)
        y = self.gab(x, size, index, mask)
        x = x + y * self.scale
        image = self.conv(x.transpose(1, 2).contiguous().view(len(x), -1, *size))
        out: Tensor = image.flatten(2).transpose(1, 2) + shortcut
        return out


class HMA(nn.Module):
    """Groups in a long residual; the image's sides must be multiples of the window."""

    def __init__(
        self,
        *,
        in_chans: Positive = 3,
        embed_dim: Positive = 60,
        depths: Sequence[int] = (6, 6, 6, 6),
        num_heads: Sequence[int] = (6, 6, 6, 6),
        window_size: Positive = 8,
        interval_size: Positive = 4,
        mlp_ratio: float = 2.0,
        drop_path_rate: float = 0.1,
        scale: Positive = 4,
        upscale: Positive | None = None,
        **rest: object,
    ) -> None:
        super().__init__()
        if rest.get("drop_rate") or rest.get("attn_drop_rate") or rest.get("ape"):
            raise CannotTraceError("hma with dropout or absolute positions")
        self.side = window_size
        self.register_buffer(
            "relative_position_index_SA", torch.empty(window_size**2, window_size**2, dtype=torch.int64)
        )
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_norm, self.norm = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.layers = nn.ModuleList(
            Group(embed_dim, heads, window_size, interval_size, ratio=mlp_ratio, drops=drops)
            for heads, drops in zip(num_heads, rising(drop_path_rate, depths), strict=True)
        )
        self.conv_after_body = nn.Conv2d(embed_dim, embed_dim, 3, 1, 1)
        before = nn.Conv2d(embed_dim, 64, 3, 1, 1)
        self.conv_before_upsample = nn.Sequential(before, nn.LeakyReLU(inplace=True))
        self.upsample = Upsample(upscale or scale, 64)
        self.conv_last = nn.Conv2d(64, in_chans, 3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        mean = torch.empty(1, 3, 1, 1, dtype=x.dtype, device=x.device)
        x = (x - mean) * 1.0
        x = self.conv_first(x)
        x = self.conv_after_body(self.features(x)) + x
        x = self.conv_before_upsample(x)
        x = self.conv_last(self.upsample(x))
        return x / 1.0 + mean

    def features(self, x: Tensor) -> Tensor:
        """Run the groups on tokens; the mask lives as long."""
        size = (x.shape[2], x.shape[3])
        mask = self.mask(size, x.device)
        index = self.get_buffer("relative_position_index_SA")
        x = self.patch_norm(x.flatten(2).transpose(1, 2))
        for layer in self.layers:
            x = layer(x, size, index, mask)
        x = self.norm(x)
        return x.transpose(1, 2).contiguous().view(len(x), -1, *size)

    def mask(self, size: Size, device: torch.device) -> Tensor:
        """Return the shifted windows' attention mask, made again: (windows, tokens, tokens) of fp32."""
        regions = partition(torch.zeros(1, *size, 1, device=device), self.side).view(-1, self.side**2)
        difference = regions.unsqueeze(1) - regions.unsqueeze(2)
        return difference.masked_fill(difference != 0, -100.0).masked_fill(difference == 0, 0.0)

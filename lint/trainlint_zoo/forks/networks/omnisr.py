# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: Omni-SR authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Omni-SR: window, channel and grid attention in turn, each with a gated feed-forward after it.

Sources: Francis0625/Omni-SR 1b11cda8, components/OmniSR.py and ops/; muslll/neosr de9c33cc,
neosr/archs/omnisr_arch.py; the-database/traiNNer-redux b47dba20, traiNNer/archs/omnisr_arch.py.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.naf import LayerNorm2d

BUILDERS = {
    "OmniSR": "OmniSR",
    "trainner-redux:omnisr": "redux_omnisr",
    "neosr:omnisr": "neosr_omnisr",
}

HEADS = 4


class Residual(nn.Module):
    """A layer on the normalized input, added to the input."""

    def __init__(self, norm: nn.Module, fn: nn.Module) -> None:
        super().__init__()
        self.norm = norm
        self.fn = fn

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.fn(self.norm(x)) + x
        return out


class Gate(nn.Module):
    """Scale each channel by what a squeezed MLP makes of its mean."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gate = nn.Sequential(
            nn.Linear(dim, dim // 4, bias=False),
            nn.SiLU(),
            nn.Linear(dim // 4, dim, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x * self.gate(x.mean((2, 3)))[:, :, None, None]
        return out


class Local(nn.Module):
    """1x1, depthwise and 1x1 convolutions with a gate, added to the input."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.fn = nn.Sequential(
            nn.Conv2d(dim, dim, 1),
            nn.GELU(),
            nn.Conv2d(dim, dim, 3, padding=1, groups=dim),
            nn.GELU(),
            Gate(dim),
            nn.Conv2d(dim, dim, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.fn(x) + x
        return out


class FeedForward(nn.Module):
    """Half of a depthwise convolution's channels, activated, scales the other half."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.project_in = nn.Conv2d(dim, dim * 2, 1, bias=False)
        self.dwconv = nn.Conv2d(dim * 2, dim * 2, 3, padding=1, groups=dim * 2, bias=False)
        self.project_out = nn.Conv2d(dim, dim, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        x = self.project_in(x)
        x1, x2 = self.dwconv(x).chunk(2, dim=1)
        x = F.gelu(x1) * x2
        out: Tensor = self.project_out(x)
        return out


class Attention(nn.Module):
    """Attention between the places of a window; scores are materialized."""

    def __init__(self, dim: int, side: int, with_pe: bool) -> None:
        super().__init__()
        head = dim // 4
        if dim % head:
            raise ValueError(f"{dim} channels are not a multiple of {head} per head")
        self.heads = dim // head
        self.scale = head**-0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(dim, dim, bias=False), nn.Dropout(0.0))
        self.drop = nn.Dropout(0.0)
        self.with_pe = with_pe
        if with_pe:
            self.rel_pos_bias = nn.Embedding((2 * side - 1) ** 2, self.heads)
            indices = torch.empty(side**2, side**2, dtype=torch.int64)
            self.register_buffer("rel_pos_indices", indices, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(b, rows, columns, side, side, c) to the same."""
        shape = x.shape
        n, c = shape[3] * shape[4], shape[5]
        x = x.reshape(-1, n, c)
        parts = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (part.reshape(-1, n, self.heads, c // self.heads).permute(0, 2, 1, 3) for part in parts)
        q = q * self.scale
        sim = torch.einsum("b h i d, b h j d -> b h i j", q, k)
        if self.with_pe:
            bias = self.rel_pos_bias(self.get_buffer("rel_pos_indices"))
            sim = sim + bias.permute(2, 0, 1)
        attn = self.drop(sim.softmax(dim=-1))
        out = torch.einsum("b h i j, b h j d -> b h i d", attn, v)
        out = out.permute(0, 2, 1, 3).reshape(-1, shape[3], shape[4], c)
        out = self.to_out(out)
        result: Tensor = out.reshape(shape)
        return result


class ChannelAttention(nn.Module):
    """Attention between the channels of a head, inside each window or grid of places."""

    def __init__(self, dim: int, side: int, *, grid: bool) -> None:
        super().__init__()
        self.side, self.grid = side, grid
        self.temperature = nn.Parameter(torch.empty(HEADS, 1, 1))
        self.qkv = nn.Conv2d(dim, dim * 3, 1, bias=False)
        self.qkv_dwconv = nn.Conv2d(dim * 3, dim * 3, 3, 1, 1, groups=dim * 3, bias=False)
        self.project_out = nn.Conv2d(dim, dim, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        h, w = x.shape[2] // self.side, x.shape[3] // self.side
        parts = self.qkv_dwconv(self.qkv(x)).chunk(3, dim=1)
        q, k, v = (self.split(part, h, w) for part in parts)
        q = F.normalize(q, dim=-1)
        k = F.normalize(k, dim=-1)
        attn = (q @ k.transpose(-2, -1)) * self.temperature
        attn = attn.softmax(dim=-1)
        out = attn @ v
        result: Tensor = self.project_out(self.join(out, h, w))
        return result

    def split(self, x: Tensor, h: int, w: int) -> Tensor:
        """(b, c, h side, w side) -> (b, groups, heads, channels of a head, places of a group)."""
        s = self.side
        x = x.reshape(x.shape[0], HEADS, -1, h, s, w, s)
        if self.grid:
            return x.permute(0, 4, 6, 1, 2, 3, 5).reshape(x.shape[0], s * s, HEADS, -1, h * w)
        return x.permute(0, 3, 5, 1, 2, 4, 6).reshape(x.shape[0], h * w, HEADS, -1, s * s)

    def join(self, x: Tensor, h: int, w: int) -> Tensor:
        """Undo `split`."""
        s, b, d = self.side, x.shape[0], x.shape[3]
        if self.grid:
            x = x.reshape(b, s, s, HEADS, d, h, w).permute(0, 3, 4, 5, 1, 6, 2)
        else:
            x = x.reshape(b, h, w, HEADS, d, s, s).permute(0, 3, 4, 1, 5, 2, 6)
        return x.reshape(b, HEADS * d, h * s, w * s)


class Block(nn.Module):
    """Local convolutions, attention over windows, then over a grid, each followed by channel attention."""

    def __init__(self, dim: int, side: int, with_pe: bool) -> None:
        super().__init__()
        self.side = side
        self.local = Local(dim)
        self.window = Residual(nn.LayerNorm(dim), Attention(dim, side, with_pe))
        self.after_window = self.mixed(dim, side, grid=False)
        self.grid = Residual(nn.LayerNorm(dim), Attention(dim, side, with_pe))
        self.after_grid = self.mixed(dim, side, grid=True)

    def mixed(self, dim: int, side: int, *, grid: bool) -> nn.Module:
        """Return channel attention between two gated feed-forwards."""
        return nn.Sequential(
            Residual(LayerNorm2d(dim), FeedForward(dim)),
            Residual(LayerNorm2d(dim), ChannelAttention(dim, side, grid=grid)),
            Residual(LayerNorm2d(dim), FeedForward(dim)),
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.local(x)
        b, c, height, width = x.shape
        s = self.side
        h, w = height // s, width // s
        x = x.reshape(b, c, h, s, w, s).permute(0, 2, 4, 3, 5, 1)
        x = self.window(x)
        x = x.permute(0, 5, 1, 3, 2, 4).reshape(b, c, height, width)
        x = self.after_window(x)
        x = x.reshape(b, c, s, h, s, w).permute(0, 3, 5, 2, 4, 1)
        x = self.grid(x)
        x = x.permute(0, 5, 3, 1, 4, 2).reshape(b, c, height, width)
        out: Tensor = self.after_grid(x)
        return out


class SpatialAttention(nn.Module):
    """Scale the map by a gate made at a sixth of its size."""

    def __init__(self, narrow: int, dim: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(dim, narrow, 1)
        self.conv_f = nn.Conv2d(narrow, narrow, 1)
        self.conv2 = nn.Conv2d(narrow, narrow, 3, 2)
        self.conv3 = nn.Conv2d(narrow, narrow, 3, padding=1)
        self.conv4 = nn.Conv2d(narrow, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        first = self.conv1(x)
        c1 = self.conv2(first)
        pooled = F.max_pool2d(c1, kernel_size=7, stride=3)
        c3 = self.conv3(pooled)
        c3 = F.interpolate(c3, x.shape[2:], mode="bilinear", align_corners=False)
        cf = self.conv_f(first)
        c4 = self.conv4(c3 + cf)
        m = torch.sigmoid(c4)
        return x * m


class Group(nn.Module):
    """Blocks and a 1x1 convolution in a residual, then spatial attention."""

    def __init__(self, dim: int, blocks: int, side: int, *, bias: bool, pe: bool) -> None:
        super().__init__()
        layers = [Block(dim, side, pe) for _ in range(blocks)]
        self.residual_layer = nn.Sequential(*layers, nn.Conv2d(dim, dim, 1, bias=bias))
        self.esa = SpatialAttention(max(dim // 4, 16), dim)

    def forward(self, x: Tensor) -> Tensor:
        out = self.residual_layer(x)
        out = out + x
        result: Tensor = self.esa(out)
        return result


class OmniSR(nn.Module):
    """Groups in a long residual on an image padded to whole windows, one pixel shuffle."""

    copies = True  # an image that needs no padding too; spandrel's class, which redux takes, lets it through

    def __init__(
        self,
        *,
        res_num: Positive,
        upsampling: Positive,
        bias: bool,
        window_size: Positive,
        num_in_ch: Positive = 3,
        num_out_ch: Positive = 3,
        num_feat: Positive = 64,
        block_num: Positive = 4,
        pe: bool = False,
        ffn_bias: bool = False,  # handed on and never used
        **_: object,
    ) -> None:
        super().__init__()
        del ffn_bias
        self.side, self.scale = window_size, upsampling
        self.residual_layer = nn.Sequential(
            *(Group(num_feat, block_num, window_size, bias=bias, pe=pe) for _ in range(res_num))
        )
        self.input = nn.Conv2d(num_in_ch, num_feat, 3, 1, 1, bias=bias)
        self.output = nn.Conv2d(num_feat, num_feat, 3, 1, 1, bias=bias)
        self.up = nn.Sequential(
            nn.Conv2d(num_feat, num_out_ch * upsampling**2, 3, padding=1, bias=bias),
            nn.PixelShuffle(upsampling),
        )

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        pad = (0, -width % self.side, 0, -height % self.side)
        if any(pad) or self.copies:
            x = F.pad(x, pad)
        residual = self.input(x)
        out = self.residual_layer(residual)
        out = torch.add(self.output(out), residual)
        out = self.up(out)
        result: Tensor = out[:, :, : height * self.scale, : width * self.scale]
        return result


def redux_omnisr(
    *,
    scale: Positive = 4,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    num_feat: Positive = 64,
    res_num: Positive = 5,
    block_num: Positive = 1,
    bias: bool = True,
    window_size: Positive = 8,
    pe: bool = True,
    ffn_bias: bool = True,
) -> nn.Module:
    """Return redux's Omni-SR."""
    network = OmniSR(
        res_num=res_num, upsampling=scale, bias=bias, window_size=window_size, num_in_ch=num_in_ch,
        num_out_ch=num_out_ch, num_feat=num_feat, block_num=block_num, pe=pe, ffn_bias=ffn_bias,
    )  # fmt: skip
    network.copies = False
    return network


def neosr_omnisr(*, upsampling: Positive, window_size: Positive, **rest: Any) -> nn.Module:
    """Return neosr's Omni-SR, which does not look at the run's scale; TypeError for what it sets itself."""
    return OmniSR(
        upsampling=upsampling, window_size=window_size, res_num=5, block_num=1, bias=True, pe=True, **rest
    )

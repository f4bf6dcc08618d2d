# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: FDAT authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-FileCopyrightText: spandrel authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""FDAT: window attention and channel attention in turn, each next to a depthwise convolution.

Source: the-database/traiNNer-redux, traiNNer/archs/fdat_arch.py (25a45df8); UniUpsampleV3 as in
chaiNNer-org/spandrel, architectures/FDAT. In training, stochastic depth draws one number per sample.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.windows import drop_path, image, rising, tokens
from trainlint_zoo.blocks.sampling import UniUpsample, Upsampler, conv3, cropped, padded

BUILDERS = {
    "trainner-redux:fdat": "FDAT",
    "trainner-redux:fdat_tiny": (
        "FDAT",
        {
            "embed_dim": 96,
            "num_groups": 2,
            "depth_per_group": 2,
            "num_heads": 3,
            "ffn_expansion_ratio": 1.5,
            "drop_path_rate": 0.05,
            "upsampler_type": "transpose+conv",
        },
        ["mid_dim"],
    ),
    "trainner-redux:fdat_light": (
        "FDAT",
        {
            "embed_dim": 108,
            "num_groups": 3,
            "depth_per_group": 2,
            "drop_path_rate": 0.08,
            "upsampler_type": "transpose+conv",
        },
        ["mid_dim"],
    ),
    "trainner-redux:fdat_medium": ("FDAT", {"upsampler_type": "transpose+conv"}, ["mid_dim"]),
    "trainner-redux:fdat_medium_aligned": (
        "FDAT",
        {"embed_dim": 128, "upsampler_type": "transpose+conv"},
        ["mid_dim"],
    ),
    "trainner-redux:fdat_large": (
        "FDAT",
        {"embed_dim": 180, "depth_per_group": 4, "num_heads": 6, "upsampler_type": "transpose+conv"},
        ["mid_dim", "unshuffle_mod"],
    ),
    "trainner-redux:fdat_xl": (
        "FDAT",
        {
            "embed_dim": 180,
            "num_groups": 6,
            "depth_per_group": 6,
            "num_heads": 6,
            "upsampler_type": "transpose+conv",
        },
        ["mid_dim", "unshuffle_mod"],
    ),
}


class SpatialAttention(nn.Module):
    """Attention in windows, with a full table of biases; its matrix is materialized."""

    def __init__(self, dim: int, side: int, heads: int) -> None:
        super().__init__()
        self.side, self.heads = side, heads
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.proj = nn.Linear(dim, dim)
        self.bias = nn.Parameter(torch.empty(heads, side**2, side**2))

    def forward(self, x: Tensor, height: int, width: int) -> Tensor:
        b, n, c = x.shape
        side, right, down = self.side, -width % self.side, -height % self.side
        if right or down:
            x = F.pad(x.view(b, height, width, c), (0, 0, 0, right, 0, down)).view(b, -1, c)
        rows, columns = (height + down) // side, (width + right) // side
        x = x.view(b, rows, side, columns, side, c).permute(0, 1, 3, 2, 4, 5).contiguous()
        x = x.view(-1, side**2, c)
        qkv = self.qkv(x).view(-1, side**2, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = (q * (c // self.heads) ** -0.5 @ k.transpose(-2, -1)) + self.bias
        x = (F.softmax(attn, dim=-1) @ v).transpose(1, 2).reshape(-1, side**2, c)
        x = self.proj(x).view(b, rows, columns, side, side, c).permute(0, 1, 3, 2, 4, 5).contiguous()
        x = x.view(b, height + down, width + right, c)
        if right or down:
            x = x[:, :height, :width, :].contiguous()
        return x.view(b, n, c)


class ChannelAttention(nn.Module):
    """Attention between channels, of the size of a head."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.temp = nn.Parameter(torch.empty(heads, 1, 1))
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Tensor, _height: int, _width: int) -> Tensor:
        b, n, c = x.shape
        qkv = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q, k = F.normalize(q.transpose(-2, -1), dim=-1), F.normalize(k.transpose(-2, -1), dim=-1)
        attn = F.softmax((q @ k.transpose(-2, -1)) * self.temp, dim=-1)
        mixed = (attn @ v.transpose(-2, -1)).permute(0, 3, 1, 2).reshape(b, n, c)
        out: Tensor = self.proj(mixed)
        return out


class Interaction(nn.Module):
    """One branch weighs the other: by a map of pixels, or by a vector of channels."""

    def __init__(self, dim: int, reduction: int) -> None:
        super().__init__()
        self.sg = nn.Sequential(nn.Conv2d(dim, 1, 1, bias=False), nn.Sigmoid())
        self.cg = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(dim, dim // reduction, 1, bias=False),
            nn.GELU(),
            nn.Conv2d(dim // reduction, dim, 1, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, attn: Tensor, conv: Tensor, size: tuple[int, int], *, spatial: bool) -> Tensor:
        b, n, c = attn.shape
        if spatial:
            weight = self.cg(image(conv, size)).view(b, c, 1).transpose(1, 2)
            out: Tensor = attn * weight + conv
        else:
            weight = self.sg(image(attn, size)).view(b, 1, n).transpose(1, 2)
            out = attn + conv * weight
        return out


class FeedForward(nn.Module):
    """Two linear layers with a depthwise convolution between them."""

    def __init__(self, dim: int, expansion: float) -> None:
        super().__init__()
        hidden = int(dim * expansion)
        self.fc1 = nn.Linear(dim, hidden, bias=False)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden, dim, bias=False)
        self.smix = nn.Conv2d(hidden, hidden, 3, 1, 1, groups=hidden, bias=False)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        b, n, _ = x.shape
        x = self.act(self.fc1(x))
        mixed = self.smix(image(x, size)).view(b, x.shape[-1], n).transpose(1, 2)
        out: Tensor = self.fc2(mixed)
        return out


class DATBlock(nn.Module):
    """One attention next to a convolution, then a feed-forward network."""

    def __init__(
        self,
        dim: int,
        *,
        heads: int,
        side: int,
        expansion: float,
        reduction: int,
        kind: str,
        drop: float,
    ) -> None:
        super().__init__()
        self.spatial = kind == "spatial"
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SpatialAttention(dim, side, heads) if self.spatial else ChannelAttention(dim, heads)
        self.conv = nn.Sequential(nn.Conv2d(dim, dim, 3, 1, 1, groups=dim, bias=False), nn.GELU())
        self.inter = Interaction(dim, reduction)
        self.dp = drop_path(drop)
        self.ffn = FeedForward(dim, expansion)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        b, n, c = x.shape
        n1 = self.n1(x)
        attended = self.attn(n1, *size)
        convolved = self.conv(image(n1, size)).view(b, c, n).transpose(1, 2)
        fused = self.inter(attended, convolved, size, spatial=self.spatial)
        del attended, convolved
        x = x + self.dp(fused)
        out: Tensor = x + self.dp(self.ffn(self.n2(x), size))
        return out


class ResidualGroup(nn.Module):
    """Blocks on tokens, then a convolution, in a residual."""

    def __init__(self, dim: int, drops: list[float], pattern: list[str], **block: Any) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            DATBlock(dim, kind=pattern[i % len(pattern)], drop=drop, **block) for i, drop in enumerate(drops)
        )
        self.conv = conv3(dim, dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        seq = tokens(x).contiguous()
        for block in self.blocks:
            seq = block(seq, (height, width))
        out: Tensor = self.conv(image(seq, (height, width))) + x
        return out


class FDAT(nn.Module):
    """Groups in a long residual; scales 1 and 2 may shrink the input by pixel-unshuffle."""

    def __init__(
        self,
        *,
        num_in_ch: Positive = 3,
        num_out_ch: Positive = 3,
        scale: Positive = 4,
        embed_dim: Positive = 120,
        num_groups: Positive = 4,
        depth_per_group: Positive = 3,
        num_heads: Positive = 4,
        window_size: Positive = 8,
        ffn_expansion_ratio: float = 2.0,
        aim_reduction_ratio: Positive = 8,
        group_block_pattern: list[str] | None = None,
        drop_path_rate: float = 0.1,
        mid_dim: Positive = 64,
        upsampler_type: Upsampler = "pixelshuffle",
        img_range: float = 1.0,  # noqa: ARG002  the published network ignores it too
        unshuffle_mod: bool = False,
    ) -> None:
        super().__init__()
        pattern = group_block_pattern or ["spatial", "channel"]
        self.scale = scale
        self.pad = 4 // scale if unshuffle_mod and scale < 3 else 1
        shrink = [nn.PixelUnshuffle(self.pad)] if self.pad > 1 else []
        self.conv_first = nn.Sequential(*shrink, conv3(num_in_ch * self.pad**2, embed_dim))
        block = {
            "heads": num_heads, "side": window_size, "expansion": ffn_expansion_ratio,
            "reduction": aim_reduction_ratio,
        }  # fmt: skip
        drops = rising(drop_path_rate, [depth_per_group * len(pattern)] * num_groups)
        self.groups = nn.Sequential(*(ResidualGroup(embed_dim, rates, pattern, **block) for rates in drops))
        self.conv_after = conv3(embed_dim, embed_dim, bias=False)
        self.upsampler = UniUpsample(
            upsampler_type, 4 if self.pad > 1 else scale, embed_dim, num_out_ch, mid_dim
        )

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        if self.pad > 1:
            x = padded(x, self.pad)
        shallow = self.conv_first(x)
        deep = self.groups(shallow)
        deep = self.conv_after(deep)
        out = self.upsampler(deep + shallow)
        return cropped(out, height * self.scale, width * self.scale)

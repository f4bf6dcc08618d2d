# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2023 DAT Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""DAT: blocks that attend inside rectangles and blocks that attend across channels, in turn.

Source: zhengchen1999/DAT 038cc445, basicsr/archs/dat_arch.py. Batch normalization of one value per channel
keeps it from training on a single sample.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.rectangle_attention import (
    Group,
    Grouped,
    Options,
    RectangleAttention,
    Tokens,
)
from trainlint_zoo.blocks.attention.windows import (
    BernoulliDropPath,
    connection,
    rising,
)
from trainlint_zoo.blocks.feed_forwards import GatedMLP
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean

BUILDERS = {"DAT": "DAT"}

UPSAMPLERS = ("pixelshuffle", "pixelshuffledirect")
GATE_KERNEL = 3


class Interaction(nn.Module):
    """What both kinds of attention share: a convolution, and maps by which they scale each other."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        dim = options.dim
        self.qkv = nn.Linear(dim, dim * 3, bias=options.qkv_bias)
        self.proj = nn.Linear(dim, dim)
        self.proj_drop = nn.Dropout(options.drop)
        self.dwconv = nn.Sequential(nn.Conv2d(dim, dim, 3, 1, 1, groups=dim), nn.BatchNorm2d(dim), nn.GELU())
        self.channel_interaction = nn.Sequential(nn.AdaptiveAvgPool2d(1), *_bottleneck(dim, dim // 8, dim))
        self.spatial_interaction = nn.Sequential(*_bottleneck(dim, dim // 16, 1))


def _bottleneck(dim: int, inner: int, out: int) -> list[nn.Module]:
    return [nn.Conv2d(dim, inner, 1), nn.BatchNorm2d(inner), nn.GELU(), nn.Conv2d(inner, out, 1)]


class Rectangles(nn.Module):
    """Rectangles on each half of the channels, to be inherited; the image is padded to whole ones."""

    options: Options

    def add_rectangles(self, options: Options) -> None:
        """Register both branches and, where they shift, their masks."""
        self.options = options
        self.attns = nn.ModuleList(RectangleAttention(options, branch) for branch in range(2))
        for branch in range(2):
            size = (options.side, options.side)
            self.register_buffer(
                f"attn_mask_{branch}", options.mask(branch, size) if options.shifted else None
            )

    def padded(self, qkv: Tensor) -> Tensor:
        """(3 b, c, h, w) -> whole rectangles."""
        largest = max(self.options.short, self.options.long)
        return F.pad(qkv, (0, -qkv.shape[3] % largest, 0, -qkv.shape[2] % largest))

    def attended(self, qkv: Tensor, size: tuple[int, int]) -> tuple[list[Tensor], tuple[object, ...]]:
        """(3 b, c, h, w), padded -> each half's tokens, (b, size, c / 2), and what is named until the end."""
        options = self.options
        b, c, *sides = qkv.shape
        b, whole = b // 3, (sides[0], sides[1])
        qkv = qkv.reshape(3, b, c, -1).transpose(-2, -1)
        halves: list[Tensor] = []
        outputs: list[Tensor] = []

        def part(x: Tensor) -> Tensor:
            return x[:, : size[0], : size[1], :].reshape(b, -1, c // 2)

        if options.shifted:
            qkv = qkv.view(3, b, *whole, c)
            halves = [options.rolled(qkv[..., : c // 2], 0), options.rolled(qkv[..., c // 2 :], 1)]
            outputs = [self.attns[n](halves[n], whole, self.mask(n, whole, qkv.device)) for n in range(2)]
            parts = [options.unrolled(half, n) for n, half in enumerate(outputs)]
            for n in range(2):
                parts[n] = part(parts[n])
        else:
            first = part(self.attns[0](qkv[..., : c // 2], whole, None))
            parts = [first, part(self.attns[1](qkv[..., c // 2 :], whole, None))]
        return parts, (halves, outputs)

    def mask(self, branch: int, size: tuple[int, int], device: torch.device) -> Tensor:
        """Return the branch's mask: the stored one, or a new one where the image has another size."""
        if size == (self.options.side, self.options.side):
            return self.get_buffer(f"attn_mask_{branch}")
        return self.options.mask(branch, size).to(device)


def _cut(x: Tensor, size: tuple[int, int]) -> Tensor:
    """(b, h, w, c) -> tokens of the image without its padding; a padded one is copied, and goes."""
    return x[:, : size[0], : size[1], :].reshape(x.shape[0], -1, x.shape[3])


class SpatialAttention(Interaction, Rectangles):
    """Rectangles on each half of the channels, and a convolution of the values next to them."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.add_rectangles(options)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        h, w = size
        b, length, c = x.shape
        qkv = self.qkv(x).reshape(b, -1, 3, c).permute(2, 0, 1, 3)
        v = qkv[2].transpose(-2, -1).contiguous().view(b, c, h, w)
        qkv = qkv.reshape(3 * b, h, w, c).permute(0, 3, 1, 2)
        qkv = self.padded(qkv)
        parts, _named = self.attended(qkv, size)
        attended = torch.cat(parts, dim=2)
        conv_x = self.dwconv(v)
        channel_map = self.channel_interaction(conv_x).permute(0, 2, 3, 1).contiguous().view(b, 1, c)
        reshaped = attended.transpose(-2, -1).contiguous().view(b, c, h, w)
        spatial_map = self.spatial_interaction(reshaped)
        attended = attended * torch.sigmoid(channel_map)
        conv_x = torch.sigmoid(spatial_map) * conv_x
        conv_x = conv_x.permute(0, 2, 3, 1).contiguous().view(b, length, c)
        x = attended + conv_x
        x = self.proj(x)
        out: Tensor = self.proj_drop(x)
        return out


class ChannelAttention(Interaction):
    """Attention whose tokens are channels."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.heads = options.heads
        self.temperature = nn.Parameter(torch.empty(options.heads, 1, 1))
        self.attn_drop = nn.Dropout(options.attn_drop)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads)
        qkv = qkv.permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0].transpose(-2, -1), qkv[1].transpose(-2, -1), qkv[2].transpose(-2, -1)
        flat = v.reshape(b, c, n).contiguous().view(b, c, *size)
        q = F.normalize(q, dim=-1)
        k = F.normalize(k, dim=-1)
        attn = (q @ k.transpose(-2, -1)) * self.temperature
        attn = attn.softmax(dim=-1)
        attn = self.attn_drop(attn)
        attended = (attn @ v).permute(0, 3, 1, 2).reshape(b, n, c)
        conv_x = self.dwconv(flat)
        reshaped = attended.transpose(-2, -1).contiguous().view(b, c, *size)
        channel_map = self.channel_interaction(reshaped)
        spatial_map = self.spatial_interaction(conv_x).permute(0, 2, 3, 1).contiguous().view(b, n, 1)
        attended = attended * torch.sigmoid(spatial_map)
        conv_x = conv_x * torch.sigmoid(channel_map)
        conv_x = conv_x.permute(0, 2, 3, 1).contiguous().view(b, n, c)
        x = attended + conv_x
        x = self.proj(x)
        out: Tensor = self.proj_drop(x)
        return out


class Block(nn.Module):
    """One kind of attention and a gated feed-forward."""

    def __init__(self, options: Options, *, spatial: bool) -> None:
        super().__init__()
        dim = options.dim
        self.norm1 = nn.LayerNorm(dim)
        self.attn = SpatialAttention(options) if spatial else ChannelAttention(options)
        self.drop_path = BernoulliDropPath(options.drop_path)
        self.ffn = GatedMLP(dim, int(dim * options.ratio), GATE_KERNEL)
        self.norm2 = nn.LayerNorm(dim)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        x = x + self.drop_path(self.attn(self.norm1(x), size))
        out: Tensor = x + self.drop_path(self.ffn(self.norm2(x), size))
        return out


def shifted(group: int, block: int) -> bool:
    """Say whether a block shifts its windows: blocks 2, 6, ... of even groups, 0, 4, ... of odd ones."""
    return block % 4 == (0 if group % 2 else 2)


class DAT(Grouped):
    """Convolution, groups, one of two upsamplers."""

    def __init__(
        self,
        *,
        img_size: Positive = 64,
        in_chans: Positive = 3,
        embed_dim: Positive = 180,
        split_size: Sequence[int] = (2, 4),
        depth: Sequence[int] = (2, 2, 2, 2),
        num_heads: Sequence[int] = (2, 2, 2, 2),
        expansion_factor: float = 4.0,
        qkv_bias: bool = True,
        qk_scale: float | None = None,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.1,
        use_chk: bool = False,
        upscale: Positive = 2,
        img_range: float = 1.0,
        resi_connection: str = "1conv",
        upsampler: str = "pixelshuffle",
        **_: object,
    ) -> None:
        super().__init__()
        if upsampler not in UPSAMPLERS:
            raise ValueError(f'upsampler must be one of {", ".join(UPSAMPLERS)}, is "{upsampler}"')
        self.img_range = img_range
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.before_RG = nn.Sequential(Tokens(), nn.LayerNorm(embed_dim))
        self.layers = nn.ModuleList()
        rest = (expansion_factor, qkv_bias, qk_scale, drop_rate, attn_drop_rate)
        for i, rates in enumerate(rising(drop_path_rate, depth)):
            shape = (embed_dim, num_heads[i], img_size, split_size[0], split_size[1])
            blocks = [
                Block(Options(*shape, shifted(i, n), *rest, rate), spatial=n % 2 == 0)
                for n, rate in enumerate(rates)
            ]
            self.layers.append(Group(blocks, embed_dim, resi_connection, use_chk))
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = connection(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, upscale, upsampler)

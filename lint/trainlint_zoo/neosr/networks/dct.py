"""DCT: half of the channels attend in rectangles, half linearly; every other block reuses what they found.

Source: pokepress/neosr 6a5654c5, neosr/archs/dct_arch.py (Dual Compression Transformer).
"""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.errors import CannotTraceError
from trainlint.signature import Positive
from trainlint_zoo.blocks.feed_forwards import GatedMLP
from trainlint_zoo.blocks.residual import image_mean
from trainlint_zoo.blocks.windows import connection, drop_path, image, rising, tokens
from trainlint_zoo.forks.networks.cat import Grouped, Options, Tokens
from trainlint_zoo.forks.networks.dat import GATE_KERNEL, HEADS, Rectangles, shifted

BUILDERS = {"neosr:dct": "DCT"}

GREY = (0.5, 0.5, 0.5)
REACH = 9
"""Tokens that the convolution of the values sees."""


class WindowAttention(Rectangles):
    """DAT's rectangles between two linear layers; a copy of the values is made and forgotten."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.qkv = nn.Linear(options.dim, options.dim * 3, bias=options.qkv_bias)
        self.proj = nn.Linear(options.dim, options.dim)
        self.proj_drop = nn.Dropout(options.drop)
        self.add_rectangles(options)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        b, _, c = x.shape
        qkv = self.qkv(x).reshape(b, -1, 3, c).permute(2, 0, 1, 3)
        qkv[2].transpose(-2, -1).contiguous()
        qkv = qkv.reshape(3 * b, *size, c).permute(0, 3, 1, 2)
        qkv = self.padded(qkv)
        parts, _named = self.attended(qkv, size)
        found = torch.cat(parts, dim=2)
        x = self.proj(found)
        return self.proj_drop(x)  # type: ignore[no-any-return]


class LinearAttention(nn.Module):
    """Attention whose scores are never made: keys times values first, and a convolution of the values."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.attn_drop = nn.Dropout(0.0)
        self.proj = nn.Linear(dim, dim)
        self.proj_drop = nn.Dropout(0.0)
        self.dconv = nn.Conv2d(heads, heads, (REACH, 1), padding=(REACH // 2, 0), groups=heads, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        b, length, c = x.shape
        qkv = self.qkv(x).reshape(b, length, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q = q / q.norm(dim=-1, keepdim=True)
        k = k / k.norm(dim=-1, keepdim=True)
        beside = self.dconv(v)
        attn = k.transpose(-2, -1) @ v
        x = 0.5 * v + 1.0 / math.pi * (q @ attn)
        x = x / x.norm(dim=-1, keepdim=True)
        x += beside
        x = x.transpose(1, 2).reshape(b, length, c)
        x = self.proj(x)
        return self.proj_drop(x)  # type: ignore[no-any-return]


class Block(nn.Module):
    """Normalisation of each half, what is added to the tokens, and a gated feed-forward."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(options.dim // 2)
        self.drop_path = drop_path(options.drop_path)
        self.ffn = GatedMLP(options.dim, int(options.dim * options.ratio), GATE_KERNEL)
        self.norm2 = nn.LayerNorm(options.dim)

    def fed(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        """Return the tokens after the feed-forward."""
        return x + self.drop_path(self.ffn(self.norm2(x), size))  # type: ignore[no-any-return]


class AttentionBlock(Block):
    """Both kinds of attention."""

    def __init__(self, options: Options, half: Options) -> None:
        super().__init__(options)
        self.swsa = WindowAttention(half)
        self.lla = LinearAttention(half.dim, half.heads)

    def forward(self, x: Tensor, size: tuple[int, int]) -> tuple[Tensor, Tensor]:
        c = x.shape[2]
        in_windows = self.swsa(self.norm1(x[:, :, : c // 2]), size)
        linear = self.norm1(x[:, :, c // 2 :])
        linear = self.lla(linear)
        found = torch.cat([in_windows, linear], dim=-1)
        x = x + self.drop_path(found)
        return self.fed(x, size), found


class ReusingBlock(Block):
    """Convolutions of what the block before found, scaled per channel; the tokens go on normalised."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        dim = options.dim
        self.fc1 = nn.Conv2d(dim, dim // 4, 1)
        self.dwc = nn.Conv2d(dim // 4, dim // 4, 3, 1, 1)
        self.fc2 = nn.Conv2d(dim // 4, dim, 1)
        self.eca = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(dim, dim // 16, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(dim // 16, dim, 1),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor, size: tuple[int, int], before: Tensor) -> tuple[Tensor, Tensor]:
        c = x.shape[2]
        halves = self.norm1(x[:, :, : c // 2]), self.norm1(x[:, :, c // 2 :])
        x = torch.cat(halves, dim=-1)
        out = image(before, size).contiguous()
        out = self.fc1(out)
        out = F.gelu(self.dwc(out))
        out = self.fc2(out)
        scale = self.eca(out)
        out = out * scale
        found = tokens(out).contiguous()
        x = x + self.drop_path(found)
        return self.fed(x, size), found


class Group(nn.Module):
    """Both kinds of blocks in turn, and a convolution in a residual."""

    def __init__(self, blocks: list[Block], dim: int, resi_connection: str) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.conv = connection(dim, resi_connection)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        res = x
        before = reused = None  # the last result of each kind lives until the next of its kind
        for block in self.blocks:
            if before is None:
                x, before = block(x, size)
            else:
                x, reused = block(x, size, before)
                before = None
        x = image(x, size).contiguous()
        x = self.conv(x)
        x = tokens(x)
        del reused
        return res + x


class DCT(Grouped):
    """Convolution, groups, one of two upsamplers."""

    def __init__(
        self,
        *,
        img_size: Positive = 64,
        in_chans: Positive = 3,
        embed_dim: Positive = 80,
        split_size: list[int] = (2, 4),  # type: ignore[assignment]
        depth: list[int] = (20,),  # type: ignore[assignment]
        num_heads: list[int] = (8,),  # type: ignore[assignment]
        expansion_factor: float = 4.0,
        qkv_bias: bool = True,
        qk_scale: float | None = None,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.1,
        scale: Positive = 4,
        upscale: Positive | None = None,
        img_range: float = 1.0,
        resi_connection: str = "3conv",
        upsampler: str = "pixelshuffledirect",
        **_: object,
    ) -> None:
        super().__init__()
        if upsampler not in HEADS:
            raise CannotTraceError(f'dct with the upsampler "{upsampler}", which skips the whole network')
        self.img_range = img_range
        self.mean = image_mean(GREY if in_chans == 3 else None)
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.before_RG = nn.Sequential(Tokens(), nn.LayerNorm(embed_dim))
        self.layers = nn.ModuleList()
        for i, rates in enumerate(rising(drop_path_rate, depth)):
            blocks: list[Block] = []
            for n, rate in enumerate(rates):
                short, long = split_size
                options = Options(
                    embed_dim, num_heads[i], img_size, short, long, shifted(i, n), expansion_factor, qkv_bias,
                    qk_scale, drop_rate, attn_drop_rate, rate,
                )  # fmt: skip
                half = replace(options, dim=embed_dim // 2, heads=num_heads[i] // 2)
                blocks.append(ReusingBlock(options) if n % 2 else AttentionBlock(options, half))
            self.layers.append(Group(blocks, embed_dim, resi_connection))
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = connection(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, upscale or scale, upsampler)

    def deep(self, x: Tensor) -> Tensor:
        return super().deep(x).contiguous()

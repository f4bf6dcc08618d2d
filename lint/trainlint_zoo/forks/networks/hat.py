# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2023 Xiangyu Chen
# SPDX-License-Identifier: MIT AND Apache-2.0

"""HAT: window attention with a convolution next to it, and overlapping cross-attention after each group.

Source: XPixelGroup/HAT 0452e9d7, hat/archs/hat_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.attention.attention_bias import bias_of
from trainlint_zoo.blocks.attention.channel_attention import ChannelAttention
from trainlint_zoo.blocks.attention.swin import WindowAttention
from trainlint_zoo.blocks.attention.windows import (
    Mlp,
    Reconstruction,
    TokenNorm,
    drop_path,
    image,
    partition,
    reverse,
    rising,
    tokens,
)
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean

BUILDERS = {"HAT": "HAT"}


@dataclass(frozen=True, slots=True)
class Options:
    """What the blocks of a group are made of."""

    dim: int
    heads: int
    side: int
    compress: int
    squeeze: int
    conv_scale: float
    overlap: float
    ratio: float
    qkv_bias: bool
    qk_scale: float | None
    drop: float
    attn_drop: float

    @property
    def scale(self) -> float:
        """What the queries are multiplied by."""
        return self.qk_scale or (self.dim // self.heads) ** -0.5

    @property
    def reach(self) -> int:
        """Side of the window that keys and values come from."""
        return int(self.side * self.overlap) + self.side


class ConvolutionBlock(nn.Module):
    """Two convolutions through a bottleneck and channel attention."""

    def __init__(self, dim: int, compress: int, squeeze: int) -> None:
        super().__init__()
        self.cab = nn.Sequential(
            nn.Conv2d(dim, dim // compress, 3, 1, 1),
            nn.GELU(),
            nn.Conv2d(dim // compress, dim, 3, 1, 1),
            ChannelAttention(dim, squeeze),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.cab(x)
        return out


class HybridBlock(nn.Module):
    """Window attention and convolutions side by side, then an MLP."""

    def __init__(self, options: Options, shift: int, rate: float) -> None:
        super().__init__()
        dim = options.dim
        self.side, self.shift, self.conv_scale = options.side, shift, options.conv_scale
        self.norm1 = nn.LayerNorm(dim)
        self.attn = WindowAttention(options, options.side, own_index=False)
        self.conv_block = ConvolutionBlock(dim, options.compress, options.squeeze)
        self.drop_path = drop_path(rate)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = Mlp(dim, int(dim * options.ratio), options.drop)

    def forward(self, x: Tensor, size: tuple[int, int], index: Tensor, mask: Tensor) -> Tensor:
        h, w = size
        b, _, c = x.shape
        shortcut = x
        x = self.norm1(x)
        x = x.view(b, h, w, c)
        conv_x = self.conv_block(x.permute(0, 3, 1, 2))
        conv_x = conv_x.permute(0, 2, 3, 1).contiguous().view(b, h * w, c)
        shifted = torch.roll(x, (-self.shift, -self.shift), (1, 2)) if self.shift > 0 else x
        windows = partition(shifted, self.side)
        windows = windows.view(-1, self.side**2, c)
        attended = self.attn(windows, mask if self.shift > 0 else None, index)
        attended = attended.view(-1, self.side, self.side, c)
        shifted = reverse(attended, self.side, h, w)
        attn_x = torch.roll(shifted, (self.shift, self.shift), (1, 2)) if self.shift > 0 else shifted
        attn_x = attn_x.view(b, h * w, c)
        x = shortcut + self.drop_path(attn_x) + conv_x * self.conv_scale
        out: Tensor = x + self.drop_path(self.mlp(self.norm2(x)))
        return out


class OverlapBlock(nn.Module):
    """Queries of a window attend to keys and values of a larger one around it."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        dim, side, reach = options.dim, options.side, options.reach
        self.heads, self.scale, self.side, self.reach = options.heads, options.scale, side, reach
        self.norm1 = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, dim * 3, bias=options.qkv_bias)
        self.unfold = nn.Unfold((reach, reach), stride=side, padding=(reach - side) // 2)
        self.relative_position_bias_table = nn.Parameter(torch.empty((side + reach - 1) ** 2, options.heads))
        self.softmax = nn.Softmax(dim=-1)
        self.proj = nn.Linear(dim, dim)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = Mlp(dim, int(dim * options.ratio), 0.0)

    def forward(self, x: Tensor, size: tuple[int, int], index: Tensor) -> Tensor:
        h, w = size
        b, _, c = x.shape
        shortcut = x
        x = self.norm1(x)
        x = x.view(b, h, w, c)
        qkv = self.qkv(x).reshape(b, h, w, 3, c).permute(3, 0, 4, 1, 2)
        q = qkv[0].permute(0, 2, 3, 1)
        kv = torch.cat((qkv[1], qkv[2]), dim=1)
        q_windows = partition(q, self.side)
        q_windows = q_windows.view(-1, self.side**2, c)
        kv_windows = self.around(self.unfold(kv), c)
        k_windows, v_windows = kv_windows[0], kv_windows[1]
        count, nq, _ = q_windows.shape
        q, k, v = (
            part.reshape(count, part.shape[1], self.heads, c // self.heads).permute(0, 2, 1, 3)
            for part in (q_windows, k_windows, v_windows)
        )
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        bias = bias_of(self.relative_position_bias_table, index)
        attn = attn + bias
        attn = self.softmax(attn)
        attended = (attn @ v).transpose(1, 2).reshape(count, nq, c)
        attended = attended.view(-1, self.side, self.side, c)
        x = reverse(attended, self.side, h, w)
        x = x.view(b, h * w, c)
        x = self.proj(x) + shortcut
        out: Tensor = x + self.mlp(self.norm2(x))
        return out

    def around(self, columns: Tensor, c: int) -> Tensor:
        """(b, 2 c reach^2, windows) -> (2, b windows, reach^2, c), copied."""
        b, _, windows = columns.shape
        x = columns.view(b, 2, c, self.reach**2, windows).permute(1, 0, 4, 3, 2)
        return x.reshape(2, b * windows, self.reach**2, c).contiguous()


class Blocks(nn.Module):
    """A group's blocks and its overlapping attention (`residual_group`)."""

    recompute = False  # in the backward pass, block by block: copies of HAT do, the published one does not

    def __init__(self, options: Options, rates: list[float], half: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            HybridBlock(options, half * (i % 2), rate) for i, rate in enumerate(rates)
        )
        self.overlap_attn = OverlapBlock(options)

    def forward(self, x: Tensor, size: tuple[int, int], context: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        index, across, mask = context
        for block in self.blocks:
            x = self.run(block, x, size, index, mask)
        return self.run(self.overlap_attn, x, size, across)

    def run(self, block: nn.Module, *given: Any) -> Tensor:
        """Run a block, keeping only its input where it is recomputed."""
        if self.recompute and self.training:
            out: Tensor = checkpoint(block, *given, use_reentrant=False)
        else:
            out = block(*given)
        return out


class Group(nn.Module):
    """Blocks and a convolution (or nothing) in a residual."""

    def __init__(self, options: Options, rates: list[float], half: int, resi_connection: str) -> None:
        super().__init__()
        self.residual_group = Blocks(options, rates, half)
        self.conv = last(options.dim, resi_connection)

    def forward(self, x: Tensor, size: tuple[int, int], context: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        return tokens(self.conv(contiguous_image(self.residual_group(x, size, context), size))) + x


def contiguous_image(x: Tensor, size: tuple[int, int]) -> Tensor:
    """(b, h w, c) -> (b, c, h, w), copied."""
    return image(x, size).contiguous()


def last(dim: int, kind: str) -> nn.Module:
    """Return the layer before a residual connection."""
    if kind not in {"1conv", "identity"}:
        raise ValueError(f'resi_connection must be 1conv or identity, is "{kind}"')
    return nn.Conv2d(dim, dim, 3, 1, 1) if kind == "1conv" else nn.Identity()


class HAT(Reconstruction):
    """Convolution, groups, pixel shuffle; use_checkpoint and num_feat are accepted and never used."""

    def __init__(
        self,
        *,
        img_size: Positive = 64,
        patch_size: Positive = 1,
        in_chans: Positive = 3,
        embed_dim: Positive = 96,
        depths: Sequence[int] = (6, 6, 6, 6),
        num_heads: Sequence[int] = (6, 6, 6, 6),
        window_size: Positive = 7,
        compress_ratio: Positive = 3,
        squeeze_factor: Positive = 30,
        conv_scale: float = 0.01,
        overlap_ratio: float = 0.5,
        mlp_ratio: float = 4.0,
        qkv_bias: bool = True,
        qk_scale: float | None = None,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.1,
        ape: bool = False,
        patch_norm: bool = True,
        use_checkpoint: bool = False,
        upscale: Positive = 2,
        img_range: float = 1.0,
        upsampler: str = "",
        resi_connection: str = "1conv",
        **_: object,
    ) -> None:
        super().__init__()
        del use_checkpoint
        if img_size // patch_size < window_size:
            raise CannotTraceError(f"HAT with windows of {window_size} on an img_size of {img_size}")
        self.img_range, self.side = img_range, window_size
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        self._add_indices(window_size, window_size + int(overlap_ratio * window_size))
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_embed = TokenNorm(embed_dim, patch_norm)
        if ape:
            self.absolute_pos_embed = nn.Parameter(torch.empty(1, (img_size // patch_size) ** 2, embed_dim))
        self.pos_drop = nn.Dropout(drop_rate)
        self.layers = nn.ModuleList()
        shape = (window_size, compress_ratio, squeeze_factor, conv_scale, overlap_ratio)
        rest = (mlp_ratio, qkv_bias, qk_scale, drop_rate, attn_drop_rate)
        half = window_size // 2 if img_size // patch_size > window_size else 0
        for i, rates in enumerate(rising(drop_path_rate, depths)):
            options = Options(embed_dim, num_heads[i], *shape, *rest)
            self.layers.append(Group(options, rates, half, resi_connection))
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = last(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, upscale, upsampler)

    def _add_indices(self, side: int, reach: int) -> None:
        """Register the relative positions of a window's pixels to its own, and to those around it."""
        for name, keys in (("SA", side), ("OCA", reach)):
            index = torch.empty(side**2, keys**2, dtype=torch.int64)
            self.register_buffer(f"relative_position_index_{name}", index)

    def add_head(self, dim: int, channels: int, upscale: int, upsampler: str, width: int = 64) -> None:
        """Register the upsampler's layers; only the pixel shuffle is one that trains."""
        if upsampler != "pixelshuffle":
            raise ValueError(
                f'upsampler must be pixelshuffle, is "{upsampler}": any other gives the input back'
            )
        super().add_head(dim, channels, upscale, upsampler, width)

    def deep(self, x: Tensor) -> Tensor:
        size = (x.shape[2], x.shape[3])
        windows = (size[0] // self.side) * (size[1] // self.side)
        mask = torch.empty(windows, self.side**2, self.side**2, device="cpu").to(x.device)
        index = self.get_buffer("relative_position_index_SA")
        context = (index, self.get_buffer("relative_position_index_OCA"), mask)
        x = self.patch_embed(x)
        if hasattr(self, "absolute_pos_embed"):
            x = x + self.absolute_pos_embed
        x = self.pos_drop(x)
        for layer in self.layers:
            x = layer(x, size, context)
        x = self.norm(x)
        return contiguous_image(x, size)

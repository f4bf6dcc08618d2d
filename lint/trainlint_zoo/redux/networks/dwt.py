# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: DWT authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""DWT: SwinIR with windows that are spread over halves of the image, or over the whole of it.

Source: the-database/traiNNer-redux 0d58829d, traiNNer/archs/dwt_arch.py (Dilated Window Transformer).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.attention import swin
from trainlint_zoo.blocks.attention.swin import Group, Options, block_options
from trainlint_zoo.blocks.attention.windows import (
    BernoulliDropPath,
    TokenNorm,
    TokenReconstruction,
    connection,
    partition,
    reverse,
    rising,
)
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean
from trainlint_zoo.blocks.sampling import cropped, padded

BUILDERS = {"trainner-redux:dwt": "DWT", "trainner-redux:dwt_s": ("DWT", {"window_size": 8})}

PLAIN, SHIFTED = 0, -1
"""Kinds of windows; a positive kind says into how many parts each side is cut, over which windows spread."""
LAYER_KINDS = (
    (0, -1, 0, -1, 0, -1), (0, -1, 0, -1, 0, -1), (0, 2, 0, 2, 0, 2), (0, 2, 0, 2, 0, 2), (0, 1, 0, 1, 0, 1),
    (0, 1, 0, 1, 0, 1),
)  # fmt: skip
DEPTHS = (6, 6, 6, 6, 6, 6)
HEADS = (6, 6, 6, 6, 6, 6)


def spread(x: Tensor, side: int, parts: int) -> Tensor:
    """(b, h, w, c) -> (windows, side, side, c): a window's pixels lie all over its part."""
    b, h, w, c = x.shape
    high, wide = h // parts, w // parts
    x = x.view(b, parts, high, parts, wide, c)
    cut = x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, high, wide, c)
    cut = cut.view(-1, side, high // side, side, wide // side, c)
    return cut.permute(0, 2, 4, 1, 3, 5).contiguous().view(-1, side, side, c)


def gathered(windows: Tensor, side: int, size: tuple[int, int], parts: int) -> Tensor:
    """Undo `spread`."""
    high, wide, c = size[0] // parts, size[1] // parts, windows.shape[-1]
    windows = windows.view(-1, high // side, wide // side, side, side, c)
    cut = windows.permute(0, 3, 1, 4, 2, 5).contiguous().view(-1, high, wide, c)
    cut = cut.view(-1, parts, parts, high, wide, c)
    return cut.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, *size, c)


class Block(swin.Block):
    """SwinIR's block with a kind of windows; images of another size get a mask even where nothing shifts."""

    def __init__(self, options: Options, size: tuple[int, int], kind: int) -> None:
        super().__init__(options, size)
        self.kind = kind
        self.drop_path = BernoulliDropPath(options.drop_path)
        self.register_buffer("attn_mask", self.mask(size) if kind != PLAIN else None)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        h, w = size
        b, _, c = x.shape
        shortcut = x
        x = self.norm1(x)
        x = x.view(b, h, w, c)
        shifted = x if self.kind == PLAIN else torch.roll(x, (-self.shift, -self.shift), (1, 2))
        windows = spread(shifted, self.side, self.kind) if self.kind > 0 else partition(shifted, self.side)
        windows = windows.view(-1, self.side**2, c)
        attended = self.attend(windows, size)
        attended = attended.view(-1, self.side, self.side, c)
        if self.kind > 0:
            shifted = gathered(attended, self.side, size, self.kind)
        else:
            shifted = reverse(attended, self.side, h, w)
        x = shifted if self.kind == PLAIN else torch.roll(shifted, (self.shift, self.shift), (1, 2))
        x = x.view(b, h * w, c)
        x = shortcut + self.drop_path(x)
        out: Tensor = x + self.drop_path(self.feed(x, size))
        return out


class DWT(TokenReconstruction):
    """Convolution, groups of window attention, pixel shuffle, on an image padded to two windows."""

    def __init__(
        self,
        *,
        scale: Positive = 4,
        img_size: Positive = 64,
        patch_size: Positive = 1,
        in_chans: Positive = 3,
        embed_dim: Positive = 180,
        depths: Sequence[int] = DEPTHS,
        num_heads: Sequence[int] = HEADS,
        window_size: Positive = 16,
        mlp_ratio: float = 2.0,
        qkv_bias: bool = True,
        qk_scale: float | None = None,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.1,
        ape: bool = False,
        patch_norm: bool = True,
        use_checkpoint: bool = False,
        img_range: float = 1.0,
        upsampler: str = "pixelshuffle",
        resi_connection: str = "1conv",
        layer_kinds: Sequence[Sequence[int]] = LAYER_KINDS,
    ) -> None:
        super().__init__()
        if upsampler != "pixelshuffle":
            raise CannotTraceError(f'dwt with the upsampler "{upsampler}", which skips the whole network')
        self.scale, self.window, self.img_range = scale, window_size, img_range
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        size = (img_size // patch_size, img_size // patch_size)
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_embed = TokenNorm(embed_dim, patch_norm)
        if ape:
            self.absolute_pos_embed = nn.Parameter(torch.empty(1, size[0] * size[1], embed_dim))
        self.pos_drop = nn.Dropout(drop_rate)
        self.layers = nn.ModuleList()
        for i, rates in enumerate(rising(drop_path_rate, depths)):
            layout = (embed_dim, num_heads[i], window_size)
            rest = (mlp_ratio, qkv_bias, qk_scale, drop_rate, attn_drop_rate)
            options = block_options(layout, rest, rates)
            blocks = [Block(block_option, size, layer_kinds[i][n]) for n, block_option in enumerate(options)]
            self.layers.append(Group(embed_dim, blocks, resi_connection, use_checkpoint))
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = connection(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, scale, upsampler)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = padded(x, self.window * 2)
        self.mean = self.mean.type_as(x)
        x = (x - self.mean) * self.img_range
        x = self.conv_first(x)
        x = self.conv_after_body(self.deep(x)) + x
        x = self.conv_before_upsample(x)
        x = self.conv_last(self.upsample(x))
        x = x / self.img_range + self.mean
        return cropped(x, height * self.scale, width * self.scale)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-FileCopyrightText: 2021 SwinIR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""SwinIR: residual groups of shifted-window transformer blocks.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/swinir_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.swin import Block, Group, block_options
from trainlint_zoo.blocks.attention.windows import (
    TokenNorm,
    TokenReconstruction,
    connection,
    rising,
)
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean

BUILDERS = {"SwinIR": "SwinIR"}


class SwinIR(TokenReconstruction):
    """Convolution, groups of window attention, one of four upsamplers."""

    def __init__(
        self,
        *,
        img_size: Positive | list[int] = 64,
        patch_size: Positive = 1,
        in_chans: Positive = 3,
        embed_dim: Positive = 96,
        depths: Sequence[int] = (6, 6, 6, 6),
        num_heads: Sequence[int] = (6, 6, 6, 6),
        window_size: Positive = 7,
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
        upsampler: str | None = "",
        resi_connection: str = "1conv",
        **_: object,
    ) -> None:
        super().__init__()
        self.img_range = img_range
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        sides = [img_size, img_size] if isinstance(img_size, int) else img_size
        size = (sides[0] // patch_size, sides[1] // patch_size)
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_embed = TokenNorm(embed_dim, patch_norm)
        if ape:
            self.absolute_pos_embed = nn.Parameter(torch.empty(1, size[0] * size[1], embed_dim))
        self.pos_drop = nn.Dropout(drop_rate)
        self.layers = nn.ModuleList()
        for rates, heads in zip(rising(drop_path_rate, depths), num_heads, strict=False):
            layout = (embed_dim, heads, window_size)
            rest = (mlp_ratio, qkv_bias, qk_scale, drop_rate, attn_drop_rate)
            blocks = [Block(o, size) for o in block_options(layout, rest, rates)]
            self.layers.append(Group(embed_dim, blocks, resi_connection, use_checkpoint))
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = connection(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, upscale, upsampler or "")

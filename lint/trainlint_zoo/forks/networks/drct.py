# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 Chia-Ming Lee
# SPDX-FileCopyrightText: neosr authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""DRCT: SwinIR's blocks in dense groups, each block's output narrowed and set next to all before it.

Sources: ming053l/DRCT b550523f, drct/archs/DRCT_arch.py; muslll/neosr 5ef226c9, neosr/archs/drct_arch.py;
the-database/traiNNer-redux 271920aa, traiNNer/archs/drct_arch.py (recomputes a block with its narrowing).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.swin import Block, Options
from trainlint_zoo.blocks.attention.windows import LEAK, TokenNorm, TokenReconstruction, image, rising, tokens
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean
from trainlint_zoo.blocks.sampling import cropped, padded

BUILDERS = {
    "DRCT": "DRCT",
    "trainner-redux:drct": "redux_drct",
    "trainner-redux:drct_l": (
        "redux_drct",
        {"depths": (6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6), "num_heads": (6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6)},
    ),
    "trainner-redux:drct_xl": (
        "redux_drct",
        {
            "depths": (6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6),
            "num_heads": (6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6),
        },
    ),
    "neosr:drct": "neosr_drct",
    "neosr:drct_l": "neosr_drct_l",
    "neosr:drct_xl": "neosr_drct_xl",
    "neosr:drct_s": "neosr_drct_s",
}

BLOCKS = 5
WIDE_BLOCKS = 3  # blocks whose MLP has the ratio that is asked for; the others' are as wide as the block
RESIDUAL_SCALE = 0.2  # of a group's output


class Group(nn.Module):
    """Five blocks, each followed by a 1x1 convolution; every second one shifts its windows."""

    def __init__(
        self, options: Options, size: tuple[int, int], growth: int, *, recompute: bool = False
    ) -> None:
        """`options`: of the first block; a block has `growth` channels more than the one before it."""
        super().__init__()
        self.recompute = recompute
        for i in range(BLOCKS):
            dim = options.dim + i * growth
            heads = options.heads - (dim % options.heads if i else 0)
            shift = options.side // 2 if i % 2 else 0
            ratio = options.ratio if i < WIDE_BLOCKS else 1
            own = replace(options, dim=dim, heads=heads, shift=shift, ratio=ratio)
            self.add_module(f"swin{i + 1}", Block(own, size))
            last = i == BLOCKS - 1
            self.add_module(f"adjust{i + 1}", nn.Conv2d(dim, options.dim if last else growth, 1))
        self.lrelu = nn.LeakyReLU(LEAK, inplace=True)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        parts = [x]
        for i in range(BLOCKS):
            given = torch.cat(parts, -1) if i else x
            if self.recompute and self.training:
                parts.append(checkpoint(self.block, i, given, size, use_reentrant=False))
            else:
                parts.append(self.block(i, given, size))
            del given
        return parts[-1] * RESIDUAL_SCALE + x

    def block(self, i: int, x: Tensor, size: tuple[int, int]) -> Tensor:
        """Run one block and its convolution; the last has no activation."""
        x = self.get_submodule(f"swin{i + 1}")(x, size)
        x = self.get_submodule(f"adjust{i + 1}")(image(x, size))
        return tokens(x if i == BLOCKS - 1 else self.lrelu(x))


class DRCT(TokenReconstruction):
    """Convolution, dense groups, pixel shuffle; without an upsampler the input comes back."""

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
        use_checkpoint: bool = False,  # taken and never used
        upscale: Positive = 2,
        img_range: float = 1.0,
        upsampler: str | None = "",
        resi_connection: str = "1conv",
        gc: Positive = 32,
        **_: object,
    ) -> None:
        super().__init__()
        del use_checkpoint
        self.img_range, self.upsampler = img_range, upsampler or ""
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        sides = [img_size, img_size] if isinstance(img_size, int) else img_size
        size = (sides[0] // patch_size, sides[1] // patch_size)
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_embed = TokenNorm(embed_dim, patch_norm)
        if ape:
            self.absolute_pos_embed = nn.Parameter(torch.empty(1, size[0] * size[1], embed_dim))
        self.pos_drop = nn.Dropout(drop_rate)
        self.layers = nn.ModuleList()
        for i, rates in enumerate(rising(drop_path_rate, depths)):
            options = Options(
                embed_dim, num_heads[i], window_size, 0, mlp_ratio, qkv_bias, qk_scale, drop_rate,
                attn_drop_rate, rates[0],
            )  # fmt: skip
            self.layers.append(Group(options, size, gc))
        self.norm = nn.LayerNorm(embed_dim)
        if resi_connection not in {"1conv", "identity"}:
            raise ValueError(f'unknown resi_connection "{resi_connection}"')
        has_conv = resi_connection == "1conv"
        self.conv_after_body = nn.Conv2d(embed_dim, embed_dim, 3, 1, 1) if has_conv else nn.Identity()
        if self.upsampler == "pixelshuffle":
            self.add_head(embed_dim, in_chans, upscale, self.upsampler)

    def forward(self, x: Tensor) -> Tensor:
        self.mean = self.mean.type_as(x)
        x = (x - self.mean) * self.img_range
        if self.upsampler == "pixelshuffle":
            x = self.reconstruct(x, self.conv_first, self.conv_after_body)
        return x / self.img_range + self.mean


class PaddedDRCT(DRCT):
    """redux's copy: images are mirrored up to whole windows, blocks recomputed where that is asked for."""

    def __init__(self, *, scale: int, window_size: int, use_checkpoint: bool, **published: Any) -> None:
        super().__init__(upscale=scale, window_size=window_size, **published)
        self.scale, self.side = scale, window_size
        for layer in self.layers:
            if isinstance(layer, Group):
                layer.recompute = use_checkpoint

    def reconstruct(self, x: Tensor, first: nn.Module, after: nn.Module) -> Tensor:
        fits = x.shape[2] % self.side == x.shape[3] % self.side == 0
        return super().reconstruct(x if fits else padded(x, self.side), first, after)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        return cropped(super().forward(x), height * self.scale, width * self.scale)


def redux_drct(
    *,
    scale: Positive = 4,
    in_chans: Positive = 3,
    img_size: Positive = 64,
    window_size: Positive = 16,
    img_range: float = 1.0,
    depths: Sequence[int] = (6, 6, 6, 6, 6, 6),
    embed_dim: Positive = 180,
    num_heads: Sequence[int] = (6, 6, 6, 6, 6, 6),
    mlp_ratio: float = 2.0,
    upsampler: str = "pixelshuffle",
    resi_connection: str = "1conv",
    use_checkpoint: bool = False,
) -> nn.Module:
    """Return redux's DRCT."""
    return PaddedDRCT(
        scale=scale, in_chans=in_chans, img_size=img_size, window_size=window_size, img_range=img_range,
        depths=depths, embed_dim=embed_dim, num_heads=num_heads, mlp_ratio=mlp_ratio, upsampler=upsampler,
        resi_connection=resi_connection, use_checkpoint=use_checkpoint,
    )  # fmt: skip


def neosr_drct(
    *,
    scale: Positive = 4,
    upscale: Positive | None = None,
    embed_dim: Positive = 180,
    depths: Sequence[int] = (6, 6, 6, 6, 6, 6),
    num_heads: Sequence[int] = (6, 6, 6, 6, 6, 6),
    window_size: Positive = 16,
    mlp_ratio: float = 2,
    upsampler: str = "pixelshuffle",
    **published: Any,
) -> nn.Module:
    """Return neosr's DRCT; it subtracts another mean."""
    return DRCT(
        upscale=upscale or scale, embed_dim=embed_dim, depths=depths, num_heads=num_heads,
        window_size=window_size, mlp_ratio=mlp_ratio, upsampler=upsampler, **published,
    )  # fmt: skip


def neosr_drct_l(*, scale: Positive = 4, **rest: Any) -> nn.Module:
    """Return the large DRCT; TypeError for what the preset sets itself."""
    return neosr_drct(scale=scale, depths=[6] * 12, num_heads=[6] * 12, **rest)


def neosr_drct_xl(*, scale: Positive = 4, **rest: Any) -> nn.Module:
    """Return the largest DRCT; TypeError for what the preset sets itself."""
    return neosr_drct(scale=scale, depths=[6] * 14, num_heads=[6] * 14, **rest)


def neosr_drct_s(*, scale: Positive = 4, **rest: Any) -> nn.Module:
    """Return the small DRCT; TypeError for what the preset sets itself."""
    return neosr_drct(scale=scale, embed_dim=48, depths=[2] * 4, num_heads=[6] * 4, **rest)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""neosr's spellings of networks that redux has too: MAN, EIMN, MoESR, LMLT, MoSRv2, RCAN, Real-CUGAN.

Read with neosr's own (neosr/archs): muslll/neosr bcf03e5f (man), 0f1b6461 (eimn), 0c56f61c (lmlt), de9c33cc
(cugan), pokepress/neosr b27aa1d2 (moesr), b8716c08 (mosrv2), 0ZL0/neosr ce01d7ba (rcan).
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.redux.networks.attention.lmlt import LMLT
from trainlint_zoo.redux.networks.eimn import EIMN
from trainlint_zoo.redux.networks.man import MAN
from trainlint_zoo.redux.networks.moesr import MoESR2
from trainlint_zoo.redux.networks.mosrv2 import MoSRv2
from trainlint_zoo.redux.networks.rcan import RCAN
from trainlint_zoo.redux.networks.realcugan import realcugan

BUILDERS = {
    "neosr:man": "man",
    "neosr:man_tiny": "man_tiny",
    "neosr:man_light": "man_light",
    "neosr:eimn": "eimn",
    "neosr:lmlt": "lmlt",
    "neosr:lmlt_tiny": "lmlt_tiny",
    "neosr:lmlt_large": "lmlt_large",
    "neosr:moesr": "moesr",
    "neosr:mosrv2": "mosrv2",
    "neosr:rcan": "Plain",
    "neosr:cugan": "cugan",
}

Tail = Literal["conv", "pixelshuffledirect", "pixelshuffle", "nearest+conv", "dysample"]


def man(
    *,
    n_resblocks: Positive = 36,
    n_resgroups: Positive = 1,
    n_colors: Positive = 3,
    n_feats: Positive = 180,
    scale: Positive = 4,
    res_scale: float = 1.0,
) -> nn.Module:
    """Return MAN; `res_scale` is not used."""
    return MAN(
        n_resblocks=n_resblocks, n_resgroups=n_resgroups, n_colors=n_colors, n_feats=n_feats, scale=scale,
        res_scale=res_scale,
    )  # fmt: skip


def man_tiny(*, scale: Positive = 4, n_resgroups: Positive = 1, n_colors: Positive = 3) -> nn.Module:
    """Return MAN with 5 blocks of 48 channels."""
    return man(n_resblocks=5, n_feats=48, scale=scale, n_resgroups=n_resgroups, n_colors=n_colors)


def man_light(*, scale: Positive = 4, n_resgroups: Positive = 1, n_colors: Positive = 3) -> nn.Module:
    """Return MAN with 24 blocks of 60 channels."""
    return man(n_resblocks=24, n_feats=60, scale=scale, n_resgroups=n_resgroups, n_colors=n_colors)


def eimn(
    *,
    embed_dims: Positive = 64,
    scale: Positive = 4,
    depths: Positive = 1,
    mlp_ratios: float = 2.66,
    drop_rate: float = 0.0,
    drop_path_rate: float = 0.0,
    num_stages: Positive = 16,
    freeze_param: bool = False,
) -> nn.Module:
    """Return EIMN; freezing calls a method that the published class misspells."""
    if freeze_param:
        raise CannotTraceError("eimn with freeze_param (its constructor calls a method that does not exist)")
    return EIMN(
        embed_dims=embed_dims, scale=scale, depths=depths, mlp_ratios=mlp_ratios, drop_rate=drop_rate,
        drop_path_rate=drop_path_rate, num_stages=num_stages,
    )  # fmt: skip


def _lmlt(dim: int, scale: int, upscaling_factor: int | None, n_blocks: int, ffn_scale: float) -> nn.Module:
    return LMLT(dim=dim, n_blocks=n_blocks, ffn_scale=ffn_scale, scale=upscaling_factor or scale)


def lmlt(
    *,
    dim: Positive = 60,
    n_blocks: Positive = 8,
    ffn_scale: float = 2.0,
    scale: Positive = 4,
    upscaling_factor: Positive | None = None,
) -> nn.Module:
    """Return LMLT-Base."""
    return _lmlt(dim, scale, upscaling_factor, n_blocks, ffn_scale)


def lmlt_tiny(
    *,
    n_blocks: Positive = 8,
    ffn_scale: float = 2.0,
    scale: Positive = 4,
    upscaling_factor: Positive | None = None,
) -> nn.Module:
    """Return LMLT with 36 channels."""
    return _lmlt(36, scale, upscaling_factor, n_blocks, ffn_scale)


def lmlt_large(
    *,
    n_blocks: Positive = 8,
    ffn_scale: float = 2.0,
    scale: Positive = 4,
    upscaling_factor: Positive | None = None,
) -> nn.Module:
    """Return LMLT with 84 channels."""
    return _lmlt(84, scale, upscaling_factor, n_blocks, ffn_scale)


def moesr(
    *,
    in_ch: Positive = 3,
    out_ch: Positive = 3,
    scale: Positive = 4,
    dim: Positive = 64,
    n_blocks: Positive = 9,
    n_block: Positive = 4,
    expansion_factor: float = 8 / 3,
    expansion_msg: float = 1.5,
    upsampler: Tail = "pixelshuffledirect",
    upsample_dim: Positive = 64,
) -> nn.Module:
    """Return MoESR."""
    return MoESR2(
        in_ch=in_ch, out_ch=out_ch, scale=scale, dim=dim, n_blocks=n_blocks, n_block=n_block,
        expansion_factor=expansion_factor, expansion_msg=expansion_msg, upsampler=upsampler,
        upsample_dim=upsample_dim,
    )  # fmt: skip


def mosrv2(
    *,
    in_ch: Positive = 3,
    scale: Positive = 4,
    n_block: Positive = 24,
    dim: Positive = 64,
    upsampler: Tail = "pixelshuffledirect",
    expansion_ratio: float = 1.5,
    mid_dim: Positive = 32,
    unshuffle_mod: bool = True,
) -> nn.Module:
    """Return MoSRv2, always with root-mean-square norms."""
    return MoSRv2(
        in_ch=in_ch, scale=scale, n_block=n_block, dim=dim, upsampler=upsampler, mid_dim=mid_dim,
        expansion_ratio=expansion_ratio, unshuffle_mod=unshuffle_mod, rms_norm=True,
    )  # fmt: skip


class Plain(RCAN):
    """RCAN without value range and pixel-unshuffle; the mean shift is optional."""

    def __init__(
        self,
        *,
        n_resgroups: Positive = 10,
        n_resblocks: Positive = 20,
        n_feats: Positive = 64,
        kernel_size: Positive = 3,
        reduction: Positive = 16,
        n_colors: Positive = 3,
        scale: Positive = 4,
        norm: bool = False,
        **_: object,
    ) -> None:
        super().__init__(
            n_resgroups=n_resgroups, n_resblocks=n_resblocks, n_feats=n_feats, kernel_size=kernel_size,
            reduction=reduction, n_colors=n_colors, scale=scale, norm=norm,
        )  # fmt: skip
        for shift in (self.sub_mean, self.add_mean):
            shift.requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        x = self.head(self.sub_mean(x))
        res = self.body(x)
        res += x
        out: Tensor = self.add_mean(self.tail(res))
        return out


def cugan(
    *, in_channels: Positive = 3, out_channels: Positive = 3, scale: Positive = 4, pro: bool = True
) -> nn.Module:
    """Return Real-CUGAN of a scale."""
    if in_channels != out_channels:
        raise CannotTraceError("cugan with different numbers of channels in and out")
    return realcugan(scale=scale, pro=pro, in_channels=in_channels)

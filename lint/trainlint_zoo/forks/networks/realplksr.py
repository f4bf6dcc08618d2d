# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 Dongheon Lee
# SPDX-FileCopyrightText: neosr authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""RealPLKSR: PLKSR's large kernel between normalized blocks, with a pixel shuffle or DySample at the end.

Sources: muslll/neosr de9c33cc, neosr/archs/realplksr_arch.py; the-database/traiNNer-redux 07347c8e,
traiNNer/archs/realplksr_arch.py (layer norms in front in place of group norms behind).
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.large_kernel import ElementAttention, LargeKernel
from trainlint_zoo.blocks.sampling import DySample, PlainNorm, conv3

BUILDERS = {
    "RealPLKSR": "RealPLKSR",
    "trainner-redux:realplksr": "redux_realplksr",
    "trainner-redux:realplksr_tiny": (
        "redux_realplksr",
        {"n_blocks": 12, "kernel_size": 13, "use_ea": False},
    ),
    "trainner-redux:realplksr_large": ("redux_realplksr", {"dim": 96}),
    "neosr:realplksr": "neosr_realplksr",
    "neosr:realplksr_s": "neosr_realplksr_s",
}

GROUPS = 4  # of DySample where the scale is even; else one per channel of the output


class Block(nn.Module):
    """Channel mixer, large kernel, gate and a 1x1 convolution in a residual, normalized once."""

    def __init__(
        self, dim: int, kernel: int, split_ratio: float, groups: int, *, use_ea: bool, layer_norm: bool
    ) -> None:
        super().__init__()
        self.layer_norm = PlainNorm(dim) if layer_norm else nn.Identity()
        self.channel_mixer = nn.Sequential(conv3(dim, dim * 2), nn.Mish(), conv3(dim * 2, dim))
        self.lk = LargeKernel(int(dim * split_ratio), kernel, with_idt=False)
        self.attn = ElementAttention(dim) if use_ea else nn.Identity()
        self.refine = nn.Conv2d(dim, dim, 1)
        self.norm = nn.Identity() if layer_norm else nn.GroupNorm(groups, dim)

    def forward(self, x: Tensor) -> Tensor:
        x_skip = x
        x = self.layer_norm(x)
        x = self.channel_mixer(x)
        x = self.lk(x)
        x = self.attn(x)
        x = self.refine(x)
        x = self.norm(x)
        return x + x_skip


class RealPLKSR(nn.Module):
    """Blocks at the input's size, the repeated input added, one upsampler."""

    def __init__(
        self,
        *,
        in_ch: Positive = 3,
        out_ch: Positive = 3,
        dim: Positive = 64,
        n_blocks: Positive = 28,
        upscaling_factor: Positive = 4,
        kernel_size: Positive = 17,
        split_ratio: float = 0.25,
        use_ea: bool = True,
        norm_groups: Positive = 4,
        dropout: float = 0,
        dysample: bool = False,
        layer_norm: bool = False,
    ) -> None:
        super().__init__()
        scale = upscaling_factor
        self.times = scale**2
        blocks = (
            Block(dim, kernel_size, split_ratio, norm_groups, use_ea=use_ea, layer_norm=layer_norm)
            for _ in range(n_blocks)
        )
        self.feats = nn.Sequential(
            conv3(in_ch, dim), *blocks, nn.Dropout2d(dropout), conv3(dim, out_ch * self.times)
        )
        self.to_img: nn.Module = nn.PixelShuffle(scale)
        if dysample:
            groups = GROUPS if scale % 2 == 0 else out_ch
            self.to_img = DySample(in_ch * self.times, scale, groups, out_ch if scale > 1 else None)

    def forward(self, x: Tensor) -> Tensor:
        x = self.feats(x) + torch.repeat_interleave(x, repeats=self.times, dim=1)
        out: Tensor = self.to_img(x)
        return out


def redux_realplksr(
    *,
    in_ch: Positive = 3,
    out_ch: Positive = 3,
    dim: Positive = 64,
    n_blocks: Positive = 28,
    scale: Positive = 4,
    kernel_size: Positive = 17,
    split_ratio: float = 0.25,
    use_ea: bool = True,
    norm_groups: Positive = 4,
    dropout: float = 0,
    upsampler: Literal["dysample", "pixelshuffle"] = "pixelshuffle",
    layer_norm: bool = True,
) -> nn.Module:
    """Return redux's RealPLKSR; ValueError for a tail that it does not know."""
    if upsampler not in {"dysample", "pixelshuffle"}:
        raise ValueError(f'unknown upsampler "{upsampler}"')
    return RealPLKSR(
        in_ch=in_ch, out_ch=out_ch, dim=dim, n_blocks=n_blocks, upscaling_factor=scale,
        kernel_size=kernel_size, split_ratio=split_ratio, use_ea=use_ea, norm_groups=norm_groups,
        dropout=dropout, dysample=upsampler == "dysample", layer_norm=layer_norm,
    )  # fmt: skip


def neosr_realplksr(
    *,
    in_ch: Positive = 3,
    out_ch: Positive = 3,
    dim: Positive = 64,
    n_blocks: Positive = 28,
    scale: Positive = 4,
    upscaling_factor: Positive | None = None,
    kernel_size: Positive = 17,
    split_ratio: float = 0.25,
    use_ea: bool = True,
    norm_groups: Positive = 4,
    dropout: float = 0,
    dysample: bool = False,
    **_: object,
) -> nn.Module:
    """Return neosr's RealPLKSR; at scale 1 DySample falls away."""
    network = RealPLKSR(
        in_ch=in_ch, out_ch=out_ch, dim=dim, n_blocks=n_blocks, upscaling_factor=upscaling_factor or scale,
        kernel_size=kernel_size, split_ratio=split_ratio, use_ea=use_ea, norm_groups=norm_groups,
        dropout=dropout, dysample=dysample,
    )  # fmt: skip
    if dysample and network.times == 1:
        network.to_img = nn.Identity()
    return network


def neosr_realplksr_s(*, scale: Positive = 4, **rest: Any) -> nn.Module:
    """Return neosr's small RealPLKSR; TypeError for what the preset sets itself."""
    return neosr_realplksr(scale=scale, n_blocks=12, kernel_size=13, use_ea=False, **rest)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2021 THL A29 Limited, a Tencent company
# SPDX-License-Identifier: MIT AND Apache-2.0

"""GFPGANv1, with StyleGAN2's layers, and the discriminator of a face's parts.

Source: Wang et al. 2021, arXiv 2101.04061, and tapes of a step; TencentARC/GFPGAN (gfpgan 1.3.8),
gfpgan/archs/gfpganv1_arch.py for the names of arguments and layers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.faces.face_restorer import WIDTH_RATIO, Conditioned, FaceRestorer, Kit, condition
from trainlint_zoo.blocks.faces.stylegan2 import (
    TAPS,
    ConvLayer,
    EqualConv2d,
    EqualLinear,
    ResBlock,
    StyleGenerator,
    widths,
)
from trainlint_zoo.blocks.faces.stylegan2_ops import FusedLeakyReLU

BUILDERS = {"GFPGANv1": "GFPGANv1", "FacialComponentDiscriminator": "FacialComponentDiscriminator"}


class SFTDecoder(Conditioned, StyleGenerator):
    """StyleGAN2's generator with conditions."""


class DoublingConv(nn.Module):
    """An image made twice as large and convolved, with the fused activation if asked for."""

    def __init__(self, cin: int, cout: int, kernel_size: int, *, activated: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(cout, cin, kernel_size, kernel_size))
        self.gain = 1 / math.sqrt(cin * kernel_size**2)
        self.activation = FusedLeakyReLU(cout) if activated else None

    def forward(self, x: Tensor) -> Tensor:
        out = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        out = F.conv2d(out, self.weight * self.gain, padding=self.weight.shape[-1] // 2)
        return out if self.activation is None else self.activation(out)


class UpBlock(nn.Module):
    """Two convolutions and, around them, one of 1x1; both ways double the sides."""

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__()
        self.conv1 = ConvLayer(cin, cin, 3)
        self.conv2 = DoublingConv(cin, cout, 3, activated=True)
        self.skip = DoublingConv(cin, cout, 1, activated=False)

    def forward(self, x: Tensor) -> Tensor:
        main: Tensor = self.conv2(self.conv1(x))
        skip: Tensor = self.skip(x)  # lives until both are divided
        return (main + skip) / math.sqrt(2)


class GFPGANv1(FaceRestorer):
    """The U-Net and the decoder of StyleGAN2's layers."""

    def __init__(
        self,
        *,
        out_size: Positive,
        num_style_feat: Positive = 512,
        channel_multiplier: float = 1,
        resample_kernel: Sequence[float] = TAPS,
        decoder_load_path: str | None = None,  # noqa: ARG002  weights do not shape memory
        fix_decoder: bool = True,
        num_mlp: int = 8,
        lr_mlp: float = 0.01,
        input_is_latent: bool = False,
        different_w: bool = False,
        narrow: float = 1,
        sft_half: bool = False,
    ) -> None:
        super().__init__()
        self.latent, self.different, self.sft_half = input_is_latent, different_w, sft_half
        channels = widths(channel_multiplier, narrow * WIDTH_RATIO)
        kit = Kit(
            conv=ConvLayer,
            down=lambda cin, cout: ResBlock(cin, cout, resample_kernel),
            up=UpBlock,
            rgb=lambda cin: EqualConv2d(cin, 3, 1, bias=True),
            linear=EqualLinear,
            condition=condition,
        )
        self.assemble(kit, out_size, channels, num_style_feat)
        decoder = SFTDecoder(
            out_size=out_size,
            num_style_feat=num_style_feat,
            num_mlp=num_mlp,
            lr_mlp=lr_mlp,
            narrow=narrow,
            channel_multiplier=channel_multiplier,
            resample_kernel=resample_kernel,
        )
        self.add_decoder(decoder, fix_decoder, kit, out_size, channels)


class FacialComponentDiscriminator(nn.Module):
    """(b, 3, h, w) -> a score at every fourth pixel, and with `return_feats` two layers' results."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = ConvLayer(3, 64, 3)
        self.conv2 = ConvLayer(64, 128, 3, TAPS)
        self.conv3 = ConvLayer(128, 128, 3)
        self.conv4 = ConvLayer(128, 256, 3, TAPS)
        self.conv5 = ConvLayer(256, 256, 3)
        self.final_conv = ConvLayer(256, 1, 3, activated=False, bias=True)

    def forward(self, x: Tensor, return_feats: bool = False) -> tuple[Tensor, list[Tensor]]:
        feats: list[Tensor] = []
        x = self.conv1(x)
        for smaller, same in ((self.conv2, self.conv3), (self.conv4, self.conv5)):
            x = same(smaller(x))  # what `smaller` reads lives until `same` is through, as in a step's tape
            if return_feats:
                feats.append(x.clone())
        return self.final_conv(x), feats

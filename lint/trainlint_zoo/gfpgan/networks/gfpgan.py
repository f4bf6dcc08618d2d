# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2021 THL A29 Limited, a Tencent company
# SPDX-License-Identifier: MIT AND Apache-2.0

"""GFPGANv1: a U-Net whose features scale and shift a StyleGAN2 decoder's; the discriminator of face parts.

Source: TencentARC/GFPGAN (gfpgan 1.3.8), gfpgan/archs/gfpganv1_arch.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.signature import Positive
from trainlint_zoo.basicsr.networks.stylegan2 import (
    TAPS,
    ConvLayer,
    EqualConv2d,
    EqualLinear,
    ResBlock,
    ScaledLeakyReLU,
    StyleGAN2Generator,
    Synthesis,
    widths,
)
from trainlint_zoo.blocks.stylegan2_ops import FusedLeakyReLU

BUILDERS = {"GFPGANv1": "GFPGANv1", "FacialComponentDiscriminator": "FacialComponentDiscriminator"}

NARROW = 0.5
"""The U-Net's width beside the decoder's."""


class Conditioned(Synthesis):
    """A generator with conditions: styles or latents, and a scale and a shift for every side; inherited."""

    style_mlp: nn.Sequential

    def decode(self, style: Tensor, conditions: Sequence[Tensor], latent: bool, half: bool) -> Tensor:
        """(b, styles) or (b, num_latent, styles) -> (b, 3, out_size, out_size)."""
        styles = style if latent else self.style_mlp(style)
        repeated = styles.unsqueeze(1).repeat(1, self.num_latent, 1) if styles.ndim < 3 else styles
        return self.synthesise(repeated, conditions, half)


class SFTDecoder(Conditioned, StyleGAN2Generator):
    """StyleGAN2's generator with conditions."""


class ConvUpLayer(nn.Module):
    """Bilinear doubling and a convolution, with the activation's bias if there is one."""

    def __init__(self, cin: int, cout: int, kernel_size: int, activated: bool) -> None:
        super().__init__()
        self.padding = kernel_size // 2
        self.scale = 1 / math.sqrt(cin * kernel_size**2)
        self.weight = nn.Parameter(torch.empty(cout, cin, kernel_size, kernel_size))
        self.activation = FusedLeakyReLU(cout) if activated else None

    def forward(self, x: Tensor) -> Tensor:
        out = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        out = F.conv2d(out, self.weight * self.scale, None, 1, self.padding)
        return out if self.activation is None else self.activation(out)


class ResUpBlock(nn.Module):
    """Two convolutions, the second doubling, and a doubling 1x1 convolution around them."""

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__()
        self.conv1 = ConvLayer(cin, cin, 3)
        self.conv2 = ConvUpLayer(cin, cout, 3, activated=True)
        self.skip = ConvUpLayer(cin, cout, 1, activated=False)

    def forward(self, x: Tensor) -> Tensor:
        out = self.conv1(x)
        out = self.conv2(out)
        skip = self.skip(x)
        return (out + skip) / math.sqrt(2)  # type: ignore[no-any-return]


def condition(cin: int, cout: int) -> nn.Sequential:
    """Return the layers that make a scale or a shift."""
    last = EqualConv2d(cin, cout, 3, bias=True)
    return nn.Sequential(EqualConv2d(cin, cin, 3, bias=True), ScaledLeakyReLU(), last)


@dataclass(frozen=True, slots=True)
class Kit:
    """The layers that a version is made of: each takes the channels it reads and makes."""

    conv: Callable[[int, int, int], nn.Module]  # and the kernel's side
    down: Callable[[int, int], nn.Module]
    up: Callable[[int, int], nn.Module]
    rgb: Callable[[int], nn.Module]
    linear: Callable[[int, int], nn.Module]
    condition: Callable[[int, int], nn.Module]


class FaceRestorer(nn.Module):
    """(b, 3, out_size, out_size) -> the same, and an image of every side with `return_rgb`; inherited."""

    latent: bool
    different: bool
    sft_half: bool

    def assemble(self, kit: Kit, out_size: int, channels: Mapping[int, int], styles: int) -> None:
        """Register the U-Net; `styles` numbers make one style."""
        sides = [2**level for level in range(3, int(math.log2(out_size)) + 1)]
        self.style = styles
        self.conv_body_first = kit.conv(3, channels[sides[-1]], 1)
        self.conv_body_down, self.conv_body_up = nn.ModuleList(), nn.ModuleList()
        for side in reversed(sides):
            self.conv_body_down.append(kit.down(channels[side], channels[side // 2]))
        self.final_conv = kit.conv(channels[4], channels[4], 3)
        for side in sides:
            self.conv_body_up.append(kit.up(channels[side // 2], channels[side]))
        self.toRGB = nn.ModuleList([kit.rgb(channels[side]) for side in sides])
        outputs = styles * ((len(sides) + 2) * 2 - 2 if self.different else 1)
        self.final_linear = kit.linear(channels[4] * 4 * 4, outputs)

    def add_decoder(
        self, decoder: Conditioned, fixed: bool, kit: Kit, out_size: int, channels: Mapping[int, int]
    ) -> None:
        """Register the decoder and its conditions."""
        self.stylegan_decoder = decoder
        self.stylegan_decoder.requires_grad_(not fixed)
        sides = [2**level for level in range(3, int(math.log2(out_size)) + 1)]
        wide = 1 if self.sft_half else 2
        self.condition_scale, self.condition_shift = (
            nn.ModuleList([kit.condition(channels[s], channels[s] * wide) for s in sides]) for _ in range(2)
        )

    def forward(self, x: Tensor, return_rgb: bool = True) -> tuple[Tensor, list[Tensor]]:
        conditions: list[Tensor] = []
        skips: list[Tensor] = []
        images: list[Tensor] = []
        feat = self.conv_body_first(x)
        for down in self.conv_body_down:
            feat = down(feat)
            skips.insert(0, feat)
        feat = self.final_conv(feat)
        style = self.final_linear(feat.view(feat.size(0), -1))
        if self.different:
            style = style.view(style.size(0), -1, self.style)
        for index, up in enumerate(self.conv_body_up):
            feat = feat + skips[index]
            feat = up(feat)
            scale = self.condition_scale[index](feat)
            conditions.append(scale.clone())
            shift = self.condition_shift[index](feat)
            conditions.append(shift.clone())
            if return_rgb:
                images.append(self.toRGB[index](feat))
        return self.stylegan_decoder.decode(style, conditions, self.latent, self.sft_half), images


class GFPGANv1(FaceRestorer):
    """The published network, with StyleGAN2's filters and fused activations."""

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
        channels, taps = widths(channel_multiplier, narrow * NARROW), tuple(resample_kernel)
        kit = Kit(
            conv=ConvLayer,
            down=lambda cin, cout: ResBlock(cin, cout, taps),
            up=ResUpBlock,
            rgb=lambda cin: EqualConv2d(cin, 3, 1, bias=True),
            linear=EqualLinear,
            condition=condition,
        )
        self.assemble(kit, out_size, channels, num_style_feat)
        decoder = SFTDecoder(
            out_size=out_size, num_style_feat=num_style_feat, num_mlp=num_mlp, lr_mlp=lr_mlp, narrow=narrow,
            channel_multiplier=channel_multiplier, resample_kernel=resample_kernel,
        )  # fmt: skip
        self.add_decoder(decoder, fix_decoder, kit, out_size, channels)


class FacialComponentDiscriminator(nn.Module):
    """Judges an eye or a mouth patch by patch; returns the features of two depths where asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = ConvLayer(3, 64, 3), ConvLayer(64, 128, 3, TAPS)
        self.conv3, self.conv4 = ConvLayer(128, 128, 3), ConvLayer(128, 256, 3, TAPS)
        self.conv5 = ConvLayer(256, 256, 3)
        self.final_conv = ConvLayer(256, 1, 3, activated=False, bias=True)

    def forward(self, x: Tensor, return_feats: bool = False) -> tuple[Tensor, list[Tensor]]:
        feats: list[Tensor] = []
        feat = self.conv1(x)
        feat = self.conv3(self.conv2(feat))
        if return_feats:
            feats.append(feat.clone())
        feat = self.conv5(self.conv4(feat))
        if return_feats:
            feats.append(feat.clone())
        return self.final_conv(feat), feats

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2021 THL A29 Limited, a Tencent company
# SPDX-License-Identifier: MIT AND Apache-2.0

"""GFPGANv1Clean: GFPGAN with plain layers in the place of StyleGAN2's filters and fused activations.

Source: TencentARC/GFPGAN (gfpgan 1.3.8), gfpgan/archs/gfpganv1_clean_arch.py and stylegan2_clean_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.faces.face_restorer import WIDTH_RATIO, Conditioned, FaceRestorer, Kit
from trainlint_zoo.blocks.faces.stylegan2 import NormStyleCode, widths

BUILDERS = {"GFPGANv1Clean": "GFPGANv1Clean"}

LEAK = 0.2


def scaled(x: Tensor, factor: float) -> Tensor:
    """Enlarge or shrink bilinearly."""
    return F.interpolate(x, scale_factor=factor, mode="bilinear", align_corners=False)


class ModulatedConv2d(nn.Module):
    """A convolution whose weight is modulated by each sample's style, behind a doubling if there is one."""

    def __init__(self, cin: int, cout: int, kernel_size: int, style: int, *, doubling: bool = False) -> None:
        super().__init__()
        self.cout, self.kernel_size, self.doubling = cout, kernel_size, doubling
        self.modulation = nn.Linear(style, cin)
        self.weight = nn.Parameter(torch.empty(1, cout, cin, kernel_size, kernel_size))

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        b, c, h, w = x.shape
        style = self.modulation(style).view(b, 1, c, 1, 1)
        weight = self.weight * style
        if self.kernel_size > 1:
            demod = torch.rsqrt(weight.pow(2).sum([2, 3, 4]) + 1e-8)
            weight = weight * demod.view(b, self.cout, 1, 1, 1)
        weight = weight.view(b * self.cout, c, self.kernel_size, self.kernel_size)
        if self.doubling:
            x = scaled(x, 2)
        b, c, h, w = x.shape
        x = x.view(1, b * c, h, w)
        out = F.conv2d(x, weight, padding=self.kernel_size // 2, groups=b)
        return out.view(b, self.cout, *out.shape[2:4])


class StyleConv(nn.Module):
    """A modulated convolution, fresh noise, a bias, the activation in place."""

    def __init__(self, cin: int, cout: int, style: int, *, doubling: bool) -> None:
        super().__init__()
        self.modulated_conv = ModulatedConv2d(cin, cout, 3, style, doubling=doubling)
        self.weight = nn.Parameter(torch.empty(1))
        self.bias = nn.Parameter(torch.empty(1, cout, 1, 1))
        self.activate = nn.LeakyReLU(LEAK, inplace=True)

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        out = self.modulated_conv(x, style) * 2**0.5
        b, _, h, w = out.shape
        noise = out.new_empty(b, 1, h, w).normal_()
        out = out + self.weight * noise
        out = out + self.bias
        result: Tensor = self.activate(out)
        return result


class ToRGB(nn.Module):
    """A modulated 1x1 convolution to three channels, added to the smaller image made twice as large."""

    def __init__(self, cin: int, style: int) -> None:
        super().__init__()
        self.modulated_conv = ModulatedConv2d(cin, 3, 1, style)
        self.bias = nn.Parameter(torch.empty(1, 3, 1, 1))

    def forward(self, x: Tensor, style: Tensor, skip: Tensor | None = None) -> Tensor:
        out: Tensor = self.modulated_conv(x, style)
        out = out + self.bias
        if skip is not None:
            skip = scaled(skip, 2)
            out = out + skip
        return out


class Decoder(Conditioned):
    """The generator with conditions."""

    def __init__(self, out_size: int, style: int, num_mlp: int, multiplier: float, narrow: float) -> None:
        super().__init__()
        layers = [
            part for _ in range(num_mlp) for part in (nn.Linear(style, style), nn.LeakyReLU(LEAK, True))
        ]
        self.style_mlp = nn.Sequential(NormStyleCode(), *layers)

        def conv(cin: int, cout: int, doubling: bool) -> nn.Module:
            return StyleConv(cin, cout, style, doubling=doubling)

        def rgb(cin: int, _doubling: bool) -> nn.Module:
            return ToRGB(cin, style)

        self.add_layers(out_size, widths(multiplier, narrow), conv, rgb)


class LeakyConv(nn.Conv2d):
    """A convolution and an activation in place."""

    def forward(self, x: Tensor) -> Tensor:
        return F.leaky_relu_(super().forward(x), LEAK)


class ResBlock(nn.Module):
    """Two convolutions with a change of size between them, and a 1x1 convolution around them."""

    def __init__(self, cin: int, cout: int, factor: float) -> None:
        super().__init__()
        self.factor = factor
        self.conv1, self.conv2 = nn.Conv2d(cin, cin, 3, 1, 1), nn.Conv2d(cin, cout, 3, 1, 1)
        self.skip = nn.Conv2d(cin, cout, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        out = F.leaky_relu_(self.conv1(x), LEAK)
        out = scaled(out, self.factor)
        out = F.leaky_relu_(self.conv2(out), LEAK)
        x = scaled(x, self.factor)
        skip = self.skip(x)
        result: Tensor = out + skip
        return result


def condition(cin: int, cout: int) -> nn.Sequential:
    """Return the layers that make a scale or a shift."""
    return nn.Sequential(
        nn.Conv2d(cin, cin, 3, 1, 1), nn.LeakyReLU(LEAK, inplace=True), nn.Conv2d(cin, cout, 3, 1, 1)
    )


KIT = Kit(
    conv=lambda cin, cout, side: LeakyConv(cin, cout, side, 1, side // 2),
    down=lambda cin, cout: ResBlock(cin, cout, 0.5),
    up=lambda cin, cout: ResBlock(cin, cout, 2),
    rgb=lambda cin: nn.Conv2d(cin, 3, 1),
    linear=nn.Linear,
    condition=condition,
)


class GFPGANv1Clean(FaceRestorer):
    """The same U-Net and decoder of plain layers."""

    def __init__(
        self,
        *,
        out_size: Positive,
        num_style_feat: Positive = 512,
        channel_multiplier: float = 1,
        decoder_load_path: str | None = None,  # noqa: ARG002  weights do not shape memory
        fix_decoder: bool = True,
        num_mlp: int = 8,
        input_is_latent: bool = False,
        different_w: bool = False,
        narrow: float = 1,
        sft_half: bool = False,
    ) -> None:
        super().__init__()
        self.latent, self.different, self.sft_half = input_is_latent, different_w, sft_half
        channels = widths(channel_multiplier, narrow * WIDTH_RATIO)
        self.assemble(KIT, out_size, channels, num_style_feat)
        decoder = Decoder(out_size, num_style_feat, num_mlp, channel_multiplier, narrow)
        self.add_decoder(decoder, fix_decoder, KIT, out_size, channels)

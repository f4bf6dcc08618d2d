# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-FileCopyrightText: 2019 Kim Seonghyeon
# SPDX-License-Identifier: MIT AND Apache-2.0

"""StyleGAN2's layers: weights of equal rates, modulated convolutions, and the generator made of them.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/stylegan2_arch.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.faces.stylegan2_ops import (
    FusedLeakyReLU,
    fused_leaky_relu,
    smooth_down,
    smooth_up,
    upsample,
)

TAPS = (1, 3, 3, 1)


def widths(multiplier: float, narrow: float) -> dict[int, int]:
    """Return the channels of every side from 4 to 1024."""
    small = dict.fromkeys((4, 8, 16, 32), int(512 * narrow))
    return small | {2 ** (6 + i): int(2 ** (8 - i) * multiplier * narrow) for i in range(5)}


class NormStyleCode(nn.Module):
    """Divides a style by its root mean square."""

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(torch.mean(x**2, dim=1, keepdim=True) + 1e-8)


class EqualLinear(nn.Module):
    """A linear layer whose weight and bias are scaled at every call."""

    def __init__(self, cin: int, cout: int, lr_mul: float = 1, activated: bool = False) -> None:
        super().__init__()
        self.scale, self.lr_mul, self.activated = lr_mul / math.sqrt(cin), lr_mul, activated
        self.weight = nn.Parameter(torch.empty(cout, cin))
        self.bias = nn.Parameter(torch.empty(cout))

    def forward(self, x: Tensor) -> Tensor:
        bias = self.bias * self.lr_mul
        if self.activated:
            return fused_leaky_relu(F.linear(x, self.weight * self.scale), bias)
        return F.linear(x, self.weight * self.scale, bias=bias)


class ModulatedConv2d(nn.Module):
    """A convolution whose weight is modulated by each sample's style: one group per sample."""

    def __init__(self, cin: int, cout: int, kernel_size: int, style: int, taps: Sequence[float] = ()) -> None:
        super().__init__()
        self.cout, self.kernel_size = cout, kernel_size
        self.demodulate = kernel_size > 1
        self.smooth = smooth_up(taps, kernel_size) if taps else None
        self.scale = 1 / math.sqrt(cin * kernel_size**2)
        self.modulation = EqualLinear(style, cin)
        self.weight = nn.Parameter(torch.empty(1, cout, cin, kernel_size, kernel_size))

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        b, c, h, w = x.shape
        style = self.modulation(style).view(b, 1, c, 1, 1)
        weight = self.scale * self.weight * style
        if self.demodulate:
            demod = torch.rsqrt(weight.pow(2).sum([2, 3, 4]) + 1e-8)
            weight = weight * demod.view(b, self.cout, 1, 1, 1)
        weight = weight.view(b * self.cout, c, self.kernel_size, self.kernel_size)
        x = x.view(1, b * c, h, w)
        if self.smooth is None:
            out = F.conv2d(x, weight, padding=self.kernel_size // 2, groups=b)
            return out.view(b, self.cout, *out.shape[2:4])
        weight = weight.view(b, self.cout, c, self.kernel_size, self.kernel_size)
        weight = weight.transpose(1, 2).reshape(b * c, self.cout, self.kernel_size, self.kernel_size)
        out = F.conv_transpose2d(x, weight, padding=0, stride=2, groups=b)
        out = out.view(b, self.cout, *out.shape[2:4])
        result: Tensor = self.smooth(out)
        return result


class StyleConv(nn.Module):
    """A modulated convolution, fresh noise, the activation."""

    def __init__(self, cin: int, cout: int, style: int, taps: Sequence[float] = ()) -> None:
        super().__init__()
        self.modulated_conv = ModulatedConv2d(cin, cout, 3, style, taps)
        self.weight = nn.Parameter(torch.empty(1))
        self.activate = FusedLeakyReLU(cout)

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        out = self.modulated_conv(x, style)
        b, _, h, w = out.shape
        noise = out.new_empty(b, 1, h, w).normal_()
        out = out + self.weight * noise
        result: Tensor = self.activate(out)
        return result


class ToRGB(nn.Module):
    """A modulated 1x1 convolution to three channels, added to the smaller image made twice as large."""

    def __init__(self, cin: int, style: int, taps: Sequence[float] = ()) -> None:
        super().__init__()
        self.upsample = upsample(taps) if taps else None
        self.modulated_conv = ModulatedConv2d(cin, 3, 1, style)
        self.bias = nn.Parameter(torch.empty(1, 3, 1, 1))

    def forward(self, x: Tensor, style: Tensor, skip: Tensor | None = None) -> Tensor:
        out: Tensor = self.modulated_conv(x, style)
        out = out + self.bias
        if skip is not None and self.upsample is not None:
            skip = self.upsample(skip)
            out = out + skip
        return out


class ConstantInput(nn.Module):
    """The learned 4x4 features that every image starts from."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(1, width, 4, 4))

    def forward(self, batch: int) -> Tensor:
        return self.weight.repeat(batch, 1, 1, 1)


class Synthesis(nn.Module):
    """Latents -> images through layers of a kind that a subclass chooses."""

    def add_layers(
        self, out_size: int, channels: Mapping[int, int], conv: Callable[..., nn.Module],
        rgb: Callable[..., nn.Module],
    ) -> None:  # fmt: skip
        """Register all that follows the style's layers; conv(in, out, doubling), rgb(in, doubling)."""
        self.constant_input = ConstantInput(channels[4])
        self.style_conv1 = conv(channels[4], channels[4], False)
        self.to_rgb1 = rgb(channels[4], False)
        log_size = int(math.log2(out_size))
        self.num_latent = log_size * 2 - 2
        self.style_convs, self.to_rgbs, self.noises = nn.ModuleList(), nn.ModuleList(), nn.Module()
        for layer in range((log_size - 2) * 2 + 1):
            side = 2 ** ((layer + 5) // 2)
            self.noises.register_buffer(f"noise{layer}", torch.empty(1, 1, side, side))
        previous = channels[4]
        for level in range(3, log_size + 1):
            width = channels[2**level]
            self.style_convs.append(conv(previous, width, True))
            self.style_convs.append(conv(width, width, False))
            self.to_rgbs.append(rgb(width, True))
            previous = width

    def synthesise(self, latent: Tensor, conditions: Sequence[Tensor] = (), half: bool = False) -> Tensor:
        """Return the images of latents; pairs of conditions scale and shift the features, or half of them."""
        out = self.constant_input(latent.shape[0])
        out = self.style_conv1(out, latent[:, 0])
        skip: Tensor = self.to_rgb1(out, latent[:, 1])
        pairs = zip(self.style_convs[::2], self.style_convs[1::2], self.to_rgbs, strict=True)
        for index, (conv1, conv2, to_rgb) in enumerate(pairs):
            first = 2 * index + 1
            out = conv1(out, latent[:, first])
            if first < len(conditions):
                scale, shift = conditions[first - 1 : first + 1]
                if half:
                    same, moved = torch.split(out, out.size(1) // 2, dim=1)
                    moved = moved * scale + shift
                    out = torch.cat([same, moved], dim=1)
                else:
                    out = out * scale + shift
            out = conv2(out, latent[:, first + 1])
            skip = to_rgb(out, latent[:, first + 2], skip)
        return skip


class StyleGenerator(Synthesis):
    """One or two batches of styles, (b, num_style_feat) -> images (b, 3, out_size, out_size), latents."""

    def __init__(
        self,
        *,
        out_size: Positive,
        num_style_feat: Positive = 512,
        num_mlp: int = 8,
        channel_multiplier: float = 2,
        resample_kernel: Sequence[float] = TAPS,
        lr_mlp: float = 0.01,
        narrow: float = 1,
    ) -> None:
        super().__init__()
        style, taps = num_style_feat, tuple(resample_kernel)
        layers = [EqualLinear(style, style, lr_mlp, activated=True) for _ in range(num_mlp)]
        self.style_mlp = nn.Sequential(NormStyleCode(), *layers)

        def conv(cin: int, cout: int, doubling: bool) -> nn.Module:
            return StyleConv(cin, cout, style, taps if doubling else ())

        def rgb(cin: int, doubling: bool) -> nn.Module:
            return ToRGB(cin, style, taps if doubling else ())

        self.add_layers(out_size, widths(channel_multiplier, narrow), conv, rgb)

    def _latent(self, styles: list[Tensor]) -> Tensor:
        """(b, num_latent, style): two styles are mixed at one of the layers, which one does not matter."""
        if len(styles) == 1:
            return styles[0].unsqueeze(1).repeat(1, self.num_latent, 1)
        first = styles[0].unsqueeze(1).repeat(1, 1, 1)
        second = styles[1].unsqueeze(1).repeat(1, self.num_latent - 1, 1)
        return torch.cat([first, second], 1)

    def forward(self, styles: Sequence[Tensor], return_latents: bool = False) -> tuple[Tensor, Tensor | None]:
        styles = [self.style_mlp(style) for style in styles]
        latent = self._latent(styles)
        return self.synthesise(latent), latent if return_latents else None


class ScaledLeakyReLU(nn.Module):
    """Leaky ReLU, then the scale: two operators."""

    def forward(self, x: Tensor) -> Tensor:
        return F.leaky_relu(x, negative_slope=0.2) * math.sqrt(2)


class EqualConv2d(nn.Module):
    """A convolution whose weight is scaled at every call."""

    def __init__(self, cin: int, cout: int, kernel_size: int, stride: int = 1, *, bias: bool = False) -> None:
        super().__init__()
        self.stride, self.padding = stride, 0 if stride > 1 else kernel_size // 2
        self.scale = 1 / math.sqrt(cin * kernel_size**2)
        self.weight = nn.Parameter(torch.empty(cout, cin, kernel_size, kernel_size))
        self.bias = nn.Parameter(torch.empty(cout)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.conv2d(x, self.weight * self.scale, self.bias, self.stride, self.padding)


class ConvLayer(nn.Sequential):
    """A convolution with the activation's bias, halving behind a filter where `taps` are given."""

    def __init__(
        self,
        cin: int,
        cout: int,
        kernel_size: int,
        taps: Sequence[float] = (),
        *,
        activated: bool = True,
        bias: bool = False,
    ) -> None:
        layers: list[nn.Module] = [smooth_down(taps, kernel_size)] if taps else []
        layers.append(EqualConv2d(cin, cout, kernel_size, 2 if taps else 1, bias=bias))
        if activated:
            layers.append(FusedLeakyReLU(cout))
        super().__init__(*layers)


class ResBlock(nn.Module):
    """Two convolutions, the second halving, and a halving 1x1 convolution around them."""

    def __init__(self, cin: int, cout: int, taps: Sequence[float]) -> None:
        super().__init__()
        self.conv1 = ConvLayer(cin, cin, 3)
        self.conv2 = ConvLayer(cin, cout, 3, taps)
        self.skip = ConvLayer(cin, cout, 1, taps, activated=False)

    def forward(self, x: Tensor) -> Tensor:
        out = self.conv1(x)
        out = self.conv2(out)
        skip = self.skip(x)
        result: Tensor = (out + skip) / math.sqrt(2)
        return result

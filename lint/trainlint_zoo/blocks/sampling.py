# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-FileCopyrightText: spandrel authors
# SPDX-FileCopyrightText: DySample authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Building blocks that traiNNer-redux's architectures share: a plain channel norm and its upsamplers.

Source: the-database/traiNNer-redux 6862931, traiNNer/archs/arch_util.py; DySample as in spandrel 0.4.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.blocks.residual import RGB_MEAN, Upsample

Upsampler = Literal[
    "conv", "pixelshuffledirect", "pixelshuffle", "nearest+conv", "dysample", "transpose+conv"
]

GROUPS = 4  # of DySample
META_ENTRIES = 7  # entries of the MetaUpsample buffer, one byte each
LEAK = 0.2


class PlainNorm(nn.Module):
    """Layer normalization over channels, written out: autograd keeps every step."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(dim))
        self.bias = nn.Parameter(torch.empty(dim))

    def forward(self, x: Tensor) -> Tensor:
        u = x.mean(1, keepdim=True)
        s = (x - u).pow(2).mean(1, keepdim=True)
        x = (x - u) / torch.sqrt(s + 1e-6)
        return self.weight[:, None, None] * x + self.bias[:, None, None]


class MeanShift(nn.Conv2d):
    """Add or take away the mean color by a frozen 1x1 convolution."""

    def __init__(self) -> None:
        super().__init__(len(RGB_MEAN), len(RGB_MEAN), 1)
        self.requires_grad_(False)


class DySample(nn.Module):
    """Upsampling by learnt sampling points; coordinates are made on the CPU and copied over."""

    def __init__(self, channels: int, scale: int, groups: int, out: int | None = None) -> None:
        super().__init__()
        if channels % groups:
            raise ValueError(f"{channels} channels are not a multiple of the {groups} groups")
        self.scale, self.groups = scale, groups
        points = 2 * groups * scale**2
        self.end_conv = nn.Conv2d(channels, out, 1) if out else nn.Identity()
        self.offset = nn.Conv2d(channels, points, 1)
        self.scope = nn.Conv2d(channels, points, 1, bias=False)
        self.register_buffer("init_pos", torch.empty(1, points, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        offset = self.offset(x) * self.scope(x).sigmoid() * 0.5 + self.get_buffer("init_pos")
        b, _, height, width = offset.shape
        offset = offset.view(b, 2, -1, height, width)
        coords = torch.empty(1, 2, 1, height, width, dtype=x.dtype, device=x.device)
        normalizer = torch.empty(1, 2, 1, 1, 1, dtype=x.dtype, device=x.device)
        coords = 2 * (coords + offset) / normalizer - 1
        coords = (
            F.pixel_shuffle(coords.reshape(b, -1, height, width), self.scale)
            .view(b, 2, -1, self.scale * height, self.scale * width)
            .permute(0, 2, 3, 4, 1)
            .contiguous()
            .flatten(0, 1)
        )
        output = F.grid_sample(
            x.reshape(b * self.groups, -1, height, width),
            coords,
            mode="bilinear",
            align_corners=False,
            padding_mode="border",
        ).view(b, -1, self.scale * height, self.scale * width)
        out: Tensor = self.end_conv(output)
        return out


class UniUpsample(nn.Sequential):
    """The tail by name, with the buffer that says which it is."""

    def __init__(self, kind: str, scale: int, dim: int, out: int, mid: int) -> None:
        super().__init__(*upsampling("conv" if scale == 1 else kind, scale, dim, out, mid))
        self.register_buffer("MetaUpsample", torch.empty(META_ENTRIES, dtype=torch.uint8))


def upsampling(kind: str, scale: int, dim: int, out: int, mid: int) -> list[nn.Module]:
    """Return the layers of an upsampler; ValueError for a name or a scale that it does not know."""
    match kind:
        case "conv":
            return [conv3(dim, out)]
        case "pixelshuffledirect":
            return [conv3(dim, out * scale**2), nn.PixelShuffle(scale)]
        case "pixelshuffle":
            return [conv3(dim, mid), nn.LeakyReLU(inplace=True), *Upsample(scale, mid), conv3(mid, out)]
        case "nearest+conv":
            return [*_enlarged(scale, dim), conv3(dim, dim), _leaky(), conv3(dim, out)]
        case "dysample":
            narrow = [conv3(dim, mid), nn.LeakyReLU(inplace=True)] if mid != dim else []
            return [*narrow, DySample(mid, scale, GROUPS, out)]
        case "transpose+conv":
            return [*_transposed(scale, dim, out), conv3(out, out)]
    raise ValueError(f'unknown upsampler "{kind}"')


def _enlarged(scale: int, dim: int) -> list[nn.Module]:
    steps = [3] if scale == 3 else [2] * (scale.bit_length() - 1)
    layers: list[nn.Module] = []
    for step in steps:
        layers += [conv3(dim, dim), nn.Upsample(scale_factor=step), _leaky()]
    return layers


def _transposed(scale: int, dim: int, out: int) -> list[nn.Module]:
    if scale == 2:
        return [nn.ConvTranspose2d(dim, out, 4, 2, 1)]
    if scale == 3:
        return [nn.ConvTranspose2d(dim, out, 3, 3, 0)]
    if scale == 4:
        return [nn.ConvTranspose2d(dim, dim, 4, 2, 1), nn.GELU(), nn.ConvTranspose2d(dim, out, 4, 2, 1)]
    raise ValueError(f"scale {scale} is not supported by transpose+conv, expected 2, 3 or 4")


def conv3(cin: int, cout: int, *, bias: bool = True) -> nn.Conv2d:
    """Return a 3x3 convolution that keeps the size."""
    return nn.Conv2d(cin, cout, 3, 1, 1, bias=bias)


def _leaky() -> nn.Module:
    return nn.LeakyReLU(LEAK, inplace=True)


def padded(x: Tensor, side: int) -> Tensor:
    """Reflect an image up to multiples of `side`; a copy even where it fits."""
    height, width = x.shape[2:]
    return F.pad(x, (0, -width % side, 0, -height % side), "reflect")


def cropped(x: Tensor, height: int, width: int) -> Tensor:
    """Return the part of an image that was asked for."""
    return x[:, :, :height, :width]

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: SAFMN authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""SAFMN: features of four sizes from pooled channels modulate the input; a convolutional mixer after.

Sources: sunny2109/SAFMN abe5ffdc, basicsr/archs/safmn_arch.py; muslll/neosr de9c33cc,
neosr/archs/safmn_arch.py (`bcie`: groups of blocks); the-database/traiNNer-redux 8042a159,
traiNNer/archs/safmn_arch.py.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.sampling import PlainNorm, conv3

BUILDERS = {
    "SAFMN": "SAFMN",
    "trainner-redux:safmn": "redux_safmn",
    "trainner-redux:safmn_l": "redux_safmn_l",
    "neosr:safmn": "neosr_safmn",
    "neosr:safmn_l": "neosr_safmn_l",
}

LEVELS = 4


class Modulation(nn.Module):
    """Depthwise convolutions on the channels' parts, each part at half the size of the one before."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        part = dim // LEVELS
        self.mfr = nn.ModuleList(nn.Conv2d(part, part, 3, 1, 1, groups=part) for _ in range(LEVELS))
        self.aggr = nn.Conv2d(dim, dim, 1)
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        size = h, w = x.shape[-2:]
        out = []
        for level, (conv, part) in enumerate(zip(self.mfr, x.chunk(LEVELS, dim=1), strict=True)):
            if level == 0:
                s = conv(part)
            else:
                s = F.adaptive_max_pool2d(part, (h // 2**level, w // 2**level))
                s = conv(s)
                s = F.interpolate(s, size=size, mode="nearest")
            out.append(s)
        mixed = self.aggr(torch.cat(out, dim=1))
        result: Tensor = self.act(mixed) * x
        return result


class Mixer(nn.Module):
    """A wide convolution and a 1x1 one."""

    def __init__(self, dim: int, ratio: float) -> None:
        super().__init__()
        hidden = int(dim * ratio)
        self.ccm = nn.Sequential(conv3(dim, hidden), nn.GELU(), nn.Conv2d(hidden, dim, 1))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.ccm(x)
        return out


class Block(nn.Module):
    """Modulation and mixer, each normalized and in a residual."""

    def __init__(self, dim: int, ratio: float) -> None:
        super().__init__()
        self.norm1 = PlainNorm(dim)
        self.norm2 = PlainNorm(dim)
        self.safm = Modulation(dim)
        self.ccm = Mixer(dim, ratio)

    def forward(self, x: Tensor) -> Tensor:
        x = self.safm(self.norm1(x)) + x
        out: Tensor = self.ccm(self.norm2(x)) + x
        return out


class Group(nn.Module):
    """Blocks and a convolution in a residual."""

    def __init__(self, layers: int, dim: int, ratio: float) -> None:
        super().__init__()
        self.layers = nn.Sequential(*(Block(dim, ratio) for _ in range(layers)))
        self.conv = conv3(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.conv(self.layers(x)) + x
        return out


class SAFMN(nn.Module):
    """Blocks in a long residual, one pixel shuffle."""

    def __init__(
        self,
        dim: Positive,
        n_blocks: Positive = 8,
        ffn_scale: float = 2.0,
        upscaling_factor: Positive = 4,
    ) -> None:
        super().__init__()
        self.to_feat = conv3(3, dim)
        self.feats = nn.Sequential(*(Block(dim, ffn_scale) for _ in range(n_blocks)))
        self.to_img = nn.Sequential(conv3(dim, 3 * upscaling_factor**2), nn.PixelShuffle(upscaling_factor))

    def forward(self, x: Tensor) -> Tensor:
        x = self.to_feat(x)
        x = self.feats(x) + x
        out: Tensor = self.to_img(x)
        return out


def redux_safmn(
    *, scale: Positive = 4, dim: Positive = 36, n_blocks: Positive = 8, ffn_scale: float = 2.0
) -> nn.Module:
    """Return redux's SAFMN."""
    return SAFMN(dim, n_blocks, ffn_scale, scale)


def redux_safmn_l(
    *, scale: Positive = 4, dim: Positive = 128, n_blocks: Positive = 16, ffn_scale: float = 2.0
) -> nn.Module:
    """Return redux's large SAFMN."""
    return SAFMN(dim, n_blocks, ffn_scale, scale)


def neosr_safmn(
    *,
    dim: Positive = 36,
    num_layers: Positive = 6,
    n_blocks: Positive = 8,
    ffn_scale: float = 2.0,
    scale: Positive = 4,
    upscaling_factor: Positive | None = None,
    bcie: bool = False,
    **_: object,
) -> nn.Module:
    """Return neosr's SAFMN; with `bcie` each block is a group of `num_layers`."""
    network = SAFMN(dim, n_blocks, ffn_scale, upscaling_factor or scale)
    if bcie:
        network.feats = nn.Sequential(*(Group(num_layers, dim, ffn_scale) for _ in range(n_blocks)))
    return network


def neosr_safmn_l(*, scale: Positive = 4, **rest: Any) -> nn.Module:
    """Return neosr's large SAFMN; TypeError for what the preset sets itself."""
    return neosr_safmn(scale=scale, dim=128, n_blocks=16, **rest)

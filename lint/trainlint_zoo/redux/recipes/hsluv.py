# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""RGB to HSLuv as traiNNer-redux computes it: the operators decide what autograd keeps, not the values.

Source: the-database/traiNNer-redux 6862931, traiNNer/utils/hsluv.py.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

RECIPES: dict[str, str] = {}

KAPPA, EPSILON = 903.2962962, 0.0088564516  # CIE's constants
LINEAR_BELOW = 0.04045  # of sRGB's transfer curve
GREY_BELOW = 0.028972067  # chroma under which a color counts as grey in fp32
DARK, BRIGHT = 1e-8, 100 - 1e-5


def rgb_to_hsluv(rgb: Tensor) -> Tensor:
    """Convert (b, 3, h, w) in [0, 1] to hue, saturation and lightness, keeping what autograd keeps."""
    rgb = rgb.permute(0, 2, 3, 1).clamp(1e-12, 1)
    lch = _luv_to_lch(_xyz_to_luv(_rgb_to_xyz(rgb)))
    return _lch_to_hsluv(lch[..., 0], lch[..., 1], lch[..., 2]).permute(0, 3, 1, 2)


def _rgb_to_xyz(rgb: Tensor) -> Tensor:
    linear = torch.where(rgb <= LINEAR_BELOW, rgb / 12.92, torch.pow((rgb + 0.055) / 1.055, 2.4))
    return torch.matmul(linear, torch.empty(3, 3).to(rgb).transpose(0, 1))


def _xyz_to_luv(xyz: Tensor) -> Tensor:
    x, y, z = xyz[..., 0], xyz[..., 1], xyz[..., 2]
    lightness = torch.where(y > EPSILON, 116 * torch.pow(y / 1.0, 1 / 3) - 16, y / 1.0 * KAPPA)
    divider = x + 15 * y + 3 * z
    var_u = 4 * x / divider
    var_v = 9 * y / divider
    u = 13 * lightness * (var_u - 0.19783)
    v = 13 * lightness * (var_v - 0.46832)
    u = torch.where(lightness == 0, 0, u)
    v = torch.where(lightness == 0, 0, v)
    return torch.stack([lightness, u, v], dim=-1)


def _luv_to_lch(luv: Tensor) -> Tensor:
    lightness, u, v = luv[..., 0], luv[..., 1], luv[..., 2]
    c = torch.sqrt(u**2 + v**2)
    h = torch.atan2(v, u) * 180 / math.pi
    h = torch.where(h < 0, h + 360, h)
    h = torch.where(c < GREY_BELOW, 0, h)
    return torch.stack([lightness, c, h], dim=-1)


def _lch_to_hsluv(lightness: Tensor, c: Tensor, h: Tensor) -> Tensor:
    widest = torch.clamp(_max_chroma(lightness, h), 1e-12)
    s = c / widest * 100
    s = torch.where((lightness > BRIGHT) | (lightness < DARK), 0, s)
    lightness = torch.clamp(lightness, 0, 100)
    return torch.stack([h, torch.clamp(s, 0, 100), lightness], dim=-1)


def _max_chroma(lightness: Tensor, h: Tensor) -> Tensor:
    angle = torch.deg2rad(h)
    lengths = torch.stack([_length(angle, *bound) for bound in _bounds(lightness)])
    lengths = torch.where(lengths >= 0, lengths, torch.max(lengths).to(lightness))
    return lengths.min(dim=0).values


def _bounds(lightness: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Return slope and intercept of the six lines around the colours of a lightness."""
    cube = ((lightness + 16) ** 3) / 1560896
    sub = torch.where(cube > EPSILON, cube, lightness / KAPPA)
    matrix = torch.empty(3, 3).to(lightness)
    lines = []
    for channel in range(3):
        m1, m2, m3 = matrix[channel]
        for t in range(2):
            top1 = (284517 * m1 - 94839 * m3) * sub
            top2 = (838422 * m3 + 769860 * m2 + 731718 * m1) * lightness * sub - (769860 * t) * lightness
            bottom = torch.clamp((632260 * m3 - 126452 * m2) * sub + 126452 * t, 1e-12)
            lines.append((top1 / bottom, top2 / bottom))
    return lines


def _length(angle: Tensor, slope: Tensor, intercept: Tensor) -> Tensor:
    return intercept / torch.clamp(torch.sin(angle) - slope * torch.cos(angle), 1e-12)

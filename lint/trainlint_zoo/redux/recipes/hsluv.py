# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's HSLuv loss. Operators decide what autograd keeps, not values.

Divisors keep away from zero on their own side, as in the trainer since 93c2233c (February 2026). Before, it
clamped them, which keeps less; a config does not tell which of the two it trains with.
Source: the-database/traiNNer-redux 6862931, traiNNer/losses/basic_loss.py and traiNNer/utils/hsluv.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.redux.recipes.losses import InFp32, charbonnier

RECIPES: dict[str, str] = {}

KAPPA, EPSILON = 903.2962962, 0.0088564516  # CIE's constants
LINEAR_BELOW = 0.04045  # of sRGB's transfer curve
GREY_BELOW = 0.028972067  # chroma under which a color counts as grey in fp32
DARK, BRIGHT = 0.01, 99.99
BLACK = 1e-4  # lightness under which a colour has no hue
EXTREME = 0.1
"""Share of saturation or lightness under which a hue does not count."""


class HSLuv(InFp32):
    """Hue, saturation and lightness in HSLuv; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.kind = loss.get("criterion", "l1")
        if self.kind not in {"charbonnier", "l1", "l2"}:
            raise CannotTraceError(f"unknown HSLuv criterion {self.kind}")
        self.smaller, self.blur = int(loss.get("downscale_factor", 1)), int(loss.get("blur_strength", 0))

    def distance(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the distance per pixel."""
        if self.kind == "charbonnier":
            return charbonnier(x, y, "none")
        return F.l1_loss(x, y, reduction="none") if self.kind == "l1" else F.mse_loss(x, y, reduction="none")

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of the three distances."""
        if self.blur:
            x, y = _blurred(x, self.blur), _blurred(y, self.blur)
        x_hue, x_sat, x_light = self.thirds(x)
        y_hue, y_sat, y_light = self.thirds(y)
        hue = torch.min(torch.abs(x_hue - y_hue), 1 - torch.abs(x_hue - y_hue)) * 2
        hue = torch.where((x_sat < EXTREME) & (y_sat < EXTREME), 0, hue)
        one_grey = ((x_sat < EXTREME) & (y_sat > EXTREME)) | ((x_sat > EXTREME) & (y_sat < EXTREME))
        hue = torch.where(one_grey, torch.max(x_sat, y_sat), hue)
        hue = torch.where((x_light < EXTREME) & (y_light < EXTREME), 0, hue)
        hue = torch.where((x_light > 1 - EXTREME) & (y_light > 1 - EXTREME), 0, hue)
        hue_loss = torch.mean(hue) * (1 / 3)
        saturation = self.distance(x_sat, y_sat)
        x_weight = torch.min(x_light, 1 - x_light).clamp(0, 0.5)
        y_weight = torch.min(y_light, 1 - y_light).clamp(0, 0.5)
        weight = x_weight + y_weight
        weighted = saturation * weight
        return hue_loss + torch.mean(weighted) * (1 / 3) + self.distance(x_light, y_light).mean() * (1 / 3)

    def thirds(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return hue, saturation and lightness, each between 0 and 1."""
        if self.smaller > 1:
            x = F.interpolate(x, scale_factor=1 / self.smaller, mode="bicubic", antialias=True).clamp(0, 1)
        hsluv = rgb_to_hsluv(x)
        return hsluv[:, 0, :, :] / 360, hsluv[:, 1, :, :] / 100, hsluv[:, 2, :, :] / 100


def _blurred(x: Tensor, strength: int) -> Tensor:
    """Blur as torchvision's GaussianBlur: over a border of mirrored pixels."""
    reach = 2 * strength
    window = torch.empty(1, 1, 2 * reach + 1, 2 * reach + 1).to(x).expand(x.shape[1], -1, -1, -1)
    return F.conv2d(F.pad(x, (reach,) * 4, mode="reflect"), window, groups=x.shape[1])


def rgb_to_hsluv(rgb: Tensor) -> Tensor:
    """Convert (b, 3, h, w) in [0, 1] to hue, saturation, lightness; each step's result lives to the end."""
    rgb = rgb.permute(0, 2, 3, 1).clamp(1e-12, 1)
    xyz = _rgb_to_xyz(rgb)
    luv = _xyz_to_luv(xyz)
    lch = _luv_to_lch(luv)
    return _lch_to_hsluv(lch[..., 0], lch[..., 1], lch[..., 2]).permute(0, 3, 1, 2)


def _rgb_to_xyz(rgb: Tensor) -> Tensor:
    linear = torch.where(rgb <= LINEAR_BELOW, rgb / 12.92, torch.pow((rgb + 0.055) / 1.055, 2.4))
    return torch.matmul(linear, torch.empty(3, 3).to(rgb).transpose(0, 1))


def _xyz_to_luv(xyz: Tensor) -> Tensor:
    x, y, z = xyz[..., 0], xyz[..., 1], xyz[..., 2]
    lightness = torch.where(y > EPSILON, 116 * torch.pow(y / 1.0, 1 / 3) - 16, y / 1.0 * KAPPA)
    unbounded = x + 15 * y + 3 * z
    divisor = torch.clamp(unbounded, min=1e-6)
    var_u = 4 * x / divisor
    var_v = 9 * y / divisor
    u = 13 * lightness * (var_u - 0.19783)
    v = 13 * lightness * (var_v - 0.46832)
    u = torch.where(lightness < BLACK, 0.0, u)
    v = torch.where(lightness < BLACK, 0.0, v)
    return torch.stack([lightness, u, v], dim=-1)


def _luv_to_lch(luv: Tensor) -> Tensor:
    lightness, u, v = luv[..., 0], _never_zero(luv[..., 1]), _never_zero(luv[..., 2])
    c = torch.sqrt(u**2 + v**2)
    h = torch.atan2(v, u) * 180 / math.pi
    h = torch.where(h < 0, h + 360, h)
    h = torch.where(c < GREY_BELOW, 0, h)
    return torch.stack([lightness, c, h], dim=-1)


def _never_zero(part: Tensor) -> Tensor:
    """Give zero the least value of its own sign: an angle has no slope there."""
    least = torch.full_like(part, 1e-12)
    least = torch.where(part >= 0, least, -least)
    return torch.where(part == 0, least, part)


def _divisor(x: Tensor) -> Tensor:
    """Keep a divisor away from zero, on its own side."""
    far = torch.sign(x) * torch.clamp(torch.abs(x), min=1e-3)
    return torch.where(x == 0, 1e-3, far)


def _lch_to_hsluv(lightness: Tensor, c: Tensor, h: Tensor) -> Tensor:
    chroma = _max_chroma(lightness, h)
    widest = torch.clamp(chroma, min=1e-2)
    s = c / widest * 100
    s = torch.where((lightness > BRIGHT) | (lightness < DARK), 0.0, s)
    lightness = torch.clamp(lightness, 0, 100)
    return torch.stack([h, torch.clamp(s, 0, 100), lightness], dim=-1)


def _max_chroma(lightness: Tensor, h: Tensor) -> Tensor:
    angle = torch.deg2rad(h)
    bounds = _bounds(lightness)
    lengths = torch.stack([_length(angle, *bound) for bound in bounds])
    lengths_ahead = torch.where(lengths >= 0, lengths, torch.max(lengths).to(lightness))
    return lengths_ahead.min(dim=0).values


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
            bottom = (632260 * m3 - 126452 * m2) * sub + 126452 * t
            divisor = _divisor(bottom)
            lines.append((top1 / divisor, top2 / divisor))
    return lines


def _length(angle: Tensor, slope: Tensor, intercept: Tensor) -> Tensor:
    return intercept / _divisor(torch.sin(angle) - slope * torch.cos(angle))

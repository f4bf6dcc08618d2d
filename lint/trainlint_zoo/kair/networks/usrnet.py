# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Kai Zhang
# SPDX-License-Identifier: MIT

"""USRNet: a data step solved in the Fourier domain and a residual U-Net, unrolled.

Source: cszn/KAIR fc1732f, models/network_usrnet_v1.py (for torch 1.8 and later).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.letters import ResUNet, activated

BUILDERS = {"kair:usrnet": "USRNet"}

LAST_DIMENSIONS = (-2, -1)
LEVELS = 8
"""The U-Net halves three times: its images are padded to multiples of this."""
EPSILON = 1e-6


class Known(NamedTuple):
    """What all iterations share: the blur's spectrum in three forms, the input's, the scale."""

    blur: Tensor
    conjugate: Tensor
    power: Tensor
    target: Tensor
    scale: int


def blocks_of(x: Tensor, scale: int) -> Tensor:
    """(b, c, h, w) -> (b, c, h / s, w / s, s^2): the s x s blocks of a spectrum, copied twice."""
    x = torch.stack(torch.chunk(x, scale, dim=2), dim=4)
    return torch.cat(torch.chunk(x, scale, dim=3), dim=4)


def transfer(kernel: Tensor, size: tuple[int, int]) -> Tensor:
    """Return a blur kernel's (b, c, k, k) optical transfer function (b, c, *size), complex."""
    padded = torch.zeros((*kernel.shape[:-2], *size)).type_as(kernel)
    padded[..., : kernel.shape[2], : kernel.shape[3]].copy_(kernel)
    for axis, side in enumerate(kernel.shape[2:]):
        padded = torch.roll(padded, -int(side / 2), dims=axis + 2)
    out: Tensor = torch.fft.fftn(padded, dim=LAST_DIMENSIONS)
    return out


def spread(x: Tensor, scale: int) -> Tensor:
    """Enlarge by zeros."""
    b, c, h, w = x.shape
    z = torch.zeros((b, c, h * scale, w * scale)).type_as(x)
    z[..., ::scale, ::scale].copy_(x)
    return z


class Data(nn.Module):
    """The closed-form data step; no parameters."""

    def forward(self, x: Tensor, known: Known, alpha: Tensor) -> Tensor:
        spectrum = known.target + torch.fft.fftn(alpha * x, dim=LAST_DIMENSIONS)
        blurred = known.blur.mul(spectrum)
        mean = torch.mean(blocks_of(blurred, known.scale), dim=-1)
        weight = torch.mean(blocks_of(known.power, known.scale), dim=-1)
        quotient = mean.div(weight + alpha)
        correction = known.conjugate * quotient.repeat(1, 1, known.scale, known.scale)
        solved = (spectrum - correction) / alpha
        return torch.real(torch.fft.ifftn(solved, dim=LAST_DIMENSIONS))


class Prior(ResUNet):
    """The denoiser: pads to multiples of 8 and crops again."""

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[-2:]
        padded = F.pad(x, (0, -width % LEVELS, 0, -height % LEVELS), "replicate")
        return super().forward(padded)[..., :height, :width]


class Hyper(nn.Module):
    """Noise level and scale to the weights of all iterations."""

    def __init__(self, out_nc: int, channel: int) -> None:
        super().__init__()
        self.mlp = nn.Sequential(
            nn.Conv2d(2, channel, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channel, channel, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channel, out_nc, 1),
            nn.Softplus(),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.mlp(x) + EPSILON
        return out


class USRNet(nn.Module):
    """Image (b, c, h, w), blur kernel (b, 1, k, k), scale and noise level (b, 1, 1, 1) to (b, c, sh, sw)."""

    def __init__(
        self,
        *,
        n_iter: Positive = 8,
        h_nc: Positive = 64,
        in_nc: Positive = 4,
        out_nc: Positive = 3,
        nc: Sequence[int] = (64, 128, 256, 512),
        nb: Positive = 2,
        act_mode: str = "R",
        downsample_mode: Literal["strideconv", "maxpool", "avgpool"] = "strideconv",
        upsample_mode: Literal["upconv", "pixelshuffle", "convtranspose"] = "convtranspose",
    ) -> None:
        super().__init__()
        self.d = Data()
        self.p = Prior(
            in_nc, out_nc, nc=nc, nb=nb, act_mode=activated(act_mode), downsample_mode=downsample_mode,
            upsample_mode=upsample_mode, bias=False,
        )  # fmt: skip
        self.h = Hyper(n_iter * 2, h_nc)
        self.n = n_iter

    def forward(self, x: Tensor, k: Tensor, sf: int, sigma: Tensor) -> Tensor:
        width, height = x.shape[-2:]
        blur = transfer(k, (width * sf, height * sf))
        conjugate = torch.conj(blur)
        power = torch.pow(torch.abs(blur), 2)
        zeros = spread(x, sf)
        known = Known(blur, conjugate, power, conjugate * torch.fft.fftn(zeros, dim=LAST_DIMENSIONS), sf)
        x = F.interpolate(x, scale_factor=sf, mode="nearest")
        levels = torch.cat((sigma, torch.tensor(sf).type_as(sigma).expand_as(sigma)), dim=1)
        ab = self.h(levels)
        for i in range(self.n):
            x = self.d(x, known, ab[:, i : i + 1, ...])
            beta = ab[:, i + self.n : i + self.n + 1, ...].repeat(1, 1, x.size(2), x.size(3))
            x = self.p(torch.cat((x, beta), dim=1))
        return x

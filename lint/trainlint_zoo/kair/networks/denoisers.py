# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Kai Zhang
# SPDX-License-Identifier: MIT

"""KAIR's denoisers: DnCNN, FDnCNN, FFDNet and DRUNet.

Source: cszn/KAIR fc1732f, models/{network_dncnn,network_ffdnet,network_unet}.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.letters import ResUNet, activated, layers
from trainlint_zoo.blocks.residual import pixel_unshuffle

BUILDERS = {
    "kair:dncnn": "DnCNN",
    "kair:fdncnn": "FDnCNN",
    "kair:ffdnet": "FFDNet",
    "kair:drunet": "drunet",
}

FOLD = 2
"""FFDNet works on pixels folded 2x2 into channels."""


def chain(in_nc: int, out_nc: int, nc: int, nb: int, act_mode: str) -> nn.Sequential:
    """Return `nb` convolutions with activations between them; norms only inside."""
    body = [layer for _ in range(nb - 2) for layer in layers(f"C{activated(act_mode)}", nc, nc)]
    return nn.Sequential(*layers(f"C{act_mode[-1]}", in_nc, nc), *body, *layers("C", nc, out_nc))


class FDnCNN(nn.Module):
    """A chain of convolutions from a noisy image and its noise map to the clean image."""

    def __init__(
        self,
        *,
        in_nc: Positive = 2,
        out_nc: Positive = 1,
        nc: Positive = 64,
        nb: Positive = 20,
        act_mode: str = "R",
    ) -> None:
        super().__init__()
        self.model = chain(in_nc, out_nc, nc, nb, act_mode)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.model(x)
        return out


class DnCNN(nn.Module):
    """A chain of convolutions that predicts the noise, which is taken off the image."""

    def __init__(
        self,
        *,
        in_nc: Positive = 1,
        out_nc: Positive = 1,
        nc: Positive = 64,
        nb: Positive = 17,
        act_mode: str = "BR",
    ) -> None:
        super().__init__()
        self.model = chain(in_nc, out_nc, nc, nb, act_mode)

    def forward(self, x: Tensor) -> Tensor:
        noise: Tensor = self.model(x)
        return x - noise


class FFDNet(nn.Module):
    """A chain of convolutions on the folded image and a map of its noise level, sigma (b, 1, 1, 1)."""

    def __init__(
        self,
        *,
        in_nc: Positive = 1,
        out_nc: Positive = 1,
        nc: Positive = 64,
        nb: Positive = 15,
        act_mode: str = "R",
    ) -> None:
        super().__init__()
        self.model = chain(in_nc * FOLD**2 + 1, out_nc * FOLD**2, nc, nb, act_mode)
        self.m_up = nn.PixelShuffle(FOLD)

    def forward(self, x: Tensor, sigma: Tensor) -> Tensor:
        height, width = x.shape[-2:]
        x = F.pad(x, (0, -width % FOLD, 0, -height % FOLD), "replicate")
        x = pixel_unshuffle(x, FOLD)
        level = sigma.repeat(1, 1, x.shape[-2], x.shape[-1])
        x = torch.cat((x, level), 1)
        x = self.model(x)
        x = self.m_up(x)
        return x[..., :height, :width]


def drunet(
    *,
    in_nc: Positive = 3,
    out_nc: Positive = 3,
    nc: Sequence[int] = (64, 128, 256, 512),
    nb: Positive = 4,
    act_mode: str = "R",
    downsample_mode: Literal["strideconv", "maxpool", "avgpool"] = "strideconv",
    upsample_mode: Literal["upconv", "pixelshuffle", "convtranspose"] = "convtranspose",
    bias: bool = True,
) -> nn.Module:
    """Return DRUNet, the residual U-Net that gets a noise map as a further channel."""
    return ResUNet(
        in_nc, out_nc, nc=nc, nb=nb, act_mode=act_mode, downsample_mode=downsample_mode,
        upsample_mode=upsample_mode, bias=bias,
    )  # fmt: skip

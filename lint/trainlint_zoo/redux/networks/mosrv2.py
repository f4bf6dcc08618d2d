# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 umzi
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""MoSRv2: gated convolution blocks with inception-style depthwise convolutions.

Source: the-database/traiNNer-redux 6862931, traiNNer/archs/mosrv2_arch.py.
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.gated_cnn import GatedCNNBlock
from trainlint_zoo.blocks.sampling import UniUpsample

BUILDERS = {"trainner-redux:mosrv2": "MoSRv2"}


class MoSRv2(nn.Module):
    """Blocks, an upsampler, plus the bilinearly upsampled input."""

    def __init__(
        self,
        *,
        scale: Positive = 4,
        in_ch: Positive = 3,
        n_block: Positive = 24,
        dim: Positive = 64,
        upsampler: Literal[
            "conv", "pixelshuffledirect", "pixelshuffle", "nearest+conv", "dysample"
        ] = "pixelshuffledirect",
        expansion_ratio: float = 1.5,
        mid_dim: Positive = 32,
        unshuffle_mod: bool = True,
        rms_norm: bool = False,
    ) -> None:
        super().__init__()
        self.short = nn.Upsample(scale_factor=scale, mode="bilinear")
        self.scale = scale
        self.pad = 4 // scale if unshuffle_mod and scale < 3 else 1
        shrink = [nn.PixelUnshuffle(self.pad)] if self.pad > 1 else []
        self.gblocks = nn.Sequential(
            *shrink,
            nn.Conv2d(in_ch * self.pad**2, dim, 3, 1, 1),
            *(GatedCNNBlock(dim, expansion_ratio, rms_norm=rms_norm) for _ in range(n_block)),
            nn.Conv2d(dim, dim * 2, 3, 1, 1),
            nn.Mish(inplace=True),
            nn.Conv2d(dim * 2, dim, 3, 1, 1),
            nn.Mish(inplace=True),
            nn.Conv2d(dim, dim, 1, 1),
        )
        self.to_img = UniUpsample(upsampler, 4 if self.pad > 1 else scale, dim, in_ch, mid_dim)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = F.pad(x, (0, -width % self.pad, 0, -height % self.pad), "reflect")
        x = self.to_img(self.gblocks(x)) + self.short(x)
        return x[:, :, : height * self.scale, : width * self.scale]

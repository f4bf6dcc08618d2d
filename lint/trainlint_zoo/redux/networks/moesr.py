# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 umzi
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""MoESR2: groups of gated convolution blocks, each with a stage at half the resolution.

Source: the-database/traiNNer-redux, traiNNer/archs/moesr_arch.py (the version with UniUpsample).
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.gated_cnn import GatedCNNBlock
from trainlint_zoo.blocks.sampling import UniUpsample, conv3, cropped, padded

BUILDERS = {"trainner-redux:moesr2": "MoESR2"}

LEAK = 0.1


class MSG(nn.Module):
    """Three gated blocks at half the resolution, added to the input."""

    def __init__(self, dim: int, expansion: float) -> None:
        super().__init__()
        self.down = nn.Sequential(
            conv3(dim, dim // 4), nn.PixelUnshuffle(2), nn.LeakyReLU(LEAK, inplace=True)
        )
        self.gated = nn.Sequential(*(GatedCNNBlock(dim, expansion, plain=True) for _ in range(3)))
        self.up = nn.Sequential(conv3(dim, dim * 4), nn.PixelShuffle(2), nn.LeakyReLU(LEAK, inplace=True))

    def forward(self, x: Tensor) -> Tensor:
        out = self.down(x)
        out = self.gated(out)
        result: Tensor = self.up(out) + x
        return result


class MoESR2(nn.Module):
    """Groups in a long residual on an image padded to even sides."""

    def __init__(
        self,
        *,
        in_ch: Positive = 3,
        out_ch: Positive = 3,
        scale: Positive = 4,
        dim: Positive = 64,
        n_blocks: Positive = 9,
        n_block: Positive = 4,
        expansion_factor: float = 8 / 3,
        expansion_msg: float = 1.5,
        upsampler: Literal[
            "conv", "pixelshuffledirect", "pixelshuffle", "nearest+conv", "dysample"
        ] = "pixelshuffledirect",
        upsample_dim: Positive = 64,
    ) -> None:
        super().__init__()
        self.scale = 1 if upsampler == "conv" else scale
        self.in_to_dim = conv3(in_ch, dim)
        self.blocks = nn.Sequential(
            *(
                nn.Sequential(
                    *(GatedCNNBlock(dim, expansion_factor, plain=True) for _ in range(n_block)),
                    MSG(dim, expansion_msg),
                )
                for _ in range(n_blocks)
            )
        )
        self.upscale = UniUpsample(upsampler, self.scale, dim, out_ch, upsample_dim)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = padded(x, 2)
        x = self.in_to_dim(x)
        x = self.blocks(x) + x
        return cropped(self.upscale(x), height * self.scale, width * self.scale)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 umzi
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""neosr's FlexNet: redux's with activations in place and, by default, attention outside the graph.

With flash_attn, which is the default, the windows attend in torch.no_grad: only the projection behind them is
trained. Source: pokepress/neosr 6a5654c5 and 0ZL0/neosr e10b06ff, neosr/archs/flexnet_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.windows import image, partition, reverse, tokens
from trainlint_zoo.blocks.omni_shift import LINEAR_BLOCKS, WINDOW, Body, ShiftedViT

BUILDERS = {"neosr:flexnet": "FlexNet", "neosr:metaflexnet": "metaflexnet"}

TAILS = {"ps": "pixelshuffle", "n+c": "nearest+conv", "dys": "dysample"}


class TrainedViT(ShiftedViT):
    """Window attention that shifts the image itself: the shifted one lives only until its windows are cut."""

    def mix(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        """Return the mixed tokens."""
        return tokens(self(image(x, size))).contiguous()

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(self.omni_shift(x))


class UntrainedViT(TrainedViT):
    """The same without gradients, in one call of three dimensions, which no fused kernel takes."""

    def forward(self, x: Tensor) -> Tensor:
        x = self.omni_shift(x)
        b, c, h, w = x.shape
        windows = partition(x.permute(0, 2, 3, 1), WINDOW).view(-1, WINDOW**2, c)
        qkv = self.qkv(windows)
        q, k, v = torch.chunk(qkv, 3, dim=-1)
        v, lepe = self.positions(v)
        with torch.no_grad():
            dropout = self.attn_drop.p
            x = F.scaled_dot_product_attention(q, k, v, scale=self.scale, dropout_p=dropout) + lepe
            x = x.transpose(1, 2).reshape(b, h * w, c)
        x = self.proj(x)
        x = self.proj_drop(x)
        x = reverse(x.reshape(-1, WINDOW, WINDOW, c), WINDOW, h, w)
        return x.permute(0, 3, 1, 2)


class FlexNet(Body):
    """FlexNet with neosr's arguments."""

    def __init__(
        self,
        *,
        inp_channels: Positive = 3,
        out_channels: Positive = 3,
        scale: Positive = 4,
        dim: Positive = 64,
        num_blocks: Sequence[int] = LINEAR_BLOCKS,
        window_size: Positive = WINDOW,
        hidden_rate: float = 4,
        channel_norm: bool = False,
        attn_drop: float = 0.0,
        proj_drop: float = 0.0,
        pipeline_type: Literal["meta", "linear"] = "linear",
        upsampler: Literal["ps", "n+c", "dys"] = "ps",
        flash_attn: bool = True,
    ) -> None:
        super().__init__()
        if flash_attn:
            self.register_buffer("flash_attn", torch.empty(1, dtype=torch.bool))
        if upsampler == "n+c":
            self.register_buffer("scale_factor", torch.empty((), dtype=torch.uint8))
        self.assemble(
            (inp_channels, out_channels), scale, dim, num_blocks=num_blocks, window_size=window_size,
            pipeline_type=pipeline_type, upsampler=TAILS[upsampler], inplace=True, rate=hidden_rate,
            vit=UntrainedViT if flash_attn else TrainedViT, norm=channel_norm, attn_drop=attn_drop,
            drop=proj_drop,
        )  # fmt: skip


def metaflexnet(
    *,
    inp_channels: Positive = 3,
    out_channels: Positive = 3,
    scale: Positive = 4,
    window_size: Positive = WINDOW,
    hidden_rate: float = 4,
    channel_norm: bool = False,
    attn_drop: float = 0.0,
    proj_drop: float = 0.0,
    upsampler: Literal["ps", "n+c", "dys"] = "ps",
    flash_attn: bool = True,
) -> nn.Module:
    """Return FlexNet as a U-Net; what the preset sets itself cannot be given."""
    return FlexNet(dim=48, num_blocks=[4, 6, 6, 8], pipeline_type="meta", **locals())

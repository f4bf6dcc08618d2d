# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 umzi
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""FlexNet: window attention and channel mixing with reparameterised shifts, in a line or in a U-Net.

Source: the-database/traiNNer-redux, traiNNer/archs/flexnet_arch.py (0af20a16).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from torch import nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.omni_shift import Body, ShiftedViT

BUILDERS = {"trainner-redux:flexnet": "FlexNet", "trainner-redux:metaflexnet": "metaflexnet"}


class FlexNet(Body):
    """FlexNet with redux's arguments."""

    def __init__(
        self,
        *,
        inp_channels: Positive = 3,
        out_channels: Positive = 3,
        scale: Positive = 4,
        dim: Positive = 64,
        num_blocks: Sequence[int] = (6, 6, 6, 6, 6, 6),
        window_size: Positive = 8,
        hidden_rate: float = 4,
        channel_norm: bool = False,
        attn_drop: float = 0.0,
        proj_drop: float = 0.0,
        pipeline_type: Literal["meta", "linear"] = "linear",
        upsampler: Literal["pixelshuffle", "nearest+conv", "dysample"] = "pixelshuffle",
    ) -> None:
        super().__init__()
        self.assemble(
            (inp_channels, out_channels), scale, dim, num_blocks=num_blocks, window_size=window_size,
            pipeline_type=pipeline_type, upsampler=upsampler, vit=ShiftedViT, rate=hidden_rate,
            norm=channel_norm, attn_drop=attn_drop, drop=proj_drop,
        )  # fmt: skip


def metaflexnet(
    *,
    inp_channels: Positive = 3,
    out_channels: Positive = 3,
    scale: Positive = 4,
    hidden_rate: float = 4,
    channel_norm: bool = False,
    upsampler: str = "pixelshuffle",
) -> nn.Module:
    """Return FlexNet as a U-Net."""
    return FlexNet(
        inp_channels=inp_channels, out_channels=out_channels, scale=scale, dim=48, num_blocks=(4, 6, 6, 8),
        hidden_rate=hidden_rate, channel_norm=channel_norm, pipeline_type="meta",
        upsampler=upsampler,  # type: ignore[arg-type]  # unknown names are refused below
    )  # fmt: skip

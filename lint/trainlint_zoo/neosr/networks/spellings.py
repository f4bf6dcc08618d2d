# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""neosr's spellings of ESRGAN, Compact, SPAN and SwinIR, each handed the run's scale, and of a discriminator.

Source: muslll/neosr, neosr/archs at de9c33cc (ESRGAN at 53d9a035, unet at 0199ef57).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from torch import nn

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.basicsr.networks.rrdbnet import RRDBNet
from trainlint_zoo.basicsr.networks.srvgg import SRVGGNetCompact
from trainlint_zoo.basicsr.networks.swinir import SwinIR
from trainlint_zoo.basicsr.networks.unet_discriminator import UNetDiscriminatorSN
from trainlint_zoo.redux.networks.span import SPAN

BUILDERS = {
    "neosr:esrgan": "esrgan",
    "neosr:compact": "compact",
    "neosr:span": "span",
    "neosr:unet": "unet",
    "neosr:swinir_small": "swinir_small",
    "neosr:swinir_medium": "swinir_medium",
}


def esrgan(
    *,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    scale: Positive = 4,
    num_feat: Positive = 64,
    num_block: Positive = 23,
    num_grow_ch: Positive = 32,
) -> nn.Module:
    """Return ESRGAN's generator; scales 1 and 2 shrink the input by pixel-unshuffle."""
    return RRDBNet(
        num_in_ch=num_in_ch, num_out_ch=num_out_ch, scale=scale, num_feat=num_feat, num_block=num_block,
        num_grow_ch=num_grow_ch,
    )  # fmt: skip


def compact(
    *,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    num_feat: Positive = 64,
    num_conv: Positive = 16,
    scale: Positive = 4,
    act_type: Literal["relu", "prelu", "leakyrelu"] = "prelu",
    **_: object,
) -> nn.Module:
    """Return SRVGGNetCompact."""
    return SRVGGNetCompact(
        num_in_ch=num_in_ch, num_out_ch=num_out_ch, num_feat=num_feat, num_conv=num_conv, upscale=scale,
        act_type=act_type,
    )  # fmt: skip


def span(
    *,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    feature_channels: Positive = 48,
    scale: Positive = 4,
    bias: bool = True,
    norm: bool = False,
    img_range: float = 1.0,
    rgb_mean: Sequence[float] = (0.5, 0.5, 0.5),
    **_: object,
) -> nn.Module:
    """Return SPAN; `bias` is handed to blocks that do not use it."""
    del bias
    return SPAN(
        scale=scale, num_in_ch=num_in_ch, num_out_ch=num_out_ch, feature_channels=feature_channels, norm=norm,
        img_range=img_range, rgb_mean=rgb_mean,
    )  # fmt: skip


def _swinir(scale: int, flash_attn: bool, checkpoint: bool, **preset: Any) -> nn.Module:
    if flash_attn:
        raise CannotTraceError("SwinIR with flash_attn (attention without gradients) is not modeled")
    return SwinIR(upscale=scale, use_checkpoint=checkpoint, window_size=8, mlp_ratio=2.0, **preset)


def swinir_small(
    *, scale: Positive = 4, flash_attn: bool = False, use_checkpoint: bool = False, **_: object
) -> nn.Module:
    """Return the light SwinIR."""
    return _swinir(
        scale, flash_attn, use_checkpoint,
        embed_dim=60, depths=[6] * 4, num_heads=[6] * 4, upsampler="pixelshuffledirect",
    )  # fmt: skip


def swinir_medium(
    *, scale: Positive = 4, flash_attn: bool = False, use_checkpoint: bool = False, **_: object
) -> nn.Module:
    """Return the classical SwinIR."""
    return _swinir(
        scale, flash_attn, use_checkpoint,
        img_size=48, embed_dim=180, depths=[6] * 6, num_heads=[6] * 6, upsampler="pixelshuffle",
    )  # fmt: skip


def unet(
    *, num_in_ch: Positive = 3, num_feat: Positive = 64, skip_connection: bool = True
) -> UNetDiscriminatorSN:
    """Return Real-ESRGAN's discriminator with neosr's default of three channels."""
    return UNetDiscriminatorSN(num_in_ch, num_feat, skip_connection)

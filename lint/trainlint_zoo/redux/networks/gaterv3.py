# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2025 umzi
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""GaterV3: a U-Net of gated blocks next to a short SPAN branch at full resolution.

Source: the-database/traiNNer-redux, traiNNer/archs/gaterv3_arch.py (66153924).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.attention.parameter_free_attention import SPAB, Conv3XC
from trainlint_zoo.blocks.gated_cnn import InceptionDWConv2d, RMSNorm
from trainlint_zoo.blocks.sampling import UniUpsample, conv3, cropped, padded

BUILDERS = {
    "trainner-redux:gaterv3": "GateRV3",
    "trainner-redux:gaterv3_r": "gaterv3_r",
    "trainner-redux:gaterv3_s": "gaterv3_s",
}

EXPANSION = 1.5


class GatedCNNBlock(nn.Module):
    """Normalization, a wide 1x1 convolution split into gate, identity and convolved part, a narrow one."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        hidden = int(EXPANSION * dim)
        self.norm = RMSNorm(dim)
        self.fc1 = nn.Conv2d(dim, hidden * 2, 1)
        self.act = nn.Mish()
        self.parts = [hidden, hidden - dim, dim]
        self.token_mix = InceptionDWConv2d(dim)
        self.fc2 = nn.Conv2d(hidden, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(x)
        g, i, c = torch.split(self.fc1(x), self.parts, dim=1)
        c = self.token_mix(c)
        x = self.act(g) * torch.cat((i, c), dim=1)
        out: Tensor = self.act(self.fc2(x))
        return out


class SimpleGate(nn.Module):
    """Half of the channels times the other half."""

    def forward(self, x: Tensor) -> Tensor:
        x1, x2 = x.chunk(2, dim=1)
        return x1 * x2


class MetaGated(nn.Module):
    """A local gate with channel weights, then a gated block, each in a weighed residual."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        wide = nn.Conv2d(dim * 2, dim * 2, 3, 1, 1, groups=dim)
        self.local = nn.Sequential(RMSNorm(dim), nn.Conv2d(dim, dim * 2, 1), wide, SimpleGate())
        self.sca = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(dim, dim, 1))
        self.glob = GatedCNNBlock(dim)
        self.gamma0 = nn.Parameter(torch.empty(1, dim, 1, 1))
        self.gamma1 = nn.Parameter(torch.empty(1, dim, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        short = x
        x = self.local(x)
        x = x * self.sca(x)
        x = x * self.gamma0 + short
        del short
        out: Tensor = self.glob(x) * self.gamma1 + x
        return out


class Down(nn.Module):
    """Gated blocks, then half the resolution; returns both."""

    def __init__(self, dim: int, blocks: int) -> None:
        super().__init__()
        self.gated = nn.Sequential(*(MetaGated(dim) for _ in range(blocks)))
        self.scale = nn.Sequential(conv3(dim, dim // 2, bias=False), nn.PixelUnshuffle(2))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.gated(x)
        return self.scale(x), x


class Up(nn.Module):
    """Twice the resolution, joined by what the encoder had there, then gated blocks."""

    def __init__(self, dim: int, blocks: int) -> None:
        super().__init__()
        self.scale = nn.Sequential(conv3(dim, dim * 2, bias=False), nn.PixelShuffle(2))
        self.gated = nn.Sequential(*(MetaGated(dim // 2) for _ in range(blocks)))
        self.shor = nn.Conv2d(dim, dim // 2, 1)

    def forward(self, x: Tensor, short: Tensor) -> Tensor:
        x = torch.cat([self.scale(x), short], dim=1)
        x = self.shor(x)
        out: Tensor = self.gated(x)
        return out


class GateRV3(nn.Module):
    """U-Net and SPAN branch, added before the upsampler; the enlarged input is added after it."""

    def __init__(
        self,
        *,
        in_ch: Positive = 3,
        dim: Positive = 32,
        enc_blocks: Sequence[int] = (2, 2, 4, 6),
        dec_blocks: Sequence[int] = (2, 2, 2, 2),
        num_latent: Positive = 8,
        scale: Positive = 2,
        upsample: Literal[
            "conv", "pixelshuffledirect", "pixelshuffle", "nearest+conv", "dysample"
        ] = "pixelshuffle",
        upsample_mid_dim: Positive = 48,
        end_gamma_init: float = 1,  # noqa: ARG002  a value, not a size
        attention: bool = False,
        sisr_blocks: Positive = 4,
        flash: bool = True,  # noqa: ARG002  of the attention
    ) -> None:
        super().__init__()
        if attention:
            raise CannotTraceError("GaterV3 with attention in its latent blocks is not modeled")
        self.scale, self.pad = scale, 2 ** len(enc_blocks)
        self.in_to_dim = conv3(in_ch, dim)
        self.gater_encode = nn.ModuleList(Down(dim * 2**i, n) for i, n in enumerate(enc_blocks))
        self.span_block0 = SPAB(dim, bias=False)
        self.span_n_b = nn.ModuleList(SPAB(dim, bias=False) for _ in range(sisr_blocks))
        self.span_end = SPAB(dim, bias=False)
        self.sisr_end_conv = Conv3XC(dim, dim, gain=1)
        self.sisr_cat_conv = nn.Conv2d(dim * 4, dim, 1)
        self.latent = nn.Sequential(*(GatedCNNBlock(dim * 2 ** len(enc_blocks)) for _ in range(num_latent)))
        deep = len(dec_blocks)
        self.decode = nn.ModuleList(Up(dim * 2 ** (deep - i), n) for i, n in enumerate(dec_blocks))
        self.gamma = nn.Parameter(torch.empty(1, in_ch, 1, 1))
        self.short_to_dim = nn.Upsample(scale_factor=scale) if scale > 1 else nn.Identity()
        self.dim_to_in = (
            UniUpsample(upsample, scale, dim, in_ch, upsample_mid_dim) if scale > 1 else conv3(dim, in_ch)
        )

    def span(self, x: Tensor) -> Tensor:
        """Return the branch at full resolution."""
        sisr, _, _ = self.span_block0(x)
        short = sisr
        for block in self.span_n_b:
            sisr, _, _ = block(sisr)
        sisr, out, _ = self.span_end(sisr)
        sisr = self.sisr_end_conv(sisr)
        result: Tensor = self.sisr_cat_conv(torch.cat([x, sisr, short, out], dim=1))
        return result

    def forward(self, image: Tensor) -> Tensor:
        height, width = image.shape[2:]
        image = padded(image, self.pad)
        x = self.in_to_dim(image)
        sisr = self.span(x)
        shorts = []
        for block in self.gater_encode:
            x, short = block(x)
            shorts.append(short)
        x = self.latent(x)
        for block, short in zip(self.decode, reversed(shorts), strict=True):
            x = block(x, short)
        x = self.dim_to_in(x + sisr) + self.gamma * self.short_to_dim(image)
        return cropped(x, height * self.scale, width * self.scale)


def gaterv3_r(
    *,
    in_ch: Positive = 3,
    num_latent: Positive = 8,
    scale: Positive = 2,
    upsample: str = "pixelshuffle",
    upsample_mid_dim: Positive = 48,
    attention: bool = False,
    sisr_blocks: Positive = 4,
) -> nn.Module:
    """Return the four-level GaterV3."""
    return GateRV3(
        in_ch=in_ch, num_latent=num_latent, scale=scale, upsample=upsample,  # type: ignore[arg-type]  # unknown names are refused below
        upsample_mid_dim=upsample_mid_dim, attention=attention, sisr_blocks=sisr_blocks,
    )  # fmt: skip


def gaterv3_s(
    *,
    in_ch: Positive = 3,
    num_latent: Positive = 8,
    scale: Positive = 2,
    upsample: str = "pixelshuffle",
    upsample_mid_dim: Positive = 48,
    attention: bool = False,
    sisr_blocks: Positive = 4,
) -> nn.Module:
    """Return the three-level GaterV3."""
    return GateRV3(
        enc_blocks=(2, 2, 4), dec_blocks=(2, 2, 2), in_ch=in_ch, num_latent=num_latent, scale=scale,
        upsample=upsample, upsample_mid_dim=upsample_mid_dim, attention=attention,  # type: ignore[arg-type]  # unknown names are refused below
        sisr_blocks=sisr_blocks,
    )  # fmt: skip

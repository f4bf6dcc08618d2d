# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""DIS: residual blocks with PReLU, pixel shuffles, plus the bilinearly upsampled input.

Source: the-database/traiNNer-redux, traiNNer/archs/dis_arch.py (d265cce5).
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive

BUILDERS = {"trainner-redux:dis_balanced": "DIS", "trainner-redux:dis_fast": "dis_fast"}


class FastResBlock(nn.Module):
    """Convolution, PReLU, convolution, plus the input."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.act = nn.PReLU(channels)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.act(self.conv1(x))
        out = self.conv2(out)
        return out + x


class LightBlock(nn.Module):
    """A depthwise and a pointwise convolution instead."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.dw_conv = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, groups=channels, bias=False),
            nn.Conv2d(channels, channels, 1, bias=False),
        )
        self.act = nn.PReLU(channels)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.act(self.dw_conv(x))
        return out


def _step(channels: int, by: int) -> nn.Module:
    conv = nn.Conv2d(channels, channels * by**2, 3, padding=1)
    return nn.Sequential(conv, nn.PixelShuffle(by), nn.PReLU(channels))


STEPS = {1: (), 2: (2,), 3: (3,), 4: (2, 2)}


class DIS(nn.Module):
    """Head, body in a residual, upsampler, tail."""

    def __init__(
        self,
        *,
        in_channels: Positive = 3,
        out_channels: Positive = 3,
        num_features: Positive = 32,
        num_blocks: Positive = 12,
        scale: Positive = 4,
        use_depthwise: bool = False,
    ) -> None:
        super().__init__()
        if scale not in STEPS:
            raise ValueError(f"Unsupported scale factor: {scale}")
        self.scale = scale
        block = LightBlock if use_depthwise else FastResBlock
        self.head = nn.Conv2d(in_channels, num_features, 3, padding=1)
        self.head_act = nn.PReLU(num_features)
        self.body = nn.Sequential(*(block(num_features) for _ in range(num_blocks)))
        self.fusion = nn.Conv2d(num_features, num_features, 3, padding=1)
        self.upsampler = nn.Sequential(*(_step(num_features, by) for by in STEPS[scale]))
        self.tail = nn.Conv2d(num_features, out_channels, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        base = x
        if self.scale > 1:
            base = F.interpolate(x, scale_factor=self.scale, mode="bilinear", align_corners=False)
        feat = self.head_act(self.head(x))
        body = self.body(feat)
        body = self.fusion(body) + feat
        out: Tensor = self.upsampler(body)
        out = self.tail(out)
        return out + base


def dis_fast(
    *,
    in_channels: Positive = 3,
    out_channels: Positive = 3,
    num_features: Positive = 32,
    num_blocks: Positive = 8,
    scale: Positive = 4,
    use_depthwise: bool = False,
) -> nn.Module:
    """Return DIS with 8 blocks."""
    return DIS(
        in_channels=in_channels, out_channels=out_channels, num_features=num_features, num_blocks=num_blocks,
        scale=scale, use_depthwise=use_depthwise,
    )  # fmt: skip

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The convolutional VAE of train_vae.py: GroupNorm residual blocks and materialized single-head attention.

Source: marduk191/ae_training_marduk191 14ad419 (layers, resolutions and parameter counts).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive

BUILDERS = {"vae:VAE": "VAE"}

GROUPS = 32  # GroupNorm(32, channels) everywhere: channels must be multiples of 32


class ResidualBlock(nn.Module):
    """conv-norm-silu twice plus a shortcut; nothing is in place."""

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(cin, cout, 3, padding=1), nn.GroupNorm(GROUPS, cout)
        self.conv2, self.norm2 = nn.Conv2d(cout, cout, 3, padding=1), nn.GroupNorm(GROUPS, cout)
        self.shortcut = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        residual = self.shortcut(x)
        h = F.silu(self.norm1(self.conv1(x)))
        h = F.silu(self.norm2(self.conv2(h)))
        result: Tensor = h + residual
        return result


class AttentionBlock(nn.Module):
    """Single-head attention over all pixels: materialized (batch, n, n) scores, n = height x width."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(GROUPS, channels)
        self.q, self.k, self.v, self.proj = (nn.Conv2d(channels, channels, 1) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        b, c, h, w = x.shape
        y = self.norm(x)
        q = self.q(y).reshape(b, c, h * w).permute(0, 2, 1)
        k = self.k(y).reshape(b, c, h * w)
        v = self.v(y).reshape(b, c, h * w).permute(0, 2, 1)
        attention = F.softmax(torch.bmm(q, k) * c**-0.5, dim=-1)
        out = torch.bmm(attention, v).permute(0, 2, 1).reshape(b, c, h, w)
        result: Tensor = x + self.proj(out)
        return result


def pair(cin: int, cout: int) -> nn.Sequential:
    """Two residual blocks, the first of which changes the width."""
    return nn.Sequential(ResidualBlock(cin, cout), ResidualBlock(cout, cout))


class Encoder(nn.Module):
    """Down to a quarter of the side: pooling follows the list's first and fourth-plus-one entries only."""

    def __init__(self, channels: Sequence[int], z: int) -> None:
        super().__init__()
        c0, c1, c2, c3 = channels
        self.conv_in = nn.Conv2d(3, c0, 3, padding=1)
        self.down = nn.ModuleList(
            [pair(c0, c1), pair(c1, c2), pair(c2, c3), AttentionBlock(c3), pair(c3, c3), AttentionBlock(c3)]
        )
        self.mid = nn.Sequential(ResidualBlock(c3, c3), AttentionBlock(c3), ResidualBlock(c3, c3))
        self.norm_out = nn.GroupNorm(GROUPS, c3)
        self.conv_out = nn.Conv2d(c3, 2 * z, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv_in(x)
        for index, block in enumerate(self.down):
            x = block(x)
            if index % 3 == 1:
                x = F.avg_pool2d(x, 2)
        result: Tensor = self.conv_out(F.silu(self.norm_out(self.mid(x))))
        return result


class Decoder(nn.Module):
    """Back up: nearest x2 after the third block and once more at the end."""

    def __init__(self, channels: Sequence[int], z: int) -> None:
        super().__init__()
        c0, c1, c2, c3 = channels
        self.conv_in = nn.Conv2d(z, c3, 3, padding=1)
        self.mid = nn.Sequential(ResidualBlock(c3, c3), AttentionBlock(c3), ResidualBlock(c3, c3))
        self.up = nn.ModuleList(
            [AttentionBlock(c3), pair(c3, c2), AttentionBlock(c2), pair(c2, c1), pair(c1, c0), pair(c0, c0)]
        )
        self.norm_out = nn.GroupNorm(GROUPS, c0)
        self.conv_out = nn.Conv2d(c0, 3, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.mid(self.conv_in(x))
        for index, block in enumerate(self.up):
            x = block(x)
            if index < len(self.up) - 2 and index % 3 == 2:
                x = F.interpolate(x, scale_factor=2, mode="nearest")
        x = F.interpolate(x, scale_factor=2, mode="nearest")
        result: Tensor = self.conv_out(F.silu(self.norm_out(x)))
        return result


class VAE(nn.Module):
    """(batch, 3, side, side) -> (reconstruction, mean, log variance); the latent is a quarter of the side."""

    def __init__(self, channels: Sequence[int] = (128, 256, 512, 512), z_channels: Positive = 16) -> None:
        super().__init__()
        self.encoder, self.decoder = Encoder(channels, z_channels), Decoder(channels, z_channels)
        self.quant_conv = nn.Conv2d(2 * z_channels, 2 * z_channels, 1)
        self.post_quant_conv = nn.Conv2d(z_channels, z_channels, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, logvar = torch.chunk(self.quant_conv(self.encoder(x)), 2, dim=1)
        std = torch.exp(0.5 * logvar)
        z = mean + torch.randn_like(std) * std
        return self.decoder(self.post_quant_conv(z)), mean, logvar

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: HiT-SR authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""HiT-SIR: hierarchical windows whose spatial and channel correlations take the place of attention.

Source: the-database/traiNNer-redux, traiNNer/archs/hit_sir_arch.py (7366b6e9); XiangZ-0/HiT-SR.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.windows import (
    LEAK,
    Mlp,
    Reconstruction,
    TokenNorm,
    connection,
    image,
    tokens,
)
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean

BUILDERS = {"trainner-redux:hit_sir": "HiTSIR"}

RATIOS = (0.5, 1, 2, 4, 6, 8)


class DFE(nn.Module):
    """Dual features: a bottleneck of convolutions times one of 1x1."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        narrow = dim // 5
        self.conv = nn.Sequential(
            nn.Conv2d(dim, narrow, 1),
            nn.LeakyReLU(LEAK, inplace=True),
            nn.Conv2d(narrow, narrow, 3, 1, 1),
            nn.LeakyReLU(LEAK, inplace=True),
            nn.Conv2d(narrow, dim, 1),
        )
        self.linear = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        b, _, c = x.shape
        x = x.permute(0, 2, 1).contiguous().view(b, c, *size)
        x = self.conv(x) * self.linear(x)
        return x.view(b, -1, size[0] * size[1]).permute(0, 2, 1).contiguous()


class PositionBias(nn.Module):
    """A small network from an offset to one bias per head."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        width = dim // 4
        self.pos_proj = nn.Linear(2, width)
        for index, out in enumerate((width, width, heads), 1):
            step = nn.Sequential(nn.LayerNorm(width), nn.ReLU(inplace=True), nn.Linear(width, out))
            self.add_module(f"pos{index}", step)

    def forward(self, offsets: Tensor) -> Tensor:
        x: Tensor = self.pos_proj(offsets)
        for index in (1, 2, 3):
            x = self.get_submodule(f"pos{index}")(x)
        return x


class SCC(nn.Module):
    """Spatial-channel correlation in windows; larger windows are summed up to the base window's tokens."""

    def __init__(self, dim: int, base: Sequence[int], side: int, heads: int) -> None:
        super().__init__()
        self.side, self.heads, self.scale = side, heads, dim // (2 * heads)
        self.base = min(side, base[0])
        self.qv = DFE(dim)
        self.proj = nn.Linear(dim, dim)
        self.spatial_linear = nn.Linear(side**2 // self.base**2, 1)
        self.pos = PositionBias(dim // 4, heads)

    def pairs(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """Return the index of every pair of tokens, made again each time, and the offsets it is made of."""
        n = self.side**2
        coordinates = torch.empty(2, n, dtype=torch.long, device=device)
        relative = coordinates[:, :, None] - coordinates[:, None, :]
        relative = relative.permute(1, 2, 0).contiguous()
        return relative.sum(-1), relative

    def bias(self, index: Tensor) -> Tensor:
        """Return the positions' bias, averaged over tokens that are summed up: (heads, n, base tokens)."""
        side, base = self.side, self.base
        offsets = torch.empty((2 * side - 1) ** 2, 2, device=index.device)
        pos = self.pos(offsets)
        bias = pos[index.view(-1)].view(side**2, base, side // base, base, side // base, -1)
        bias = bias.permute(0, 1, 3, 5, 2, 4).contiguous()
        bias = bias.view(side**2, base**2, self.heads, -1).mean(-1)
        out: Tensor = bias.permute(2, 0, 1).contiguous()
        return out

    def spatial(self, q: Tensor, v: Tensor) -> Tensor:
        """Return the correlation of tokens, applied: (windows, n, c / 2)."""
        b, heads, n, c = q.shape
        step = self.side // self.base
        v = v.view(b, heads, self.base, step, self.base, step, c).permute(0, 1, 2, 4, 6, 3, 5).contiguous()
        v = self.spatial_linear(v.view(b, heads, self.base**2, c, -1)).view(b, heads, self.base**2, c)
        corr = (q @ v.transpose(-2, -1)) / self.scale
        index, relative = self.pairs(v.device)
        corr = corr + self.bias(index).unsqueeze(0)
        mixed = (corr @ v).permute(0, 2, 1, 3).contiguous().view(b, n, -1)
        del relative  # it lives as long as the published function
        return mixed

    @staticmethod
    def channel(q: Tensor, v: Tensor) -> Tensor:
        """Return the correlation of channels, applied: (windows, n, c / 2)."""
        b, heads, n, c = q.shape
        q = q.permute(0, 2, 1, 3).contiguous().view(b, n, heads * c)
        v = v.permute(0, 2, 1, 3).contiguous().view(b, n, heads * c)
        corr = (q.transpose(-2, -1) @ v) / n
        return (corr @ v.transpose(-2, -1)).permute(0, 2, 1).contiguous().view(b, n, -1)

    def back(self, x: Tensor, h: int, w: int) -> Tensor:
        """Return (b, h, w, c) of windows' tokens."""
        side = self.side
        x = x.view(-1, h // side, w // side, side, side, x.shape[-1])
        return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, h, w, x.shape[-1])

    def forward(self, x: Tensor) -> Tensor:
        b, h, w, c = x.shape
        side = self.side
        qv = self.qv(x.view(b, -1, c), (h, w))
        qv = qv.view(b, h // side, side, w // side, side, c).permute(0, 1, 3, 2, 4, 5).contiguous()
        qv = qv.view(-1, side**2, 2, self.heads, c // (2 * self.heads)).permute(2, 0, 3, 1, 4).contiguous()
        q, v = qv[0], qv[1]
        of_tokens = self.back(self.spatial(q, v), h, w)
        of_channels = self.back(self.channel(q, v), h, w)
        out: Tensor = self.proj(torch.cat([of_tokens, of_channels], -1))
        return out


class Block(nn.Module):
    """The correlation, then an MLP, each normalized after it, in residuals."""

    def __init__(self, dim: int, heads: int, base: Sequence[int], side: int, ratio: float) -> None:
        super().__init__()
        self.side = side
        self.norm1 = nn.LayerNorm(dim)
        self.correlation = SCC(dim, base, side, heads)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = Mlp(dim, int(dim * ratio), 0.0)

    def padded(self, x: Tensor) -> Tensor:
        """Reflect (b, h, w, c) up to whole windows."""
        x = x.permute(0, 3, 1, 2).contiguous()
        x = F.pad(x, (0, -x.shape[3] % self.side, 0, -x.shape[2] % self.side), "reflect")
        return x.permute(0, 2, 3, 1).contiguous()

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        b, n, c = x.shape
        shortcut = x
        x = self.padded(x.view(b, *size, c))
        x = self.correlation(x)
        x = x[:, : size[0], : size[1], :].contiguous().view(b, n, c)
        x = self.norm1(x)
        x = shortcut + x
        out: Tensor = x + self.norm2(self.mlp(x))
        return out


class RHTB(nn.Module):
    """Blocks of growing windows and a convolution, in a residual."""

    def __init__(self, blocks: list[nn.Module], dim: int, resi_connection: str) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.conv = connection(dim, resi_connection)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        shortcut = x
        for block in self.blocks:
            x = block(x, size)
        return tokens(self.conv(image(x, size))) + shortcut


class HiTSIR(Reconstruction):
    """Groups of blocks in a long residual."""

    def __init__(
        self,
        *,
        scale: Positive = 4,
        in_chans: Positive = 3,
        img_size: Positive = 64,  # noqa: ARG002  only used by absolute positions, which are off
        base_win_size: Sequence[int] = (8, 8),
        img_range: float = 1.0,
        depths: Sequence[int] = (6, 6, 6, 6),
        embed_dim: Positive = 60,
        num_heads: Sequence[int] = (6, 6, 6, 6),
        expansion_factor: float = 2,  # noqa: ARG002  swallowed by the published constructor
        resi_connection: Literal["1conv", "3conv"] = "1conv",
        hier_win_ratios: Sequence[float] = RATIOS,
        upsampler: str = "pixelshuffledirect",
    ) -> None:
        super().__init__()
        self.img_range, self.scale = img_range, scale
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_embed = TokenNorm(embed_dim, wanted=True)
        sides = [int(base_win_size[0] * ratio) for ratio in hier_win_ratios]
        self.layers = nn.ModuleList(
            RHTB(
                [Block(embed_dim, heads, base_win_size, sides[i], 2.0) for i in range(depth)],
                embed_dim,
                resi_connection,
            )
            for depth, heads in zip(depths, num_heads, strict=True)
        )
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = connection(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, scale, upsampler)

    def deep(self, x: Tensor) -> Tensor:
        """Return the features of all layers."""
        size = (x.shape[2], x.shape[3])
        x = self.patch_embed(x)
        for layer in self.layers:
            x = layer(x, size)
        x = self.norm(x)
        return image(x, size)

    def forward(self, x: Tensor) -> Tensor:
        self.mean = self.mean.type_as(x)
        x = (x - self.mean) * self.img_range
        x = self.reconstruct(x, self.conv_first, self.conv_after_body)
        return x / self.img_range + self.mean

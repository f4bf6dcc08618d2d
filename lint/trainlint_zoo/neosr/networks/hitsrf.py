# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: HiT-SR authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""HiT-SRF: windows that grow from block to block, with correlations over space and over channels.

The position bias of a window of n tokens is looked up in an n x n table of int64 that every block makes again
and keeps until it returns: for the largest window (64 x 64) that decides the memory.
Source: muslll/neosr 28d3a859, neosr/archs/hitsrf_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.attention.position_bias import PositionBias
from trainlint_zoo.blocks.attention.rectangles import Window, partition, reverse
from trainlint_zoo.blocks.attention.windows import BernoulliDropPath, UpsampleOneStep, rising
from trainlint_zoo.blocks.residual import Upsample

BUILDERS = {
    "neosr:hit_srf": "HiTSRF",
    "neosr:hit_srf_medium": "hit_srf_medium",
    "neosr:hit_srf_large": "hit_srf_large",
}

RATIOS = (0.5, 1, 2, 4, 6, 8)


def _image(x: Tensor, size: Window) -> Tensor:
    return x.permute(0, 2, 1).contiguous().view(len(x), -1, *size)


class DFE(nn.Module):
    """A bottleneck of convolutions times a linear projection."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        fifth = dim // 5
        self.conv = nn.Sequential(
            nn.Conv2d(dim, fifth, 1),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(fifth, fifth, 3, 1, 1),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(fifth, dim, 1),
        )
        self.linear = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor, size: Window) -> Tensor:
        x = _image(x, size)
        x = self.conv(x) * self.linear(x)
        return x.view(*x.shape[:2], -1).permute(0, 2, 1).contiguous()


class ConvFFN(nn.Module):
    """Linear layers around a 5x5 depthwise convolution."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.act = nn.GELU()
        self.dwconv = nn.Sequential(nn.Conv2d(hidden, hidden, 5, padding=2, groups=hidden), nn.GELU())
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, x: Tensor, size: Window) -> Tensor:
        x = self.fc1(x)
        x = self.act(x)
        image = x.transpose(1, 2).view(len(x), -1, *size).contiguous()
        x = x + self.dwconv(image).flatten(2).transpose(1, 2).contiguous()
        out: Tensor = self.fc2(x)
        return out


class SCC(nn.Module):
    """Half of the channels query, half are values; correlated over the window and over channels."""

    def __init__(self, dim: int, base: Window, window: Window, heads: int) -> None:
        super().__init__()
        self.window, self.heads = window, heads
        self.base = (min(window[0], base[0]), min(window[1], base[1]))
        self.qv = DFE(dim)
        self.proj = nn.Linear(dim, dim)
        self.scale = dim // (2 * heads)
        self.spatial_linear = nn.Linear(window[0] * window[1] // (self.base[0] * self.base[1]), 1)
        self.pos = PositionBias(dim // 4, heads)

    def pooled(self, x: Tensor) -> Tensor:
        """Reduce a window's tokens to the base window's by a linear layer."""
        b, heads, _, c = x.shape
        (h, w), (rows, columns) = self.window, self.base
        x = x.view(b, heads, rows, h // rows, columns, w // columns, c)
        x = x.permute(0, 1, 2, 4, 6, 3, 5).contiguous().view(b, heads, rows * columns, c, -1)
        out: Tensor = self.spatial_linear(x).view(b, heads, rows * columns, c)
        return out

    def over_space(self, q: Tensor, v: Tensor) -> Tensor:
        """Correlate tokens with pooled tokens; the names live until the return, as there."""
        b, _, n, _ = q.shape
        (h, w), (rows, columns) = self.window, self.base
        v = self.pooled(v)
        corr_map = (q @ v.transpose(-2, -1)) / self.scale
        biases = torch.empty((2 * h - 1) * (2 * w - 1), 2, device=v.device)
        pos = self.pos(biases)
        coords = torch.empty(2, n, dtype=torch.int64, device=v.device)
        relative = coords[:, :, None] - coords[:, None, :]
        relative = relative.permute(1, 2, 0).contiguous()
        index = relative.sum(-1)
        bias = pos[index.view(-1)].view(n, rows, h // rows, columns, w // columns, -1)
        bias = bias.permute(0, 1, 3, 5, 2, 4).contiguous()
        bias = bias.view(n, rows * columns, self.heads, -1).mean(-1)
        bias = bias.permute(2, 0, 1).contiguous()
        corr_map = corr_map + bias.unsqueeze(0)
        out: Tensor = (corr_map @ v).permute(0, 2, 1, 3).contiguous().view(b, n, -1)
        return out

    def over_channels(self, q: Tensor, v: Tensor) -> Tensor:
        """Correlate channels of all heads at once."""
        b, heads, n, c = q.shape
        q = q.permute(0, 2, 1, 3).contiguous().view(b, n, heads * c)
        v = v.permute(0, 2, 1, 3).contiguous().view(b, n, heads * c)
        corr_map = (q.transpose(-2, -1) @ v) / n
        return (corr_map @ v.transpose(-2, -1)).permute(0, 2, 1).contiguous().view(b, n, -1)

    def forward(self, x: Tensor) -> Tensor:
        b, h, w, c = x.shape
        qv = self.qv(x.view(b, -1, c), (h, w)).view(b, h, w, c)
        qv = partition(qv, self.window).view(-1, self.window[0] * self.window[1], c)
        windows, n, _ = qv.shape
        qv = qv.view(windows, n, 2, self.heads, c // (2 * self.heads)).permute(2, 0, 3, 1, 4).contiguous()
        q, v = qv[0], qv[1]
        spatial = reverse(self.over_space(q, v).view(-1, *self.window, c // 2), self.window, h, w)
        channel = reverse(self.over_channels(q, v).view(-1, *self.window, c // 2), self.window, h, w)
        out: Tensor = self.proj(torch.cat([spatial, channel], -1))
        return out


class Block(nn.Module):
    """Correlation in padded windows and a feed-forward network, normalized after."""

    def __init__(
        self, dim: int, heads: int, base: Window, window: Window, *, ratio: float, drop: float
    ) -> None:
        super().__init__()
        if any(large > small and large % small for large, small in zip(window, base, strict=True)):
            raise ValueError("the window size must be smaller than or divisible by the base window size")
        self.window = window
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.correlation = SCC(dim, base, window, heads)
        self.drop_path = BernoulliDropPath(drop) if drop > 0 else nn.Identity()
        self.mlp = ConvFFN(dim, int(dim * ratio))

    def padded(self, x: Tensor) -> Tensor:
        """Reflect up to whole windows, twice where once does not reach."""
        x = x.permute(0, 3, 1, 2).contiguous()
        h, w = x.shape[2:]
        down, right = -h % self.window[0], -w % self.window[1]
        if down >= h or right >= w:
            x = F.pad(x, (0, w - 1, 0, h - 1), "reflect")
            down, right = down - (h - 1), right - (w - 1)
        x = F.pad(x, (0, right, 0, down), "reflect")
        return x.permute(0, 2, 3, 1).contiguous()

    def forward(self, x: Tensor, size: Window) -> Tensor:
        h, w = size
        b, _, c = x.shape
        shortcut = x
        x = self.correlation(self.padded(x.view(b, h, w, c)))
        x = x[:, :h, :w, :].contiguous().view(b, h * w, c)
        x = shortcut + self.drop_path(self.norm1(x))
        out: Tensor = x + self.drop_path(self.norm2(self.mlp(x, size)))
        return out


class Group(nn.Module):
    """Blocks and a convolution in a residual."""

    def __init__(self, blocks: list[Block], dim: int, *, again: bool) -> None:
        super().__init__()
        self.blocks, self.again = nn.ModuleList(blocks), again
        self.conv = nn.Conv2d(dim, dim, 3, 1, 1)

    def forward(self, x: Tensor, size: Window) -> Tensor:
        shortcut = x
        for block in self.blocks:
            x = checkpoint(block, x, size, use_reentrant=True) if self.again else block(x, size)
        image = self.conv(x.transpose(1, 2).view(len(x), -1, *size))
        out: Tensor = image.flatten(2).transpose(1, 2) + shortcut
        return out


class HiTSRF(nn.Module):
    """Groups in a long residual, and one of two reconstruction heads."""

    def __init__(
        self,
        *,
        in_chans: Positive = 3,
        embed_dim: Positive = 60,
        depths: Sequence[int] = (6, 6, 6, 6),
        num_heads: Sequence[int] = (6, 6, 6, 6),
        base_win_size: Sequence[int] = (8, 8),
        mlp_ratio: float = 2.0,
        drop_path_rate: float = 0.0,
        use_checkpoint: bool = False,
        scale: Positive = 4,
        upscale: Positive | None = None,
        upsampler: str = "pixelshuffledirect",
        resi_connection: str = "1conv",
        hier_win_ratios: Sequence[float] = RATIOS,
        **rest: object,
    ) -> None:
        super().__init__()
        if (
            rest.get("drop_rate")
            or rest.get("value_drop_rate")
            or rest.get("ape")
            or resi_connection != "1conv"
        ):
            raise CannotTraceError("hit_srf with dropout, absolute positions or another residual connection")
        if upsampler not in {"pixelshuffle", "pixelshuffledirect"}:
            raise CannotTraceError(f"hit_srf with the upsampler {upsampler}")
        self.scale = upscale or scale
        base = (base_win_size[0], base_win_size[1])
        windows = [(int(base[0] * ratio), int(base[1] * ratio)) for ratio in hier_win_ratios]
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_norm, self.norm = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.layers = nn.ModuleList()
        for heads, drops in zip(num_heads, rising(drop_path_rate, depths), strict=True):
            blocks = [
                Block(embed_dim, heads, base, window, ratio=mlp_ratio, drop=drop)
                for window, drop in zip(windows, drops, strict=False)
            ]
            self.layers.append(Group(blocks, embed_dim, again=use_checkpoint))
        self.conv_after_body = nn.Conv2d(embed_dim, embed_dim, 3, 1, 1)
        direct = upsampler == "pixelshuffledirect"
        self.upsample = (
            UpsampleOneStep(self.scale, embed_dim, in_chans)
            if direct
            else nn.Sequential(
                nn.Conv2d(embed_dim, 64, 3, 1, 1),
                nn.LeakyReLU(inplace=True),
                Upsample(self.scale, 64),
                nn.Conv2d(64, in_chans, 3, 1, 1),
            )
        )

    def forward(self, x: Tensor) -> Tensor:
        mean = torch.empty(1, 3, 1, 1, dtype=x.dtype, device=x.device)
        x = (x - mean) * 1.0
        x = self.conv_first(x)
        x = self.conv_after_body(self.features(x)) + x
        x = self.upsample(x)
        return x / 1.0 + mean

    def features(self, x: Tensor) -> Tensor:
        """Run the groups on tokens."""
        size = (x.shape[2], x.shape[3])
        x = self.patch_norm(x.flatten(2).transpose(1, 2))
        for layer in self.layers:
            x = layer(x, size)
        x = self.norm(x)
        return x.transpose(1, 2).view(len(x), -1, *size)


def hit_srf_medium(*, scale: Positive = 4, use_checkpoint: bool = False) -> nn.Module:
    """Return HiT-SRF with six groups of 180 channels."""
    return HiTSRF(
        base_win_size=[16, 16], depths=[6] * 6, embed_dim=180, num_heads=[6] * 6, upsampler="pixelshuffle",
        scale=scale, use_checkpoint=use_checkpoint,
    )  # fmt: skip


def hit_srf_large(*, scale: Positive = 4, use_checkpoint: bool = False) -> nn.Module:
    """Return HiT-SRF with twelve groups of 180 channels."""
    return HiTSRF(
        base_win_size=[24, 24], depths=[6] * 12, embed_dim=180, num_heads=[6] * 12, upsampler="pixelshuffle",
        scale=scale, use_checkpoint=use_checkpoint,
    )  # fmt: skip

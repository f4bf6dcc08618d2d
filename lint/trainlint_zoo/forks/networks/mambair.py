# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: MambaIR authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""MambaIR: residual groups of blocks that scan the image along four paths.

Source: csguoh/MambaIR 06dc6cdd, basicsr/archs/mambair_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.attention.channel_attention import ChannelAttention
from trainlint_zoo.blocks.attention.windows import (
    BernoulliDropPath,
    TokenNorm,
    TokenReconstruction,
    connection,
    image,
    rising,
    tokens,
)
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean
from trainlint_zoo.blocks.selective_scan import ScanParameters, rank_of

BUILDERS = {"MambaIR": "MambaIR"}

SCAN_PATHS = 4
"""Row by row and column by column, each from both ends."""
SQUEEZE = 30
UPSAMPLERS = ("pixelshuffle", "pixelshuffledirect")
"""The upsamplers it knows; with any other it restores the image at its own size."""


@dataclass(frozen=True, slots=True)
class Options:
    """What every block shares."""

    dim: int
    state: int
    ratio: float
    light: bool


class ConvolutionBlock(nn.Module):
    """Two convolutions through a bottleneck and channel attention."""

    def __init__(self, dim: int, compress: int) -> None:
        super().__init__()
        self.cab = nn.Sequential(
            nn.Conv2d(dim, dim // compress, 3, 1, 1),
            nn.GELU(),
            nn.Conv2d(dim // compress, dim, 3, 1, 1),
            ChannelAttention(dim, SQUEEZE),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.cab(x)
        return out


class Scan2d(ScanParameters):
    """A gated depthwise convolution whose result is scanned along the four paths."""

    def __init__(self, options: Options) -> None:
        dim, inner = options.dim, int(options.ratio * options.dim)
        super().__init__(inner, options.state, rank_of(dim), SCAN_PATHS)
        self.in_proj = nn.Linear(dim, inner * 2, bias=False)
        self.conv2d = nn.Conv2d(inner, inner, 3, padding=1, groups=inner)
        self.act = nn.SiLU()
        self.out_norm = nn.LayerNorm(inner)
        self.out_proj = nn.Linear(inner, dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        b, h, w, _ = x.shape
        xz = self.in_proj(x)
        x, z = xz.chunk(2, dim=-1)
        x = x.permute(0, 3, 1, 2).contiguous()
        x = self.act(self.conv2d(x))
        y1, y2, y3, y4 = self.along_paths(x)
        y = y1 + y2 + y3 + y4
        y = torch.transpose(y, 1, 2).contiguous().view(b, h, w, -1)
        y = self.out_norm(y)
        y = y * F.silu(z)
        out: Tensor = self.out_proj(y)
        return out

    def along_paths(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return each path's result in the order of rows, (b, c, h w)."""
        b, _, h, w = x.shape
        length = h * w
        both = torch.stack(
            [x.view(b, -1, length), torch.transpose(x, 2, 3).contiguous().view(b, -1, length)], dim=1
        ).view(b, 2, -1, length)
        xs = torch.cat([both, torch.flip(both, dims=[-1])], dim=1)
        out, _named = self.scan(xs)
        back = torch.flip(out[:, 2:4], dims=[-1]).view(b, 2, -1, length)
        upright = torch.transpose(out[:, 1].view(b, -1, w, h), 2, 3).contiguous().view(b, -1, length)
        back_upright = torch.transpose(back[:, 1].view(b, -1, w, h), 2, 3).contiguous().view(b, -1, length)
        return out[:, 0], back[:, 0], upright, back_upright


class Block(nn.Module):
    """The scan and the convolutions, each in a scaled residual."""

    def __init__(self, options: Options, rate: float) -> None:
        super().__init__()
        dim = options.dim
        self.ln_1 = nn.LayerNorm(dim)
        self.self_attention = Scan2d(options)
        self.drop_path = BernoulliDropPath(rate)
        self.skip_scale = nn.Parameter(torch.empty(dim))
        self.conv_blk = ConvolutionBlock(dim, 6 if options.light else 3)
        self.ln_2 = nn.LayerNorm(dim)
        self.skip_scale2 = nn.Parameter(torch.empty(dim))

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        b, _, c = x.shape
        before = x.view(b, *size, c).contiguous()
        x = self.ln_1(before)
        x = before * self.skip_scale + self.drop_path(self.self_attention(x))
        convolved = self.conv_blk(self.ln_2(x).permute(0, 3, 1, 2).contiguous())
        x = x * self.skip_scale2 + convolved.permute(0, 2, 3, 1).contiguous()
        return x.view(b, -1, c).contiguous()


class Blocks(nn.Module):
    """A group's blocks (its `residual_group`)."""

    def __init__(self, options: Options, rates: list[float]) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(options, rate) for rate in rates)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        for block in self.blocks:
            x = block(x, size)
        return x


class Group(nn.Module):
    """Blocks and a convolution in a residual."""

    def __init__(self, options: Options, rates: list[float], resi_connection: str) -> None:
        super().__init__()
        self.residual_group = Blocks(options, rates)
        self.conv = connection(options.dim, resi_connection)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        return tokens(self.conv(image(self.residual_group(x, size), size))) + x


class MambaIR(TokenReconstruction):
    """Convolution, groups of scans, one of two upsamplers or none."""

    def __init__(
        self,
        *,
        img_size: Positive | list[int] = 64,
        patch_size: Positive = 1,
        in_chans: Positive = 3,
        embed_dim: Positive = 96,
        depths: Sequence[int] = (6, 6, 6, 6),
        drop_rate: float = 0.0,
        d_state: Positive = 16,
        mlp_ratio: float = 2.0,
        drop_path_rate: float = 0.1,
        patch_norm: bool = True,
        use_checkpoint: bool = False,
        upscale: Positive = 2,
        img_range: float = 1.0,
        upsampler: str | None = "",
        resi_connection: str = "1conv",
        **_: object,
    ) -> None:
        super().__init__()
        if use_checkpoint:
            raise CannotTraceError("MambaIR's own code fails with use_checkpoint: its blocks need the size")
        del img_size, patch_size  # the network takes any image, pixel by pixel
        self.img_range = img_range
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        options = Options(embed_dim, d_state, mlp_ratio, upsampler == "pixelshuffledirect")
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_embed = TokenNorm(embed_dim, patch_norm)
        self.pos_drop = nn.Dropout(drop_rate)
        self.layers = nn.ModuleList(
            Group(options, rates, resi_connection) for rates in rising(drop_path_rate, depths)
        )
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = connection(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, upscale, upsampler if upsampler in UPSAMPLERS else "")

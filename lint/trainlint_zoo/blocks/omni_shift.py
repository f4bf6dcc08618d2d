# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 umzi
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Transformer blocks whose positions come from shifted convolutions, in line or as a U-Net.

Source: the-database/traiNNer-redux, traiNNer/archs/flexnet_arch.py (0af20a16).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.attention.window_vit import WindowViT
from trainlint_zoo.blocks.attention.windows import image, tokens
from trainlint_zoo.blocks.sampling import conv3, cropped, padded, upsampling

Vit = Callable[[int, float, float], "ShiftedViT"]
"""(channels, dropout of scores, dropout of the result) -> window attention."""


LINEAR_BLOCKS = (6, 6, 6, 6, 6, 6)


WINDOW = 8


class ConvBlock(nn.Module):
    """Two convolutions with Mish next to a 1x1 one."""

    def __init__(self, cin: int, cout: int, *, inplace: bool) -> None:
        super().__init__()
        self.block = nn.Sequential(conv3(cin, cout), nn.Mish(inplace), conv3(cout, cout), nn.Mish(inplace))
        self.conv11 = nn.Conv2d(cin, cout, 1)

    def forward(self, x: Tensor) -> Tensor:
        out1: Tensor = self.block(x)
        out2: Tensor = self.conv11(x)
        return out1 + out2


class OmniShift(nn.Module):
    """The input and three depthwise convolutions, each with a learnt weight; one of 5x5 at inference."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        for side in (1, 3, 5):
            conv = nn.Conv2d(dim, dim, side, padding=side // 2, groups=dim, bias=False)
            self.add_module(f"conv{side}x{side}", conv)
        self.alpha = nn.Parameter(torch.empty(4))
        self.conv5x5_reparam = nn.Conv2d(dim, dim, 5, padding=2, groups=dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            fused: Tensor = self.conv5x5_reparam(x)
            return fused
        part = dict(self.named_children())
        out1, out3, out5 = part["conv1x1"](x), part["conv3x3"](x), part["conv5x5"](x)
        weights = self.alpha
        out: Tensor = weights[0] * x + weights[1] * out1 + weights[2] * out3 + weights[3] * out5
        return out


class ShiftedViT(WindowViT):
    """Window attention on shifted tokens."""

    def __init__(self, dim: int, attn_drop: float, drop: float) -> None:
        super().__init__(dim, attn_drop, drop)
        self.omni_shift = OmniShift(dim)

    def mix(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        """Return the mixed tokens."""
        return tokens(self(self.omni_shift(image(x, size)))).contiguous()


class ChannelMix(nn.Module):
    """Squared ReLU of shifted tokens, gated."""

    def __init__(self, dim: int, rate: float, norm: bool, *, inplace: bool) -> None:
        super().__init__()
        self.inplace = inplace
        hidden = int(rate * dim)
        self.key = nn.Linear(dim, hidden, bias=False)
        self.omni_shift = OmniShift(dim)
        self.key_norm = nn.RMSNorm(hidden) if norm else None
        self.receptance = nn.Linear(dim, dim, bias=False)
        self.value = nn.Linear(hidden, dim, bias=False)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        x = self.omni_shift(image(x, size))
        x = tokens(x)
        k = self.key(x)
        k = torch.square(F.relu(k, self.inplace))
        if self.key_norm is not None:
            k = self.key_norm(k)
        mixed = self.value(k)
        out: Tensor = torch.sigmoid(self.receptance(x)) * mixed
        return out


class TransformerBlock(nn.Module):
    """Both mixers after RMS norms, scaled, each in a residual."""

    def __init__(
        self, dim: int, rate: float, norm: bool, attn_drop: float, drop: float, *, inplace: bool, vit: Vit
    ) -> None:
        super().__init__()
        self.rn1, self.rn2 = nn.RMSNorm(dim), nn.RMSNorm(dim)
        self.att = vit(dim, attn_drop, drop)
        self.ffn = ChannelMix(dim, rate, norm, inplace=inplace)
        self.gamma1, self.gamma2 = nn.Parameter(torch.empty(dim)), nn.Parameter(torch.empty(dim))

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        x = x + self.gamma1 * self.att.mix(self.rn1(x), size)
        out: Tensor = x + self.gamma2 * self.ffn(self.rn2(x), size)
        return out


class Stage(nn.Module):
    """Blocks on tokens; what came in is concatenated and convolved."""

    def __init__(self, dim: int, blocks: int, *, inplace: bool, **block: Any) -> None:
        super().__init__()
        self.t_blocks = nn.ModuleList(TransformerBlock(dim, inplace=inplace, **block) for _ in range(blocks))
        self.conv = ConvBlock(dim * 2, dim, inplace=inplace)

    def forward(self, x: Tensor) -> Tensor:
        size = (x.shape[2], x.shape[3])
        seq = tokens(x)
        shortcut = seq
        for block in self.t_blocks:
            seq = block(seq, size)
        seq = torch.cat([shortcut, seq], dim=-1)
        out: Tensor = self.conv(image(seq, size))
        return out


class MetaPipeline(nn.Module):
    """Stages in a U-Net of four levels."""

    def __init__(self, dim: int, blocks: Sequence[int], **block: Any) -> None:
        super().__init__()
        self.enc = nn.ModuleList(Stage(dim * 2**i, n, **block) for i, n in enumerate(blocks))
        self.down = nn.ModuleList(
            nn.Sequential(conv3(dim * 2**i, dim * 2**i // 2, bias=False), nn.PixelUnshuffle(2))
            for i in range(3)
        )
        self.up = nn.ModuleList(
            nn.Sequential(conv3(dim * 2 ** (4 - i), dim * 2 ** (4 - i), bias=False), nn.PixelShuffle(2))
            for i in range(3)
        )
        self.dec = nn.ModuleList(Stage(dim * 2**i, blocks[i], **block) for i in (2, 1, 0))

    def forward(self, x: Tensor) -> Tensor:
        kept = []
        for encoder, down in zip(self.enc, self.down, strict=False):
            x = down(encoder(x))
            kept.append(x)
        x = self.enc[3](x)
        for up, decoder, skip in zip(self.up, self.dec, reversed(kept), strict=True):
            x = torch.cat([x, skip], dim=1)
            x = decoder(up(x))
        return x


class Body(nn.Module):
    """A pipeline next to two convolutions, on an image padded to whole windows; to be inherited."""

    def assemble(
        self, channels: tuple[int, int], scale: int, dim: int, *, num_blocks: Sequence[int], window_size: int,
        pipeline_type: str, upsampler: str, inplace: bool = False, **block: Any,
    ) -> None:  # fmt: skip
        """Register the layers; `block` is what every block takes."""
        if window_size != WINDOW:
            raise CannotTraceError("FlexNet with another window than 8 is not modeled")
        cin, cout = channels
        self.scale, self.side = scale, WINDOW if pipeline_type == "linear" else WINDOW * 8
        self.register_buffer("window_size", torch.empty((), dtype=torch.uint8))
        self.short_cut = ConvBlock(cin, dim, inplace=inplace)
        self.in_to_feat = conv3(cin, dim)
        self.pipeline: nn.Module = (
            nn.Sequential(*(Stage(dim, blocks, inplace=inplace, **block) for blocks in num_blocks))
            if pipeline_type == "linear"
            else MetaPipeline(dim, num_blocks, inplace=inplace, **block)
        )
        tail = {"pixelshuffle": "pixelshuffledirect"}.get(upsampler, upsampler)
        narrow = [conv3(dim * 2, dim)] if upsampler == "nearest+conv" else []
        width = dim if narrow else dim * 2
        self.to_img = nn.Sequential(*narrow, *upsampling(tail, scale, width, cout, width))

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = padded(x, self.side)
        short = self.short_cut(x)
        x = self.in_to_feat(x)
        x = self.pipeline(x)
        x = torch.cat([x, short], dim=1)
        x = self.to_img(x)
        return cropped(x, height * self.scale, width * self.scale)

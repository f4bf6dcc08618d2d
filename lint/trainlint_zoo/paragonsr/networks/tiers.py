# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ParagonSR2 authors
# SPDX-License-Identifier: MIT

"""ParagonSR2's published tiers: realtime (the later "Nano"), stream, photo and pro.

Source: Phhofm/ParagonSR2 921e57d1 (layers and parameter counts); `@v10` lacks the layer scales.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.layer_scale import LayerScale
from trainlint_zoo.blocks.magic_kernel import MagicUpsample

BUILDERS = {
    "trainner-redux:paragonsr2_realtime": "realtime",
    "trainner-redux:paragonsr2_stream": "stream",
    "trainner-redux:paragonsr2_photo": "photo",
    "trainner-redux:paragonsr2_pro": "pro",
    "trainner-redux:paragonsr2_realtime@v10": "realtime_v10",
    "trainner-redux:paragonsr2_stream@v10": "stream_v10",
}

HALF_MAX = 65504  # the stream block clamps to fp16's range
HEADS, TOKENS, TOKEN_WIDTH = 4, 64, 16


class RMSNorm(nn.Module):
    """Channel RMS in fp32, then scale and bias."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.scale, self.bias = nn.Parameter(torch.ones(dim, 1, 1)), nn.Parameter(torch.zeros(dim, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        variance = x.float().pow(2).mean(dim=1, keepdim=True)
        rms = torch.sqrt(variance + 1e-6).to(x.dtype)
        return self.scale * x / rms + self.bias


class NanoBlock(nn.Module):
    """Pointwise, depthwise, GELU, pointwise, with a residual."""

    def __init__(self, dim: int, *, scaled: bool = True) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(dim, 2 * dim, 1), nn.Conv2d(2 * dim, dim, 1)
        self.dw = nn.Conv2d(2 * dim, 2 * dim, 3, padding=1, groups=2 * dim)
        self.scale = LayerScale(dim) if scaled else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.scale(self.conv2(F.gelu(self.dw(self.conv1(x))))) + x
        return result


class StreamBlock(nn.Module):
    """Two depthwise scales, then a gated feed-forward whose product is taken in fp32."""

    def __init__(self, dim: int, *, scaled: bool = True) -> None:
        super().__init__()
        self.dw1 = nn.Conv2d(dim, dim, 3, padding=1, groups=dim)
        self.dw3 = nn.Conv2d(dim, dim, 3, padding=3, dilation=3, groups=dim)
        self.fuse, self.proj = nn.Conv2d(2 * dim, dim, 1), nn.Conv2d(dim, 4 * dim, 1)
        self.gate = nn.Conv2d(4 * dim, 4 * dim, 3, padding=1, groups=4 * dim)
        self.out = nn.Conv2d(2 * dim, dim, 1)
        self.scale = LayerScale(dim) if scaled else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        y = self.fuse(torch.cat([self.dw1(x), self.dw3(x)], dim=1))
        a, b = self.gate(self.proj(y)).chunk(2, dim=1)
        product = (a.float() * b.float()).clamp(-HALF_MAX, HALF_MAX).to(a.dtype)
        result: Tensor = self.scale(self.out(product)) + x
        return result


class WindowAttention(nn.Module):
    """Swin-style (shifted) windows on (b, h, w, c) through scaled_dot_product_attention."""

    def __init__(self, dim: int, window: int, shift: int) -> None:
        super().__init__()
        self.window, self.shift = window, shift
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        b, h, w, c = x.shape
        size = self.window
        x = F.pad(x, (0, 0, 0, -w % size, 0, -h % size))
        rows, columns = x.shape[1] // size, x.shape[2] // size
        if self.shift:
            x = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        x = (
            x.view(b, rows, size, columns, size, c)
            .permute(0, 1, 3, 2, 4, 5)
            .contiguous()
            .view(-1, size**2, c)
        )
        q, k, v = (
            t.view(-1, size**2, HEADS, c // HEADS).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1)
        )
        x = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).contiguous().view(-1, size**2, c)
        x = self.proj(x).view(b, rows, columns, size, size, c).permute(0, 1, 3, 2, 4, 5).contiguous()
        x = x.view(b, rows * size, columns * size, c)
        if self.shift:
            x = torch.roll(x, shifts=(self.shift, self.shift), dims=(1, 2))
        return x[:, :h, :w, :]


class ConvPath(nn.Module):
    """Norm, pointwise, depthwise, GELU, pointwise."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.norm, self.conv1 = RMSNorm(dim), nn.Conv2d(dim, 2 * dim, 1)
        self.dw = nn.Conv2d(2 * dim, 2 * dim, 3, padding=1, groups=2 * dim)
        self.conv2 = nn.Conv2d(2 * dim, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.conv2(F.gelu(self.dw(self.conv1(self.norm(x)))))
        return result


class AttentionPath(nn.Module):
    """Norm, channels last, window attention, back."""

    def __init__(self, dim: int, window: int, shift: int) -> None:
        super().__init__()
        self.norm, self.attn = RMSNorm(dim), WindowAttention(dim, window, shift)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.attn(self.norm(x).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return result


class PhotoBlock(nn.Module):
    """Convolution path, then window attention; one layer scale serves both."""

    def __init__(self, dim: int, window: int, shift: int, *, attention: bool) -> None:
        super().__init__()
        self.conv, self.scale = ConvPath(dim), LayerScale(dim)
        self.attention = AttentionPath(dim, window, shift) if attention else None

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.scale(self.conv(x))
        return x + self.scale(self.attention(x)) if self.attention is not None else x


class ChannelAttention(nn.Module):
    """Squeeze-and-excitation with linear layers."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        inner = dim // 16
        self.fc = nn.Sequential(
            nn.Linear(dim, inner, bias=False), nn.GELU(), nn.Linear(inner, dim, bias=False), nn.Sigmoid()
        )

    def forward(self, x: Tensor) -> Tensor:
        b, c = x.shape[:2]
        result: Tensor = x * self.fc(self.pool(x).view(b, c)).view(b, c, 1, 1)
        return result


class TokenAttention(nn.Module):
    """Cross-attention of every pixel to 64 learned tokens; the matrix is materialized."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.token_dict = nn.Parameter(torch.zeros(1, TOKENS, dim))
        self.q_proj, self.k_proj = nn.Linear(dim, TOKEN_WIDTH), nn.Linear(dim, TOKEN_WIDTH)
        self.v_proj, self.out_proj = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        b, c, h, w = x.shape
        tokens = self.token_dict.expand(b, -1, -1)
        q = self.q_proj(x.flatten(2).transpose(1, 2))
        k, v = self.k_proj(tokens), self.v_proj(tokens)
        attention = F.softmax((q @ k.transpose(-2, -1)) * TOKEN_WIDTH**-0.5, dim=-1)
        result: Tensor = self.out_proj(attention @ v).transpose(1, 2).reshape(b, c, h, w)
        return result


class ProBlock(nn.Module):
    """Convolution, channel attention, window attention, token attention, each with its layer scale."""

    def __init__(self, dim: int, window: int, shift: int, *, attention: bool) -> None:
        super().__init__()
        paths: list[nn.Module] = [ConvPath(dim), ChannelAttention(dim)]
        paths += [AttentionPath(dim, window, shift)] if attention else []
        paths += [nn.Sequential(RMSNorm(dim), TokenAttention(dim))]
        self.paths = nn.ModuleList(paths)
        self.scales = nn.ModuleList(LayerScale(dim) for _ in paths)

    def forward(self, x: Tensor) -> Tensor:
        for path, scale in zip(self.paths, self.scales, strict=True):
            x = x + scale(path(x))
        return x


class Tier(nn.Module):
    """Magic Kernel base plus a learned detail path: (batch, 3, h, w) -> (batch, 3, h x scale, w x scale)."""

    def __init__(
        self, scale: int, dim: int, groups: list[list[nn.Module]], alpha: float, *, checkpointed: bool
    ) -> None:
        super().__init__()
        self.base = MagicUpsample(3, scale, alpha, buffers=True)
        self.conv_in, self.conv_mid = nn.Conv2d(3, dim, 3, padding=1), nn.Conv2d(dim, dim, 3, padding=1)
        self.groups = nn.ModuleList(nn.Sequential(*blocks) for blocks in groups)
        self.up = nn.Sequential(nn.Conv2d(dim, dim * scale**2, 3, padding=1), nn.PixelShuffle(scale))
        self.conv_out, self.detail_gain = nn.Conv2d(dim, 3, 3, padding=1), nn.Parameter(torch.zeros(()))
        self.checkpointed = checkpointed

    def forward(self, x: Tensor) -> Tensor:
        base, y = self.base(x), self.conv_in(x)
        for group in self.groups:
            for block in group.children():
                y = (
                    checkpoint(block, y, use_reentrant=False)
                    if self.checkpointed and y.requires_grad
                    else block(y)
                )
        result: Tensor = base + self.conv_out(self.up(self.conv_mid(y))) * self.detail_gain
        return result


def realtime(
    scale: Positive = 4, upsampler_alpha: float = 0.3, use_checkpointing: bool = False, **_ignored: object
) -> nn.Module:
    """N3: 16,780 parameters at scale 2."""
    return Tier(
        scale, 16, [[NanoBlock(16) for _ in range(3)]], upsampler_alpha, checkpointed=use_checkpointing
    )


def realtime_v10(
    scale: Positive = 4, upsampler_alpha: float = 0.3, use_checkpointing: bool = False, **_ignored: object
) -> nn.Module:
    """History version 10: 16,732 parameters at scale 2."""
    blocks: list[nn.Module] = [NanoBlock(16, scaled=False) for _ in range(3)]
    return Tier(scale, 16, [blocks], upsampler_alpha, checkpointed=use_checkpointing)


def _stream(scale: int, alpha: float, *, checkpointed: bool, scaled: bool) -> nn.Module:
    groups: list[list[nn.Module]] = [[StreamBlock(32, scaled=scaled) for _ in range(3)] for _ in range(2)]
    return Tier(scale, 32, groups, alpha, checkpointed=checkpointed)


def stream(
    scale: Positive = 4, upsampler_alpha: float = 0.0, use_checkpointing: bool = False, **_ignored: object
) -> nn.Module:
    """110,092 parameters at scale 2."""
    return _stream(scale, upsampler_alpha, checkpointed=use_checkpointing, scaled=True)


def stream_v10(
    scale: Positive = 4, upsampler_alpha: float = 0.0, use_checkpointing: bool = False, **_ignored: object
) -> nn.Module:
    """History version 10: 109,900 parameters at scale 2."""
    return _stream(scale, upsampler_alpha, checkpointed=use_checkpointing, scaled=False)


def _attentive(  # noqa: PLR0917 - one row per published knob
    block: type[PhotoBlock | ProBlock], per_group: int, groups: int, scale: int, alpha: float, window: int,
    *, attention: bool, checkpointed: bool,
) -> nn.Module:  # fmt: skip
    shifts = [window // 2 if index % 2 else 0 for index in range(per_group * groups)]
    blocks: list[nn.Module] = [block(64, window, shift, attention=attention) for shift in shifts]
    rows = [blocks[i : i + per_group] for i in range(0, len(blocks), per_group)]
    return Tier(scale, 64, rows, alpha, checkpointed=checkpointed)


def photo(  # noqa: PLR0917 - the published order
    scale: Positive = 4, upsampler_alpha: float = 0.4, window_size: Positive = 16, export_safe: bool = False,
    attention_mode: Literal["sdpa", "flex"] | None = "sdpa", use_checkpointing: bool = False,
    **_ignored: object,
) -> nn.Module:  # fmt: skip
    """745,292 parameters at scale 2."""
    attention = attention_mode is not None and not export_safe
    return _attentive(
        PhotoBlock,
        4,
        4,
        scale,
        upsampler_alpha,
        window_size,
        attention=attention,
        checkpointed=use_checkpointing,
    )


def pro(  # noqa: PLR0917 - the published order
    scale: Positive = 4, upsampler_alpha: float = 0.4, window_size: Positive = 16, export_safe: bool = False,
    attention_mode: Literal["sdpa", "flex"] | None = "sdpa", use_checkpointing: bool = False,
    **_ignored: object,
) -> nn.Module:  # fmt: skip
    """1,993,420 parameters at scale 2."""
    attention = attention_mode is not None and not export_safe
    return _attentive(
        ProBlock,
        6,
        6,
        scale,
        upsampler_alpha,
        window_size,
        attention=attention,
        checkpointed=use_checkpointing,
    )

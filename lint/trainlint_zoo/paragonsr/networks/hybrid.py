# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ParagonSR2 authors
# SPDX-License-Identifier: MIT

"""ParagonSR2 hybrid (history version 5): a Magic Kernel base plus a learned detail path with attention.

Attention is materialized per 32x32 window; its earlier state (`@v5-full`) attends over the whole crop.
Source: Phhofm/ParagonSR2 921e57d1, history version 5 (layers and parameter counts).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.layer_scale import LayerScale
from trainlint_zoo.blocks.magic_kernel import MagicUpsample
from trainlint_zoo.blocks.paragon import ChannelGate, Group, InceptionDepthwise

BUILDERS = {
    "trainner-redux:paragonsr2_nano@v5": "nano",
    "trainner-redux:paragonsr2_nano@v5-full": "nano_full",
    "trainner-redux:paragonsr2_micro@v5": "micro",
    "trainner-redux:paragonsr2_tiny@v5": "tiny",
    "trainner-redux:paragonsr2_xs@v5": "xs",
    "trainner-redux:paragonsr2_s@v5": "s",
    "trainner-redux:paragonsr2_m@v5": "m",
    "trainner-redux:paragonsr2_l@v5": "l",
    "trainner-redux:paragonsr2_xl@v5": "xl",
}

WINDOW, OVERLAP, REDUCTION = 32, 8, 8


class RMSNorm(nn.Module):
    """L2 norm over channels, with scale and offset."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.scale, self.offset = nn.Parameter(torch.ones(dim, 1, 1)), nn.Parameter(torch.zeros(dim, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        rms = x.norm(2, dim=1, keepdim=True) * x.size(1) ** -0.5
        result: Tensor = self.scale * (x / (rms + 1e-6)) + self.offset
        return result


class WindowedAttention(nn.Module):
    """Overlapping 32x32 windows, one materialized bmm-softmax-bmm each; `window=0`: over all tokens."""

    def __init__(self, dim: int, window: int = WINDOW) -> None:
        super().__init__()
        inner = max(1, dim // REDUCTION)
        self.window = window
        self.query, self.key, self.value = (
            nn.Conv2d(dim, inner, 1),
            nn.Conv2d(dim, inner, 1),
            nn.Conv2d(dim, dim, 1),
        )
        self.gamma = nn.Parameter(torch.zeros(1))

    @staticmethod
    def _attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        b, c, h, w = v.shape
        q = q.reshape(b, -1, h * w).permute(0, 2, 1)
        k = k.reshape(b, -1, h * w)
        attention = torch.softmax(torch.bmm(q, k) / q.shape[-1] ** 0.5, dim=-1)
        return torch.bmm(v.reshape(b, c, h * w), attention.permute(0, 2, 1)).view(b, c, h, w)

    def _windows(self, length: int) -> list[slice]:
        stride = self.window - OVERLAP
        starts = range(0, (length + OVERLAP - 1) // stride * stride, stride)
        return [slice(start, min(start + self.window, length)) for start in starts]

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.query(x), self.key(x), self.value(x)
        _, _, h, w = x.shape
        if not self.window or max(h, w) <= self.window:
            return x + self.gamma * self._attend(q, k, v)
        out, weight = torch.zeros_like(v), torch.zeros_like(v[:, :1])
        for rows in self._windows(h):
            for columns in self._windows(w):
                part = self._attend(q[:, :, rows, columns], k[:, :, rows, columns], v[:, :, rows, columns])
                fade = torch.ones(1, 1, *part.shape[2:], device=x.device, dtype=x.dtype)
                out[:, :, rows, columns] += part * fade
                weight[:, :, rows, columns] += fade
        return x + self.gamma * (out / weight)


class Block(nn.Module):
    """Context, then pointwise-depthwise mixing with optional gate and attention, optional RMS norm."""

    def __init__(
        self, dim: int, ffn: float, band: int, *, norm: bool, gate: bool, window: int | None
    ) -> None:
        super().__init__()
        hidden = int(dim * ffn)
        self.context, self.ls1 = InceptionDepthwise(dim, band), LayerScale(dim)
        self.project_in, self.project_out = nn.Conv2d(dim, hidden, 1), nn.Conv2d(hidden, dim, 1)
        self.dw_mixer = nn.Sequential(
            nn.Conv2d(hidden, hidden, 3, padding=1, groups=hidden), nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(hidden, hidden, 1),
        )  # fmt: skip
        self.gate = ChannelGate(hidden) if gate else nn.Identity()
        self.attention = WindowedAttention(hidden, window) if window is not None else nn.Identity()
        self.ls2, self.norm = LayerScale(dim), RMSNorm(dim) if norm else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.ls1(self.context(x))
        mixed = self.gate(self.attention(self.dw_mixer(self.project_in(x))))
        result: Tensor = self.norm(x + self.ls2(self.project_out(mixed)))
        return result


class ContentGain(nn.Module):
    """A small pyramid on the input image that yields one gain per sample."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        few, more = dim // 4, dim // 2
        self.net = nn.Sequential(
            nn.Conv2d(3, few, 3, padding=1), nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(few, more, 5, padding=2), nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(more, more, 7, padding=3), nn.LeakyReLU(0.1, inplace=True),
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(more, 1, 1), nn.Sigmoid(),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.net(x)
        return result


class ParagonHybrid(nn.Module):
    """(batch, 3, h, w) -> (batch, 3, h x scale, w x scale)."""

    def __init__(  # noqa: PLR0917 - the published order
        self, scale: int, dim: int, groups: int, blocks: int, ffn: float, band: int, alpha: float,
        *, norm: bool, gate: bool, window: int | None, content: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.conv_in = nn.Conv2d(3, dim, 3, padding=1)
        self.body = nn.Sequential(
            *(
                Group([Block(dim, ffn, band, norm=norm, gate=gate, window=window) for _ in range(blocks)])
                for _ in range(groups)
            )
        )
        self.conv_fuse = nn.Conv2d(dim, dim, 3, padding=1)
        self.up_conv, self.pixel_shuffle = (
            nn.Conv2d(dim, dim * scale**2, 3, padding=1),
            nn.PixelShuffle(scale),
        )
        self.conv_out = nn.Conv2d(dim, 3, 3, padding=1)
        self.magic_upsampler = MagicUpsample(3, scale, alpha)
        self.content = ContentGain(dim) if content else None

    def forward(self, x: Tensor) -> Tensor:
        base = self.magic_upsampler(x)
        out = self.conv_in(x)
        out = self.conv_fuse(self.body(out)) + out
        detail = self.conv_out(self.pixel_shuffle(self.up_conv(out)))
        result: Tensor = base + (detail * self.content(x) if self.content is not None else detail)
        return result


def nano(
    scale: Positive = 4, upsampler_alpha: float = 0.4, use_attention: bool = True, **_ignored: object
) -> nn.Module:
    """N2: 10,595 parameters at scale 2; attention is on by default."""
    window = WINDOW if use_attention else None
    return ParagonHybrid(scale, 12, 1, 1, 1.2, 7, upsampler_alpha, norm=False, gate=False, window=window)


def nano_full(scale: Positive = 4, upsampler_alpha: float = 0.4, **_ignored: object) -> nn.Module:
    """N2 before windows: every token attends to every token of the crop."""
    return ParagonHybrid(scale, 12, 1, 1, 1.2, 7, upsampler_alpha, norm=False, gate=False, window=0)


def micro(
    scale: Positive = 4, upsampler_alpha: float = 0.45, use_attention: bool = True, **_ignored: object
) -> nn.Module:
    """19,429 parameters at scale 2."""
    window = WINDOW if use_attention else None
    return ParagonHybrid(scale, 16, 1, 1, 1.5, 7, upsampler_alpha, norm=False, gate=True, window=window)


def tiny(
    scale: Positive = 4, upsampler_alpha: float = 0.5, use_attention: bool = True, **_ignored: object
) -> nn.Module:
    """42,484 parameters at scale 2."""
    window = WINDOW if use_attention else None
    return ParagonHybrid(scale, 24, 1, 1, 1.5, 9, upsampler_alpha, norm=True, gate=True, window=window)


def xs(
    scale: Positive = 4, upsampler_alpha: float = 0.5, use_attention: bool = True, **_ignored: object
) -> nn.Module:
    """77,755 parameters at scale 2."""
    window = WINDOW if use_attention else None
    return ParagonHybrid(scale, 32, 1, 1, 1.8, 11, upsampler_alpha, norm=True, gate=True, window=window)


def s(
    scale: Positive = 4, upsampler_alpha: float = 0.5, use_attention: bool = True, **_ignored: object
) -> nn.Module:
    """215,262 parameters at scale 2."""
    window = WINDOW if use_attention else None
    return ParagonHybrid(scale, 48, 1, 2, 2.0, 11, upsampler_alpha, norm=True, gate=True, window=window)


def m(
    scale: Positive = 4, upsampler_alpha: float = 0.5, use_attention: bool = True, **_ignored: object
) -> nn.Module:
    """1,785,092 parameters at scale 2."""
    window = WINDOW if use_attention else None
    return ParagonHybrid(scale, 64, 4, 6, 2.0, 11, upsampler_alpha, norm=True, gate=True, window=window)


def l(scale: Positive = 4, upsampler_alpha: float = 0.55, **_ignored: object) -> nn.Module:  # noqa: E743 - named after its size, like s and m
    """5,153,788 parameters at scale 2; no attention."""
    return ParagonHybrid(scale, 96, 6, 8, 2.0, 13, upsampler_alpha, norm=True, gate=True, window=None)


def xl(scale: Positive = 4, upsampler_alpha: float = 0.6, **_ignored: object) -> nn.Module:
    """14,481,548 parameters at scale 2; no attention."""
    return ParagonHybrid(scale, 128, 8, 10, 2.0, 15, upsampler_alpha, norm=True, gate=True, window=None)

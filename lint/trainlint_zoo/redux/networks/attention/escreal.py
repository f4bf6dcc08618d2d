# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2025 Dongheon Lee
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ESC-Real: one window attention per block, then convolutions with a large kernel that all blocks share.

Each sample's own 3x3 kernels run as one grouped convolution. Flex attention keeps what fused attention keeps
(q, k, v, the result and its log-sum), so that takes its place.
Source: the-database/traiNNer-redux, traiNNer/archs/escreal_arch.py (3688829b).
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.sampling import UniUpsample, Upsampler, conv3, cropped, padded

BUILDERS = {"trainner-redux:escrealm": "ESCRealM"}

DYNAMIC_SIDE = 3  # side of the kernels predicted per sample
LEAK = 0.2


class LayerNorm(nn.Module):
    """Layer normalization over channels; in training the image is copied before and after."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.empty(dim)), nn.Parameter(torch.empty(dim))

    def forward(self, x: Tensor) -> Tensor:
        x = x.permute(0, 2, 3, 1)
        if not self.training:
            return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-6).permute(0, 3, 1, 2)
        x = F.layer_norm(x.contiguous(), self.weight.shape, self.weight, self.bias, 1e-6)
        return x.permute(0, 3, 1, 2).contiguous()


class ConvolutionalAttention(nn.Module):
    """The first channels through the shared large kernel and one predicted from their means."""

    def __init__(self, part: int) -> None:
        super().__init__()
        self.part = part
        self.dwc_proj = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(part, part // 2, 1), nn.GELU(),
            nn.Conv2d(part // 2, part * DYNAMIC_SIDE**2, 1),
        )  # fmt: skip

    def forward(self, x: Tensor, large: Tensor) -> Tensor:
        b, c, h, w = x.shape
        first, rest = torch.split(x, [self.part, c - self.part], dim=1)
        kernels = self.dwc_proj(first).reshape(-1, 1, DYNAMIC_SIDE, DYNAMIC_SIDE)
        own = F.conv2d(first.reshape(1, -1, h, w), kernels, padding=DYNAMIC_SIDE // 2, groups=b * self.part)
        own = own.reshape(b, self.part, h, w)
        first = F.conv2d(first, large, padding=large.shape[-1] // 2) + own
        if self.training:
            return torch.cat([first, rest], dim=1)
        x[:, : self.part] = first  # inference writes into its input
        return x


class ConvAttention(nn.Module):
    """The same, then a 1x1 convolution."""

    def __init__(self, dim: int, part: int) -> None:
        super().__init__()
        self.plk = ConvolutionalAttention(part)
        self.aggr = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor, large: Tensor) -> Tensor:
        x = self.plk(x, large)
        out: Tensor = self.aggr(x)
        return out


class ConvFFN(nn.Module):
    """A feed-forward network with a depthwise convolution in a residual."""

    def __init__(self, dim: int, ratio: float) -> None:
        super().__init__()
        hidden = int(dim * ratio)
        self.proj = nn.Conv2d(dim, hidden, 1)
        self.dwc = nn.Conv2d(hidden, hidden, 3, 1, 1, groups=hidden)
        self.aggr = nn.Conv2d(hidden, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.gelu(self.proj(x))
        x = F.gelu(self.dwc(x)) + x
        out: Tensor = self.aggr(x)
        return out


class WindowAttention(nn.Module):
    """Attention in windows with relative positions, by one of three kernels."""

    def __init__(self, dim: int, side: int, heads: int, kind: str) -> None:
        super().__init__()
        self.side, self.heads, self.kind = side, heads, kind
        self.to_qkv = nn.Conv2d(dim, dim * 3, 1)
        self.to_out = nn.Conv2d(dim, dim, 1)
        self.relative_position_bias = nn.Parameter(torch.empty(heads, (2 * side - 1) ** 2))

    def bias(self) -> Tensor:
        """Return the bias of every pair of tokens; the indices are on the CPU."""
        rows = torch.zeros(self.heads * self.side**4, dtype=torch.long, device="cpu")
        pairs = self.relative_position_bias[rows, rows]
        return pairs.reshape(1, self.heads, self.side**2, self.side**2)

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Mix the values."""
        if self.kind == "Flex":
            return F.scaled_dot_product_attention(q, k, v)
        if self.kind == "SDPA":
            return F.scaled_dot_product_attention(q, k, v, attn_mask=self.bias().to(q.dtype))
        score = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        score = score + self.bias()
        score = F.softmax(score, dim=-1)
        return score @ v

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = padded(x, self.side)
        b, c, h, w = x.shape
        side, rows, columns = self.side, h // self.side, w // self.side
        qkv = self.to_qkv(x)
        dtype = qkv.dtype
        qkv = qkv.reshape(b, 3, self.heads, c // self.heads, rows, side, columns, side)
        q, k, v = qkv.permute(1, 0, 4, 6, 2, 5, 7, 3).reshape(3, -1, self.heads, side**2, c // self.heads)
        del qkv
        out = self.attend(q, k, v)
        out = out.reshape(b, rows, columns, self.heads, side, side, c // self.heads)
        out = out.permute(0, 3, 6, 1, 4, 2, 5).reshape(b, c, h, w)
        result: Tensor = self.to_out(cropped(out.to(dtype), height, width))
        return result


class Block(nn.Module):
    """Feed-forward network, attention, then convolutions, in a residual."""

    def __init__(self, dim: int, part: int, convs: int, ratio: float, attention: nn.Module) -> None:
        super().__init__()
        self.ln_proj, self.proj = LayerNorm(dim), ConvFFN(dim, 2)
        self.ln_attn, self.attn = LayerNorm(dim), attention
        self.lns = nn.ModuleList(LayerNorm(dim) for _ in range(convs))
        self.pconvs = nn.ModuleList(ConvAttention(dim, part) for _ in range(convs))
        self.convffns = nn.ModuleList(ConvFFN(dim, ratio) for _ in range(convs))
        self.ln_out, self.conv_out = LayerNorm(dim), conv3(dim, dim)

    def forward(self, x: Tensor, large: Tensor) -> Tensor:
        skip = x
        x = self.ln_proj(x)
        x = self.proj(x)
        x = x + self.attn(self.ln_attn(x))
        for norm, conv, ffn in zip(self.lns, self.pconvs, self.convffns, strict=True):
            x = x + conv(ffn(norm(x)), large)
        x = self.conv_out(self.ln_out(x))
        return x + skip


def symmetric(kernel: Tensor) -> Tensor:
    """Return the mean of a kernel's eight flips and turns."""
    turned = torch.rot90(kernel, -1, [2, 3])
    flips = [weights.flip(dims) for weights in (kernel, turned) for dims in ([3], [2], [2, 3])]
    return (kernel + flips[0] + flips[1] + flips[2] + turned + flips[3] + flips[4] + flips[5]) / 8


class ESCRealM(nn.Module):
    """Blocks in a long residual next to a short convolutional skip; scales 1 and 2 shrink the input."""

    def __init__(
        self,
        *,
        dim: Positive = 64,
        pdim: Positive = 16,
        kernel_size: Positive = 13,
        n_blocks: Positive = 10,
        conv_blocks: Positive = 5,
        window_size: Positive = 32,
        num_heads: Positive = 4,
        scale: Positive = 4,
        exp_ratio: float = 2.0,
        attn_type: Literal["Naive", "SDPA", "Flex"] = "Flex",
        mid_dim: Positive = 64,
        upsampler: Upsampler = "transpose+conv",
        unshuffle_mod: bool = True,
    ) -> None:
        super().__init__()
        self.scale = scale
        self.pad = 4 // scale if unshuffle_mod and scale < 3 else 1
        channels = 3 * self.pad**2
        wide = dim * 2
        shrink = [nn.PixelUnshuffle(self.pad)] if self.pad > 1 else []
        self.plk_filter = nn.Parameter(torch.empty(pdim, pdim, kernel_size, kernel_size))
        self.proj = nn.Sequential(*shrink, conv3(channels, dim))
        self.skip = nn.Sequential(
            *shrink,
            nn.Conv2d(channels, wide, 1),
            nn.Conv2d(wide, wide, 7, 1, 3, groups=wide, padding_mode="reflect"),
            nn.LeakyReLU(LEAK, inplace=True),
            nn.Conv2d(wide, dim, 1),
        )
        self.blocks = nn.ModuleList(
            Block(dim, pdim, conv_blocks, exp_ratio, WindowAttention(dim, window_size, num_heads, attn_type))
            for _ in range(n_blocks)
        )
        self.last = conv3(dim, dim)
        self.to_img = UniUpsample(upsampler, 4 if self.pad > 1 else scale, dim, 3, mid_dim)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        if self.pad > 1:
            x = padded(x, self.pad)
        feat = self.proj(x)
        skip = feat
        large = symmetric(self.plk_filter)
        for block in self.blocks:
            feat = block(feat, large)
        feat = self.last(feat) + skip + self.skip(x)
        return cropped(self.to_img(feat), height * self.scale, width * self.scale)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2025 Dongheon Lee
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ESC: large shared kernels with a dynamic part per sample, and one window attention per block.

Source: 0ZL0/neosr 5879718b, neosr/archs/esc_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.sampling import GROUPS, DySample, conv3

BUILDERS = {"neosr:esc": "ESC", "neosr:esc_light": "esc_light", "neosr:esc_large": "esc_large"}


class LayerNorm(nn.Module):
    """Layer normalization over channels, copied to the last axis and back while training."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.empty(dim)), nn.Parameter(torch.empty(dim))

    def forward(self, x: Tensor) -> Tensor:
        last = x.permute(0, 2, 3, 1)
        normed = F.layer_norm(
            last.contiguous() if self.training else last, self.weight.shape, self.weight, self.bias, 1e-6
        )
        normed = normed.permute(0, 3, 1, 2)
        return normed.contiguous() if self.training else normed


class ConvAttention(nn.Module):
    """The first channels through the shared large kernel and a 3x3 kernel made for each sample."""

    def __init__(self, dim: int, part: int) -> None:
        super().__init__()
        self.part = part
        self.dwc_proj = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(part, part // 2, 1),
            nn.GELU(),
            nn.Conv2d(part // 2, part * 9, 1),
        )
        self.aggr = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor, kernel: Tensor) -> Tensor:
        b, _, h, w = x.shape
        half = kernel.shape[-1] // 2
        dynamic = self.dwc_proj(x[:, : self.part]).reshape(-1, 1, 3, 3)
        if self.training:
            x1, x2 = torch.split(x, [self.part, x.shape[1] - self.part], dim=1)
            merged = x1.reshape(1, b * self.part, h, w)
            own = F.conv2d(merged, dynamic, padding=1, groups=b * self.part).reshape(b, self.part, h, w)
            x = torch.cat([F.conv2d(x1, kernel, padding=half) + own, x2], dim=1)
        else:
            first = x[:, : self.part]
            own = F.conv2d(first, dynamic, padding=1, groups=self.part)
            x[:, : self.part] = F.conv2d(first, kernel, padding=half) + own
        out: Tensor = self.aggr(x)
        return out


class ConvFFN(nn.Module):
    """Pointwise convolutions around a depthwise one."""

    def __init__(self, dim: int, ratio: float) -> None:
        super().__init__()
        hidden = int(dim * ratio)
        self.proj = nn.Conv2d(dim, hidden, 1)
        self.dwc = nn.Conv2d(hidden, hidden, 3, padding=1, groups=hidden)
        self.aggr = nn.Conv2d(hidden, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.gelu(self.proj(x))
        x = F.gelu(self.dwc(x)) + x
        out: Tensor = self.aggr(x)
        return out


class WindowAttention(nn.Module):
    """Attention in padded windows; where each pair of tokens finds its bias is kept as a table of int64."""

    def __init__(self, dim: int, side: int, heads: int, *, fused: bool) -> None:
        super().__init__()
        self.side, self.heads, self.fused = side, heads, fused
        self.to_qkv, self.to_out = nn.Conv2d(dim, dim * 3, 1), nn.Conv2d(dim, dim, 1)
        self.relative_position_bias = nn.Parameter(torch.empty(heads, (2 * side - 1) ** 2))
        table = torch.empty(heads * side**4, 2, dtype=torch.int64)
        self.register_buffer("rpe_idxs", table, persistent=False)  # a plain attribute there

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        side, tokens = self.side, self.side**2
        x = F.pad(x, (0, -width % side, 0, -height % side), mode="reflect")
        b, c, h, w = x.shape
        qkv = self.to_qkv(x)
        dtype = qkv.dtype
        qkv = qkv.view(b, 3, self.heads, c // self.heads, h // side, side, w // side, side)
        qkv = qkv.permute(1, 0, 4, 6, 2, 5, 7, 3).reshape(3, -1, self.heads, tokens, c // self.heads)
        q, k, v = qkv[0], qkv[1], qkv[2]
        table = self.get_buffer("rpe_idxs")
        bias = self.relative_position_bias[table[:, 0], table[:, 1]]
        bias = bias.reshape(1, self.heads, tokens, tokens)
        if self.fused:
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        else:
            score = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
            score = score + bias
            out = score.softmax(dim=-1) @ v
        out = out.view(b, h // side, w // side, self.heads, side, side, c // self.heads)
        out = out.permute(0, 3, 6, 1, 4, 2, 5).reshape(b, c, h, w)
        result: Tensor = self.to_out(out.to(dtype)[:, :, :height, :width])
        return result


class Block(nn.Module):
    """Attention once, then convolutions in its place."""

    def __init__(
        self, dim: int, part: int, convs: int, window: tuple[int, int], *, ratio: float, fused: bool,
        norms: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        self.ln_proj, self.ln_attn, self.ln_out = LayerNorm(dim), LayerNorm(dim), LayerNorm(dim)
        self.proj = ConvFFN(dim, 2)
        self.attn = WindowAttention(dim, *window, fused=fused)
        self.lns = nn.ModuleList(LayerNorm(dim) if norms else nn.Identity() for _ in range(convs))
        self.pconvs = nn.ModuleList(ConvAttention(dim, part) for _ in range(convs))
        self.convffns = nn.ModuleList(ConvFFN(dim, ratio) for _ in range(convs))
        self.conv_out = conv3(dim, dim)

    def forward(self, x: Tensor, kernel: Tensor) -> Tensor:
        skip = x
        x = self.ln_proj(x)
        x = self.proj(x)
        x = x + self.attn(self.ln_attn(x))
        for norm, pconv, convffn in zip(self.lns, self.pconvs, self.convffns, strict=True):
            x = x + pconv(convffn(norm(x)), kernel)
        x = self.conv_out(self.ln_out(x))
        return x + skip


class ESC(nn.Module):
    """Blocks that share one large kernel, in a residual; the head for real images or the plain one."""

    def __init__(
        self,
        *,
        dim: Positive = 64,
        pdim: Positive = 16,
        kernel_size: Positive = 13,
        n_blocks: Positive = 5,
        conv_blocks: Positive = 5,
        window_size: Positive = 32,
        num_heads: Positive = 4,
        scale: Positive = 4,
        upscaling_factor: Positive | None = None,
        exp_ratio: float = 1.25,
        attn_type: str = "sdpa",
        is_fp: bool = False,
        use_dysample: bool = True,
        realsr: bool = True,
    ) -> None:
        super().__init__()
        kind = attn_type.lower()
        if is_fp or kind not in {"sdpa", "naive"} or (realsr and not use_dysample):
            raise CannotTraceError("esc with is_fp, flex attention or without DySample")
        if use_dysample and not realsr:
            raise ValueError("DySample can only be enabled on esc_real.")
        self.scale, self.realsr = upscaling_factor or scale, realsr
        self.proj, self.last = conv3(3, dim), conv3(dim, dim)
        self.plk_filter = nn.Parameter(torch.empty(pdim, pdim, kernel_size, kernel_size))
        self.blocks = nn.ModuleList(
            Block(
                dim, pdim, conv_blocks, (window_size, num_heads),
                ratio=exp_ratio, fused=kind == "sdpa", norms=realsr,
            )
            for _ in range(n_blocks)
        )  # fmt: skip
        wide = dim * 2
        self.to_img = DySample(dim, self.scale, GROUPS, 3) if realsr else conv3(dim, 3 * self.scale**2)
        self.skip = nn.Sequential(
            nn.Conv2d(3, wide, 1),
            nn.Conv2d(wide, wide, 7, padding=3, groups=wide, padding_mode="reflect"),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(wide, dim, 1),
        ) if realsr else nn.Identity()  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        feat = self.proj(x)
        skip = feat
        kernel = self.kernel()
        for block in self.blocks:
            feat = block(feat, kernel)
        summed = self.last(feat) + skip
        if self.realsr:
            out: Tensor = self.to_img(summed + self.skip(x))
            return out
        repeated = torch.repeat_interleave(x, self.scale**2, dim=1)
        return F.pixel_shuffle(self.to_img(summed) + repeated, self.scale)

    def kernel(self) -> Tensor:
        """Return the mean of the kernel's eight turns and mirror images."""
        turned = torch.rot90(self.plk_filter, -1, [2, 3])
        total = torch.zeros_like(self.plk_filter)
        for kernel in (self.plk_filter, turned):
            total = total + kernel + kernel.flip([3]) + kernel.flip([2]) + kernel.flip([2, 3])
        return total / 8


def esc_light(*, scale: Positive = 4, attn_type: str = "sdpa") -> nn.Module:
    """Return ESC with three blocks."""
    return ESC(n_blocks=3, scale=scale, attn_type=attn_type)


def esc_large(*, scale: Positive = 4, attn_type: str = "sdpa") -> nn.Module:
    """Return ESC with ten blocks and wider feed-forward networks."""
    return ESC(n_blocks=10, exp_ratio=2.0, scale=scale, attn_type=attn_type)

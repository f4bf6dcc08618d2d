# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GLF-CR's RDN_residual_CR: SAR-guided cloud removal, two streams with window attention, per-pixel kernels.

Source: xufangchn/GLF-CR d55611a and mohit-epic/glf-crP dd16b95 (layers, constants and parameter counts).
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive

BUILDERS = {"glfcr:RDN_residual_CR": "RDN_residual_CR"}

OPTICAL_BANDS, SAR_BANDS = 13, 2
WIDTH, GROWTH, STAGES, CONVS = 96, 48, 6, 5
HEADS, WINDOW, KERNEL = 8, 8, 5
LEAK = 0.1


class KernelConv(torch.autograd.Function):
    """The CUDA operator KernelConv2D: keeps its padded input and the kernels, allocates both gradients."""

    @staticmethod
    def forward(ctx: Any, padded: Tensor, kernels: Tensor) -> Tensor:
        ctx.save_for_backward(padded, kernels)
        b, c, h, w = padded.shape
        return padded.new_empty(b, c, h - KERNEL + 1, w - KERNEL + 1)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        padded, kernels = ctx.saved_tensors
        grad.contiguous()
        return torch.zeros_like(padded), torch.zeros_like(kernels)


def filter_per_pixel(x: Tensor, kernels: Tensor, operator: str) -> Tensor:
    """Apply one KERNEL x KERNEL filter per pixel and channel; `kernels` is (batch, channels x 25, h, w)."""
    b, c, h, w = x.shape
    padded = F.pad(x, (KERNEL // 2,) * 4, mode="replicate")
    if operator == "cuda":
        out: Tensor = KernelConv.apply(padded, kernels)
        return out
    columns = F.unfold(padded, KERNEL).view(b, c, KERNEL**2, h, w)
    return torch.sum(columns * kernels.view(b, c, KERNEL**2, h, w), 2)


class DropPath(nn.Module):
    """Stochastic depth: one Bernoulli value per sample."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.keep = 1 - rate

    def forward(self, x: Tensor) -> Tensor:
        mask = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(self.keep)
        return x * mask.div_(self.keep)


class Mlp(nn.Module):
    """Linear, GELU, linear at twice the width."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.fc1, self.act, self.fc2 = nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.fc2(self.act(self.fc1(x)))
        return result


class WindowAttention(nn.Module):
    """Attention of both streams over 8x8 windows; the optical scores are gated by the SAR scores."""

    def __init__(self) -> None:
        super().__init__()
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * WINDOW - 1) ** 2, HEADS))
        self.register_buffer("relative_position_index", torch.zeros(WINDOW**2, WINDOW**2, dtype=torch.int64))
        self.qkv, self.qkv_SAR = nn.Linear(GROWTH, 3 * GROWTH), nn.Linear(GROWTH, 3 * GROWTH)
        self.attn_fuse_1x1conv = nn.Conv2d(HEADS, HEADS, 1)
        self.proj, self.proj_SAR = nn.Linear(GROWTH, GROWTH), nn.Linear(GROWTH, GROWTH)
        self.softmax = nn.Softmax(dim=-1)

    def _scores(self, x: Tensor, qkv: nn.Linear) -> tuple[Tensor, Tensor]:
        b, n, c = x.shape
        q, k, v = qkv(x).reshape(b, n, 3, HEADS, c // HEADS).permute(2, 0, 3, 1, 4).unbind(0)
        q = q * (c // HEADS) ** -0.5
        return q @ k.transpose(-2, -1), v

    def _masked(self, scores: Tensor, mask: Tensor) -> Tensor:
        b, _, n, _ = scores.shape
        windows = mask.shape[0]
        scores = scores.view(b // windows, windows, HEADS, n, n) + mask.unsqueeze(1).unsqueeze(0)
        return scores.view(-1, HEADS, n, n)

    def forward(self, x: Tensor, x_sar: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        b, n, c = x.shape
        scores, v = self._scores(x, self.qkv)
        scores_sar, v_sar = self._scores(x_sar, self.qkv_SAR)
        index = self.get_buffer("relative_position_index").view(-1)
        bias = self.relative_position_bias_table[index].view(n, n, -1).permute(2, 0, 1).contiguous()
        scores = scores + bias.unsqueeze(0)
        scores_sar = scores_sar + bias.unsqueeze(0)
        if mask is not None:
            scores, scores_sar = self._masked(scores, mask), self._masked(scores_sar, mask)
        difference = self.attn_fuse_1x1conv(scores_sar - scores)
        gate = torch.sigmoid(difference)
        scores = scores + (scores_sar - scores) * gate
        scores = self.softmax(scores)
        scores_sar = self.softmax(scores_sar)
        x = (scores @ v).transpose(1, 2).reshape(b, n, c)
        x_sar = (scores_sar @ v_sar).transpose(1, 2).reshape(b, n, c)
        return self.proj(x), self.proj_SAR(x_sar)


def partition(x: Tensor) -> Tensor:
    """(b, h, w, c) -> (windows x b, WINDOW^2, c), copied."""
    b, h, w, c = x.shape
    x = x.view(b, h // WINDOW, WINDOW, w // WINDOW, WINDOW, c)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, WINDOW**2, c)


def reverse(windows: Tensor, h: int, w: int) -> Tensor:
    """Undo `partition`."""
    x = windows.view(-1, h // WINDOW, w // WINDOW, WINDOW, WINDOW, windows.shape[-1])
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, h, w, windows.shape[-1])


class DenseConv(nn.Module):
    """RDB_Conv: a 3x3 convolution per stream, attention between the streams, an MLP, concatenation."""

    def __init__(self, cin: int, side: int, shift: int, drop_path: float) -> None:
        super().__init__()
        self.shift = shift
        self.conv = nn.Sequential(nn.Conv2d(cin, GROWTH, 3, padding=1), nn.ReLU())
        self.conv_SAR = nn.Sequential(nn.Conv2d(cin, GROWTH, 3, padding=1), nn.ReLU())
        self.attn = WindowAttention()
        self.drop_path: nn.Module = DropPath(drop_path) if drop_path > 0 else nn.Identity()
        self.drop_path_SAR: nn.Module = DropPath(drop_path) if drop_path > 0 else nn.Identity()
        self.norm2, self.norm2_SAR = nn.LayerNorm(GROWTH), nn.LayerNorm(GROWTH)
        self.mlp, self.mlp_SAR = Mlp(GROWTH), Mlp(GROWTH)
        mask = torch.zeros((side // WINDOW) ** 2, WINDOW**2, WINDOW**2) if shift else None
        self.register_buffer("attn_mask", mask)

    def _rolled(self, x: Tensor, step: int) -> Tensor:
        return torch.roll(x, shifts=(step, step), dims=(1, 2)) if self.shift else x

    def _tokens(
        self, shortcut: Tensor, attended: Tensor, drop: nn.Module, norm: nn.Module, mlp: nn.Module
    ) -> Tensor:
        x = shortcut + drop(attended)
        result: Tensor = x + drop(mlp(norm(x)))
        return result

    def forward(self, streams: list[Tensor]) -> list[Tensor]:
        optical, sar = streams
        b, _, h, w = optical.shape
        short = self.conv(optical).flatten(2).transpose(1, 2)
        short_sar = self.conv_SAR(sar).flatten(2).transpose(1, 2)
        windows = partition(self._rolled(short.view(b, h, w, GROWTH), -self.shift))
        windows_sar = partition(self._rolled(short_sar.view(b, h, w, GROWTH), -self.shift))
        mixed, mixed_sar = self.attn(windows, windows_sar, self.attn_mask)
        x = self._rolled(reverse(mixed, h, w), self.shift).view(b, h * w, GROWTH)
        x_sar = self._rolled(reverse(mixed_sar, h, w), self.shift).view(b, h * w, GROWTH)
        x = self._tokens(short, x, self.drop_path, self.norm2, self.mlp)
        x_sar = self._tokens(short_sar, x_sar, self.drop_path_SAR, self.norm2_SAR, self.mlp_SAR)
        return [
            torch.cat((optical, x.transpose(1, 2).view(b, GROWTH, h, w)), 1),
            torch.cat((sar, x_sar.transpose(1, 2).view(b, GROWTH, h, w)), 1),
        ]


class ResidualDenseBlock(nn.Module):
    """RDB: five DenseConvs (every second one shifted) and a local fusion per stream."""

    def __init__(self, side: int, drop_path: list[float]) -> None:
        super().__init__()
        self.convs = nn.Sequential(
            *(
                DenseConv(WIDTH + c * GROWTH, side, WINDOW // 2 if c % 2 else 0, drop_path[c])
                for c in range(CONVS)
            )
        )
        self.LFF = nn.Conv2d(WIDTH + CONVS * GROWTH, WIDTH, 3, padding=1)
        self.LFF_SAR = nn.Conv2d(WIDTH + CONVS * GROWTH, WIDTH, 3, padding=1)

    def forward(self, streams: list[Tensor]) -> list[Tensor]:
        x, x_sar = self.convs(streams)
        return [self.LFF(x) + streams[0], self.LFF_SAR(x_sar) + streams[1]]


class ResnetBlock(nn.Module):
    """Two 3x3 convolutions around an in-place leaky ReLU, plus the input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1), nn.LeakyReLU(LEAK, inplace=True),
            nn.Conv2d(width, width, 3, padding=1),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.stem(x) + x
        return result


class DynamicFilters(nn.Module):
    """DFG: predicts a 5x5 kernel per pixel and channel from both streams: the largest tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.fac_warp = nn.Sequential(
            nn.Sequential(nn.Conv2d(2 * WIDTH, WIDTH, 3, padding=1), nn.LeakyReLU(LEAK, inplace=True)),
            ResnetBlock(WIDTH), ResnetBlock(WIDTH),
            nn.Sequential(nn.Conv2d(WIDTH, WIDTH * KERNEL**2, 1), nn.LeakyReLU(LEAK, inplace=True)),
        )  # fmt: skip

    def forward(self, optical: Tensor, sar: Tensor) -> Tensor:
        result: Tensor = self.fac_warp(torch.cat([optical, sar], 1))
        return result


class RDN_residual_CR(nn.Module):
    """(batch, 13, s, s) cloudy and (batch, 2, s, s) SAR -> (batch, 13, s, s); `crop` fixes the mask sizes."""

    def __init__(self, crop: Positive = 128, operator: Literal["cuda", "python"] = "cuda") -> None:
        super().__init__()
        side, self.operator = crop // 2, operator
        rates = [float(i) * 0.2 / (STAGES * CONVS - 1) for i in range(STAGES * CONVS)]
        self.SFENet1 = nn.Conv2d(4 * OPTICAL_BANDS, WIDTH, 5, padding=2)
        self.SFENet2 = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.SFENet1_SAR = nn.Conv2d(4 * SAR_BANDS, WIDTH, 5, padding=2)
        self.SFENet2_SAR = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.RDBs = nn.ModuleList(
            ResidualDenseBlock(side, rates[CONVS * i : CONVS * (i + 1)]) for i in range(STAGES)
        )
        self.DF = nn.ModuleList(DynamicFilters() for _ in range(STAGES))
        self.sar_fuse_1x1conv = nn.ModuleList(nn.Conv2d(WIDTH, WIDTH, 1) for _ in range(STAGES))
        self.opt_distribute_1x1conv = nn.ModuleList(nn.Conv2d(WIDTH, WIDTH, 1) for _ in range(STAGES))
        self.GFF = nn.Sequential(nn.Conv2d(STAGES * WIDTH, WIDTH, 1), nn.Conv2d(WIDTH, WIDTH, 3, padding=1))
        self.UPNet = nn.Sequential(
            nn.Conv2d(WIDTH, 256, 3, padding=1),
            nn.PixelShuffle(2),
            nn.Conv2d(64, OPTICAL_BANDS, 3, padding=1),
        )

    def _fuse(self, stage: int, x: Tensor, x_sar: Tensor) -> tuple[Tensor, Tensor]:
        kernels = self.DF[stage](x, x_sar)
        warped = filter_per_pixel(x_sar, kernels, self.operator)
        gate = torch.sigmoid(self.sar_fuse_1x1conv[stage](warped - x))
        x = x + (warped - x) * gate
        gate = torch.sigmoid(self.opt_distribute_1x1conv[stage](x - warped))
        return x, warped + (x - warped) * gate

    def forward(self, cloudy: Tensor, sar: Tensor) -> Tensor:
        x0 = self.SFENet1(F.pixel_unshuffle(cloudy, 2))
        x = self.SFENet2(x0)
        x_sar = self.SFENet2_SAR(self.SFENet1_SAR(F.pixel_unshuffle(sar, 2)))
        outputs = []
        for stage, block in enumerate(self.RDBs):
            x, x_sar = block([x, x_sar])
            x, x_sar = self._fuse(stage, x, x_sar)
            outputs.append(x)
        x = self.GFF(torch.cat(outputs, 1))
        x += x0
        result: Tensor = self.UPNet(x) + cloudy
        return result

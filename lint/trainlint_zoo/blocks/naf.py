# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2022 megvii-model
# SPDX-License-Identifier: MIT

"""Blocks without activations: gates, simplified channel attention, a norm over channels.

Source: megvii-research/NAFNet 2b4af71, basicsr/models/archs/{NAFNet,Baseline,local}_arch.py.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError


class ChannelNorm(torch.autograd.Function):
    """Layer normalization over channels that keeps the normalized map, the variance and the weight."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        ctx.eps = eps
        mean = x.mean(1, keepdim=True)
        variance = (x - mean).pow(2).mean(1, keepdim=True)
        y = (x - mean) / (variance + eps).sqrt()
        ctx.save_for_backward(y, variance, weight)
        return weight.view(1, -1, 1, 1) * y + bias.view(1, -1, 1, 1)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        y, variance, weight = ctx.saved_tensors
        g = grad * weight.view(1, -1, 1, 1)
        mean_g = g.mean(dim=1, keepdim=True)
        mean_gy = (g * y).mean(dim=1, keepdim=True)
        gx = 1.0 / torch.sqrt(variance + ctx.eps) * (g - y * mean_gy - mean_g)
        gw = (grad * y).sum(dim=3).sum(dim=2).sum(dim=0)
        return gx, gw, grad.sum(dim=3).sum(dim=2).sum(dim=0), None


class LayerNorm2d(nn.Module):
    """Channel normalization with weight and bias."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels))
        self.bias = nn.Parameter(torch.empty(channels))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = ChannelNorm.apply(x, self.weight, self.bias, 1e-6)
        return out


class Block(nn.Module):
    """What both blocks share: layers are registered in the published order, forward by the subclass."""

    def __init__(self, c: int, wide: int, gated: int, ffn: int, *, name: str, attention: nn.Module) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(c, wide, 1)
        self.conv2 = nn.Conv2d(wide, wide, 3, padding=1, groups=wide)
        self.conv3 = nn.Conv2d(wide // gated, c, 1)
        self.add_module(name, attention)
        self.conv4 = nn.Conv2d(c, ffn, 1)
        self.conv5 = nn.Conv2d(ffn // gated, c, 1)
        self.norm1 = LayerNorm2d(c)
        self.norm2 = LayerNorm2d(c)
        self.beta = nn.Parameter(torch.empty(1, c, 1, 1))
        self.gamma = nn.Parameter(torch.empty(1, c, 1, 1))


class NAFBlock(Block):
    """Gates instead of activations, attention by channel means."""

    sca: nn.Sequential

    def __init__(self, c: int) -> None:
        attention = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(c, c, 1))
        super().__init__(c, 2 * c, 2, 2 * c, name="sca", attention=attention)

    @staticmethod
    def gate(x: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=1)
        return a * b

    def forward(self, inp: Tensor) -> Tensor:
        x = inp
        x = self.norm1(x)
        x = self.conv1(x)
        x = self.conv2(x)
        x = self.gate(x)
        x = x * self.sca(x)
        x = self.conv3(x)
        y = inp + x * self.beta
        x = self.conv4(self.norm2(y))
        x = self.gate(x)
        x = self.conv5(x)
        out: Tensor = y + x * self.gamma
        return out


class LocalPool(nn.Module):
    """Mean over a window, by integral images; over the whole map where the window covers it."""

    def __init__(self, kernel: tuple[int, int]) -> None:
        super().__init__()
        self.kernel = kernel

    def forward(self, x: Tensor) -> Tensor:
        h, w = x.shape[2:]
        if self.kernel[0] >= h and self.kernel[1] >= w:
            return F.adaptive_avg_pool2d(x, 1)
        sums = x.cumsum(dim=-1).cumsum_(dim=-2)
        sums = F.pad(sums, (1, 0, 1, 0))
        a, b = min(h, self.kernel[0]), min(w, self.kernel[1])
        corners = sums[:, :, :-a, :-b], sums[:, :, :-a, b:], sums[:, :, a:, :-b], sums[:, :, a:, b:]
        out = corners[3] + corners[0] - corners[1] - corners[2]
        out = out / (a * b)
        dh, dw = h - out.shape[2], w - out.shape[3]
        return F.pad(out, (dw // 2, (dw + 1) // 2, dh // 2, (dh + 1) // 2), mode="replicate")


def refuse_fast(fast_imp: bool) -> None:
    """Say that the approximate pooling is not modeled."""
    if fast_imp:
        raise CannotTraceError("fast_imp pooling is not modeled")


def refuse_dropout(rate: float) -> None:
    """Say that dropout inside the blocks is not modeled."""
    if rate:
        raise CannotTraceError("drop_out_rate is not modeled")

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2022 Fried Rice Lab
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""EMT: pixel mixers and attention in striped windows, with shifted convolutions as feed-forward networks.

Source: the-database/traiNNer-redux, traiNNer/archs/emt_arch.py (8042a159).
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.windows import UpsampleOneStep
from trainlint_zoo.blocks.residual import Upsample
from trainlint_zoo.blocks.sampling import MeanShift, conv3
from trainlint_zoo.blocks.shift_conv import ShiftConv2d

BUILDERS = {"trainner-redux:emt": "EMT"}

WINDOWS = ([32, 8], [8, 32])
SHIFTS = ([16, 4], [4, 16])


class Swish(torch.autograd.Function):
    """x sigmoid(x) that keeps x alone and computes the sigmoid again."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        result = x * torch.sigmoid(x)
        ctx.save_for_backward(x)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        gate = torch.sigmoid(x)
        out: Tensor = grad * (gate * (1 + x * (1 - gate)))
        return out


class Mlp(nn.Module):
    """Shifted convolution, swish, shifted convolution."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.fc1 = ShiftConv2d(dim, hidden)
        self.fc2 = ShiftConv2d(hidden, dim)

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc1(x)
        x = Swish.apply(x)
        out: Tensor = self.fc2(x)
        return out


class TokenMixer(nn.Module):
    """What neighboring pixels differ by, normalized."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.mask = nn.Parameter(torch.empty(dim, 1, 3, 3), requires_grad=False)
        self.norm = nn.BatchNorm2d(dim)

    def forward(self, x: Tensor) -> Tensor:
        around = F.pad(x, (1, 1, 1, 1), mode="circular")
        mixed = F.conv2d(around, self.mask, None, groups=len(self.mask))
        del around
        out: Tensor = self.norm(mixed - x)
        return out


class SWSA(nn.Module):
    """Attention without a key projection, in windows of one shape per part of the channels."""

    def __init__(
        self, dim: int, heads: int, windows: tuple[list[int], ...], shifts: tuple[list[int], ...] | None
    ) -> None:
        super().__init__()
        self.heads, self.windows = heads, windows
        self.shifts = shifts or tuple([0, 0] for _ in windows)
        self.attn = nn.Sequential(nn.Conv2d(dim, dim * 2, 1), nn.BatchNorm2d(dim * 2))
        self.proj = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        qkv = self.attn(x)
        outputs = []
        parts = torch.split(qkv, qkv.shape[1] // len(self.windows), dim=1)
        for part, (rows, columns), shift in zip(parts, self.windows, self.shifts, strict=True):
            height, width = part.shape[2:]
            part = F.pad(part, (0, -width % columns, 0, -height % rows), "reflect")  # noqa: PLW2901 - reusing the name frees the tensor of the step before
            if any(shift):
                part = torch.roll(part, shifts=shift, dims=(2, 3))  # noqa: PLW2901 - as above
            output = self.attend(part, rows, columns)
            if any(shift):
                output = torch.roll(output, shifts=[-by for by in shift], dims=(2, 3))
            outputs.append(output[:, :, :height, :width])
        out: Tensor = self.proj(torch.cat(outputs, dim=1))
        return out

    def attend(self, x: Tensor, rows: int, columns: int) -> Tensor:
        """Mix (b, 2 c, h, w) within its windows."""
        b, c, h, w = x.shape
        c //= 2 * self.heads
        x = x.reshape(b, 2, self.heads, c, h // rows, rows, w // columns, columns)
        q, v = x.permute(1, 0, 2, 4, 6, 5, 7, 3).reshape(2, -1, rows * columns, c)
        attn = q @ q.transpose(-2, -1)
        attn = F.softmax(attn, dim=-1)
        y = (attn @ v).reshape(b, self.heads, h // rows, w // columns, rows, columns, c)
        out: Tensor = y.permute(0, 1, 6, 2, 4, 3, 5).reshape(b, self.heads * c, h, w)
        return out


class MixedBlock(nn.Module):
    """Layers of a mixer and a feed-forward network; the first few mix by attention."""

    def __init__(self, layers: list[nn.Module], dim: int, hidden: int) -> None:
        super().__init__()
        self.sa_list = nn.ModuleList(layers)
        self.mlp_list = nn.ModuleList(Mlp(dim, hidden) for _ in layers)

    def forward(self, x: Tensor) -> Tensor:
        for mixer, mlp in zip(self.sa_list, self.mlp_list, strict=True):
            x = x + mixer(x)
            x = x + mlp(x)
        return x


class EMT(nn.Module):
    """Blocks in a long residual between mean shifts."""

    def __init__(
        self,
        *,
        scale: Positive = 4,
        num_in_ch: Positive = 3,
        num_out_ch: Positive = 3,
        upsampler: Literal["pixelshuffle", "pixelshuffledirect"] = "pixelshuffle",
        dim: Positive = 60,
        n_blocks: Positive = 6,
        n_layers: Positive = 6,
        num_heads: Positive = 3,
        mlp_ratio: Positive = 2,
        n_GTLs: Positive = 2,  # noqa: N803  the published name
        window_list: tuple[list[int], ...] = WINDOWS,
        shift_list: tuple[list[int], ...] = SHIFTS,
    ) -> None:
        super().__init__()
        self.sub_mean, self.add_mean = MeanShift(), MeanShift()
        self.head = conv3(num_in_ch, dim)

        def mixer(layer: int) -> nn.Module:
            if layer >= n_GTLs:
                return TokenMixer(dim)
            return SWSA(dim, num_heads, window_list, shift_list if layer % 2 else None)

        self.body = nn.Sequential(
            *(MixedBlock([mixer(i) for i in range(n_layers)], dim, dim * mlp_ratio) for _ in range(n_blocks))
        )
        self.tail: nn.Module = UpsampleOneStep(scale, dim, num_out_ch)
        if upsampler == "pixelshuffle":
            self.tail = nn.Sequential(*Upsample(scale, dim), conv3(dim, num_out_ch))

    def forward(self, x: Tensor) -> Tensor:
        sub = self.sub_mean(x)
        head = self.head(sub)
        body = self.body(head)
        body = body + head
        tail = self.tail(body)
        out: Tensor = self.add_mean(tail)
        return out

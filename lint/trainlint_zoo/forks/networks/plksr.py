# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 Dongheon Lee
# SPDX-License-Identifier: MIT

"""PLKSR: plain convolutions, and one of a large kernel on a part of the channels.

Source: dslisleedh/PLKSR 20504e8a, plksr/archs/plksr_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.large_kernel import ElementAttention, LargeKernel

BUILDERS = {"PLKSR": "PLKSR"}

KERNELS = {"CCM": (3, 1), "ICCM": (1, 3), "DCCM": (3, 3)}
"""Kernel sizes of the two convolutions of a channel mixer."""


class SparseKernels(nn.Module):
    """Dilated convolutions that represent a large one."""

    def __init__(self, dim: int, pairs: list[tuple[int, int]], largest: int | None, with_idt: bool) -> None:
        """`pairs`: kernel size and dilation; `largest`: least size of a further, undilated kernel, if any."""
        super().__init__()
        self.dim, self.with_idt = dim, with_idt
        convs = [nn.Conv2d(dim, dim, size, 1, size // 2 * by, dilation=by) for size, by in pairs]
        if largest is not None:
            size = max([largest, *((size - 1) * by + 1 for size, by in pairs)])
            convs.append(nn.Conv2d(dim, dim, size, 1, size // 2))
        self.convs = nn.ModuleList(convs)

    def forward(self, x: Tensor) -> Tensor:
        x1, x2 = torch.split(x, [self.dim, x.size(1) - self.dim], dim=1)
        out: Any = x1 if self.with_idt else 0.0  # a tensor from the first convolution on
        for conv in self.convs:
            out = out + conv(x1)
        return torch.cat([out, x2], dim=1)


class RectangleKernels(nn.Module):
    """A lying, an upright and a small kernel, summed."""

    def __init__(self, dim: int, kernel: int) -> None:
        super().__init__()
        self.dim = dim
        m, n = kernel, kernel // 3
        self.mn_conv = nn.Conv2d(dim, dim, (m, n), 1, (m // 2, n // 2))
        self.nm_conv = nn.Conv2d(dim, dim, (n, m), 1, (n // 2, m // 2))
        self.nn_conv = nn.Conv2d(dim, dim, (n, n), 1, (n // 2, n // 2))

    def forward(self, x: Tensor) -> Tensor:
        x1, x2 = x[:, : self.dim], x[:, self.dim :]
        x1 = self.mn_conv(x1) + self.nm_conv(x1) + self.nn_conv(x1)
        if self.training:
            return torch.cat([x1, x2], dim=1)
        x[:, : self.dim] = x1
        return x


class Block(nn.Module):
    """Channel mixer, large kernel, gate and a 1x1 convolution in a residual."""

    def __init__(self, dim: int, ccm_type: str, large: nn.Module, *, use_ea: bool) -> None:
        super().__init__()
        first, second = KERNELS[ccm_type]
        self.channe_mixer = nn.Sequential(  # the published spelling
            nn.Conv2d(dim, dim * 2, first, 1, first // 2),
            nn.GELU(),
            nn.Conv2d(dim * 2, dim, second, 1, second // 2),
        )
        self.lk = large
        self.attn = ElementAttention(dim) if use_ea else nn.Identity()
        self.refine = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        x_skip = x
        x = self.channe_mixer(x)
        x = self.lk(x)
        x = self.attn(x)
        x = self.refine(x)
        return x + x_skip


class PLKSR(nn.Module):
    """Blocks at the input's size, the repeated input added, one pixel shuffle."""

    def __init__(
        self,
        *,
        dim: Positive,
        n_blocks: Positive,
        upscaling_factor: Positive,
        ccm_type: str,
        kernel_size: Positive,
        split_ratio: float,
        lk_type: str = "PLK",
        use_max_kernel: bool = False,
        sparse_kernels: Sequence[int] = (5, 5, 5, 5),
        sparse_dilations: Sequence[int] = (1, 2, 3, 4),
        with_idt: bool = False,
        use_ea: bool = True,
        is_coreml: bool = False,
    ) -> None:
        super().__init__()
        del is_coreml  # the repetition, written out for another library
        if ccm_type not in KERNELS:
            raise ValueError(f"Unknown CCM type: {ccm_type}")
        part = int(dim * split_ratio)

        def large() -> nn.Module:
            if lk_type == "PLK":
                return LargeKernel(part, kernel_size, with_idt)
            if lk_type == "SparsePLK":
                pairs = list(zip(sparse_kernels, sparse_dilations, strict=False))
                return SparseKernels(part, pairs, kernel_size if use_max_kernel else None, with_idt)
            if lk_type == "RectSparsePLK":
                return RectangleKernels(part, kernel_size)
            raise ValueError(f"Unknown LK type: {lk_type}")

        blocks = (Block(dim, ccm_type, large(), use_ea=use_ea) for _ in range(n_blocks))
        self.feats = nn.Sequential(
            nn.Conv2d(3, dim, 3, 1, 1), *blocks, nn.Conv2d(dim, 3 * upscaling_factor**2, 3, 1, 1)
        )
        self.to_img = nn.PixelShuffle(upscaling_factor)
        self.times = upscaling_factor**2

    def forward(self, x: Tensor) -> Tensor:
        x = self.feats(x) + torch.repeat_interleave(x, repeats=self.times, dim=1)
        out: Tensor = self.to_img(x)
        return out

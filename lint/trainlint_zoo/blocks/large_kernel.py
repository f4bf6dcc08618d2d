# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 Dongheon Lee
# SPDX-License-Identifier: MIT

"""A large kernel over a part of the channels, and attention per element.

Source: dslisleedh/PLKSR 20504e8a, plksr/archs/plksr_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class LargeKernel(nn.Module):
    """One convolution on the first channels; written into the input where nothing is trained."""

    def __init__(self, dim: int, kernel: int, with_idt: bool) -> None:
        super().__init__()
        self.dim, self.with_idt = dim, with_idt
        self.conv = nn.Conv2d(dim, dim, kernel, 1, kernel // 2)

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            x1, x2 = torch.split(x, [self.dim, x.size(1) - self.dim], dim=1)
            x1 = self.conv(x1) + x1 if self.with_idt else self.conv(x1)
            return torch.cat([x1, x2], dim=1)
        part = x[:, : self.dim]
        x[:, : self.dim] = part + self.conv(part) if self.with_idt else self.conv(part)
        return x


class ElementAttention(nn.Module):
    """Scale every element by a gate."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(dim, dim, 3, 1, 1), nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x * self.f(x)
        return out

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: SPAN authors
# SPDX-FileCopyrightText: spandrel authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Three convolutions that become one after training, and attention without parameters made of them.

Source: chaiNNer-org/spandrel 0.4 (architectures/SPAN), which traiNNer-redux trains.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

GAIN = 2


class Conv3XC(nn.Module):
    """1x1, 3x3 and 1x1 next to a 1x1 skip; `eval_conv` is their fusion and never gets a gradient.

    Every inference fuses again and keeps the fused weight twice: as it was computed, and made contiguous.
    """

    fused: Tensor | None = None

    def __init__(self, c_in: int, c_out: int, *, gain: int = GAIN, bias: bool = True) -> None:
        super().__init__()
        self.sk = nn.Conv2d(c_in, c_out, 1, bias=bias)
        self.conv = nn.Sequential(
            nn.Conv2d(c_in, c_in * gain, 1, bias=bias),
            nn.Conv2d(c_in * gain, c_out * gain, 3, bias=bias),
            nn.Conv2d(c_out * gain, c_out, 1, bias=bias),
        )
        self.eval_conv = nn.Conv2d(c_in, c_out, 3, padding=1, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            padded = F.pad(x, (1, 1, 1, 1), "constant", 0)
            out: Tensor = self.conv(padded) + self.sk(x)
        else:
            self.fused = torch.empty_like(self.eval_conv.weight)
            out = self.eval_conv(x)
        return out


class SPAB(nn.Module):
    """Three convolutions whose result, squashed, gates itself."""

    def __init__(self, channels: int, *, bias: bool = True) -> None:
        super().__init__()
        self.c1_r = Conv3XC(channels, channels, bias=bias)
        self.c2_r = Conv3XC(channels, channels, bias=bias)
        self.c3_r = Conv3XC(channels, channels, bias=bias)
        self.act1 = nn.SiLU(inplace=True)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        out1 = self.c1_r(x)
        act1 = self.act1(out1)
        out2 = self.c2_r(act1)
        act2 = self.act1(out2)
        out3 = self.c3_r(act2)
        attention = torch.sigmoid(out3) - 0.5
        out = (out3 + x) * attention
        return out, out1, attention

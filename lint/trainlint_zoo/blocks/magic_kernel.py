# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ParagonSR2 authors
# SPDX-License-Identifier: MIT

"""Magic Kernel Sharp: the fixed (frozen) separable upsampler that every ParagonSR2 shares.

Source: Phhofm/ParagonSR2 921e57d1 (kernel lengths 7 and 5, horizontal then vertical, depthwise).
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

BUILDERS: dict[str, str] = {}

SHARPEN_TAPS, BLUR_TAPS = 7, 5


class Separable(nn.Module):
    """A frozen depthwise 1xk convolution, then kx1."""

    def __init__(self, channels: int, taps: int, *, buffer: bool) -> None:
        super().__init__()
        side = taps // 2
        self.h = nn.Conv2d(channels, channels, (1, taps), padding=(0, side), groups=channels, bias=False)
        self.v = nn.Conv2d(channels, channels, (taps, 1), padding=(side, 0), groups=channels, bias=False)
        if buffer:
            self.register_buffer("kernel", self.h.weight.new_zeros(taps))
        self.requires_grad_(requires_grad=False)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.v(self.h(x))
        return result


class MagicUpsample(nn.Module):
    """Sharpen (blended by alpha), nearest to the output size, blur."""

    def __init__(self, channels: int, scale: int, alpha: float, *, buffers: bool = False) -> None:
        super().__init__()
        self.scale, self.alpha = scale, alpha
        self.sharpen = Separable(channels, SHARPEN_TAPS, buffer=buffers)
        self.resample = Separable(channels, BLUR_TAPS, buffer=buffers)

    def forward(self, x: Tensor) -> Tensor:
        if self.alpha > 0:
            x = x + self.alpha * (self.sharpen(x) - x)
        result: Tensor = self.resample(F.interpolate(x, scale_factor=self.scale, mode="nearest"))
        return result

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Building blocks that restoration networks share, with BasicSR's module names and in-place operations.

Source: XPixelGroup/BasicSR, basicsr/archs/arch_util.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

RGB_MEAN = (0.4488, 0.4371, 0.4040)
"""DIV2K's mean color."""


def image_mean(values: Sequence[float] | None) -> Tensor:
    """Return the mean as (1, c, 1, 1) on the CPU: an attribute that the first forward moves to the GPU."""
    if values is None:
        return torch.zeros(1, 1, 1, 1, device="cpu")
    return torch.tensor(tuple(values), device="cpu").view(1, len(values), 1, 1)


def pixel_unshuffle(x: Tensor, scale: int) -> Tensor:
    """(b, c, h, w) -> (b, c x scale^2, h / scale, w / scale)."""
    b, c, h, w = x.shape
    cells = x.view(b, c, h // scale, scale, w // scale, scale)
    return cells.permute(0, 1, 3, 5, 2, 4).reshape(b, c * scale**2, h // scale, w // scale)


class ResidualBlockNoBN(nn.Module):
    """Convolution, in-place ReLU, convolution, scaled and added to the input."""

    def __init__(self, num_feat: int, res_scale: float = 1) -> None:
        super().__init__()
        self.res_scale = res_scale
        self.conv1 = nn.Conv2d(num_feat, num_feat, 3, 1, 1)
        self.conv2 = nn.Conv2d(num_feat, num_feat, 3, 1, 1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.conv2(self.relu(self.conv1(x)))
        return x + out * self.res_scale


class Upsample(nn.Sequential):
    """Convolution and pixel shuffle: by 3 once, or by 2 as often as a power of two asks for."""

    def __init__(self, scale: int, num_feat: int) -> None:
        if scale == 3:
            steps = [3]
        elif scale & (scale - 1) == 0:
            steps = [2] * (scale.bit_length() - 1)
        else:
            raise ValueError(f"scale {scale} is not supported, expected 3 or a power of two")
        layers: list[nn.Module] = []
        for step in steps:
            layers += [nn.Conv2d(num_feat, step**2 * num_feat, 3, 1, 1), nn.PixelShuffle(step)]
        super().__init__(*layers)

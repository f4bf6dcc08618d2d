# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""The dense block of residual-in-residual networks.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/rrdbnet_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

RESIDUAL = 0.2


class DenseBlock(nn.Module):
    """Five convolutions, each on the concatenation of all before, which is kept for backward."""

    def __init__(self, num_feat: int, grow: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(num_feat, grow, 3, 1, 1)
        self.conv2 = nn.Conv2d(num_feat + grow, grow, 3, 1, 1)
        self.conv3 = nn.Conv2d(num_feat + 2 * grow, grow, 3, 1, 1)
        self.conv4 = nn.Conv2d(num_feat + 3 * grow, grow, 3, 1, 1)
        self.conv5 = nn.Conv2d(num_feat + 4 * grow, num_feat, 3, 1, 1)
        self.lrelu: nn.Module = nn.LeakyReLU(0.2, inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.lrelu(self.conv1(x))
        x2 = self.lrelu(self.conv2(torch.cat((x, x1), 1)))
        x3 = self.lrelu(self.conv3(torch.cat((x, x1, x2), 1)))
        x4 = self.lrelu(self.conv4(torch.cat((x, x1, x2, x3), 1)))
        x5: Tensor = self.conv5(torch.cat((x, x1, x2, x3, x4), 1))
        return x5 * RESIDUAL + x

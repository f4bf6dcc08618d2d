# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ELAN authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""A pointwise convolution of channels that were shifted by one pixel each way.

Source: the-database/traiNNer-redux, traiNNer/archs/elan_arch.py (28318b60).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class ShiftConv2d(nn.Module):
    """Shift a fifth of the channels each way by a frozen depthwise kernel, then 1x1."""

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(cin, 1, 3, 3), requires_grad=False)
        self.conv1x1 = nn.Conv2d(cin, cout, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = F.conv2d(x, self.weight, None, 1, 1, groups=len(self.weight))
        out: Tensor = self.conv1x1(y)
        return out

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ParagonSR2 authors
# SPDX-License-Identifier: MIT

"""A learnt gain per channel."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class LayerScale(nn.Module):
    """Per-channel gain, (1, dim, 1, 1)."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.full((1, dim, 1, 1), 1e-5))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gamma

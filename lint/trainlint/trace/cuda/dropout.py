# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Dropout as CUDA computes it: one kernel, which keeps a mask."""

from __future__ import annotations

import torch
from torch import Tensor


def dropout(x: Tensor, p: float, train: bool) -> Tensor:
    """CUDA's fused dropout: a mask of one byte per element (ATen/native/Dropout.cpp)."""
    if train and 0 < p < 1 and x.numel():
        return torch.native_dropout(x, p, train=True)[0]
    if not train or p == 0 or not x.numel():
        return x
    return x * torch.zeros((), dtype=x.dtype, device=x.device)

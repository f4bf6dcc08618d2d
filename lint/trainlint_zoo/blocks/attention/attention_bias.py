# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2023 Xiangyu Chen
# SPDX-License-Identifier: MIT AND Apache-2.0

"""The bias of an attention's pairs of tokens, from a table by their positions.

Source: XPixelGroup/HAT 0452e9d7, hat/archs/hat_arch.py.
"""

from __future__ import annotations

from torch import Tensor


def bias_of(table: Tensor, index: Tensor) -> Tensor:
    """Return the bias of every pair of tokens, (1, heads, queries, keys)."""
    bias = table[index.view(-1)].view(*index.shape, -1)
    return bias.permute(2, 0, 1).contiguous().unsqueeze(0)

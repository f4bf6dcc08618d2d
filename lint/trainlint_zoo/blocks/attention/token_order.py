# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: MambaIR authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Tokens in another order.

Source: csguoh/MambaIR dfb6653d and 1509232d, basicsr/archs/mambairv2_arch.py and mambairv2light_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor


def gather_tokens(x: Tensor, order: Tensor) -> Tensor:
    """Reorder the tokens of (b, n, c)."""
    return torch.gather(x, dim=1, index=order.unsqueeze(-1).expand(x.shape))

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shapes of sums with products that are wider than their factors (`out_dtype`): torch's own are wrong.

They take the type for a number. Read: pytorch 2.11, aten/src/ATen/native/native_functions.yaml (addmm.dtype,
baddbmm.dtype); torch 2.8 has these first.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor

OPERATORS: Final = ("addmm", "baddbmm")


def register(library: torch.library.Library) -> None:
    """Register shapes for those that this torch has."""
    for name in OPERATORS:
        packet = getattr(torch.ops.aten, name)
        if "dtype" in packet.overloads():
            library.impl(f"{name}.dtype", _summed, "Meta", allow_override=True)
        if "dtype_out" in packet.overloads():
            library.impl(f"{name}.dtype_out", _summed_into, "Meta", allow_override=True)


def _summed(_addend: Tensor, left: Tensor, right: Tensor, out_dtype: torch.dtype, **_scales: Any) -> Tensor:
    return left.new_empty((*left.shape[:-1], right.shape[-1]), dtype=out_dtype)


def _summed_into(*_operands: Any, out: Tensor, **_scales: Any) -> Tensor:
    return out

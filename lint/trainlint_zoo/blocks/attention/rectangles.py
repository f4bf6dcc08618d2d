# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: HiT-SR authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Cutting an image into rectangles, and putting it together again.

Source: XiangZ-0/HiT-SR, basicsr/archs/hit_srf_arch.py; its partition copies, as SwinIR's does.
"""

from __future__ import annotations

from torch import Tensor

Window = tuple[int, int]


def partition(x: Tensor, window: Window) -> Tensor:
    """(b, h, w, c) -> (b x windows, rows, columns, c), copied."""
    b, h, w, c = x.shape
    x = x.view(b, h // window[0], window[0], w // window[1], window[1], c)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, *window, c)


def reverse(windows: Tensor, window: Window, h: int, w: int) -> Tensor:
    """Undo `partition`."""
    x = windows.view(-1, h // window[0], w // window[1], *window, windows.shape[-1])
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, h, w, windows.shape[-1])

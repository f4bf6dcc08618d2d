# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the backward of fused attention makes for itself: the query's gradient, summed in fp32 by tiles.

Source: PyTorch 2.13, aten/src/ATen/native/transformers/cuda: mem_eff_attention/kernel_backward.h
(workspace_size, GradQTempStorage; in every type since blocks of keys are split, torch 2.1) and its kernels'
tiles, kernels/generate_kernels.py; flash_attn/flash_api.cpp (mha_bwd, dq_accum and softmax_d).
"""

from __future__ import annotations

from typing import Final

from torch import Tensor

from trainlint.tape import TILE_ROWS

_TILE_COLUMNS: Final = 64
"""Columns of a tile of memory-efficient attention."""
_WIDE_HEAD: Final = 64
"""Head size above which its tiles have as many rows as the card's shared memory holds."""
_TILE_HEADER: Final = 16
"""Bytes in front of each tile: its lock and counter."""
_FP32_BYTES: Final = 4
_FLASH_ROWS: Final = 128
_FLASH_COLUMNS: Final = 32
_FLASH_WIDE_HEAD: Final = 128
"""FlashAttention rounds a head size up to multiples of 32, above 128 to those of 64."""


def tiled(query: Tensor) -> dict[int, int]:
    """Return the bytes of memory-efficient attention's workspace by the rows of the card's largest tiles.

    What half precision needs besides for heads of more than 128 elements is left out.
    """
    batch, heads, length, head = query.shape
    sizes = {}
    for most in TILE_ROWS:
        rows = most if head > _WIDE_HEAD else TILE_ROWS[0]
        tiles = batch * heads * _parts(length, rows) * _parts(head, _TILE_COLUMNS)
        sizes[most] = tiles * (_TILE_HEADER + rows * _TILE_COLUMNS * _FP32_BYTES)
    return sizes


def flash(query: Tensor) -> tuple[int, int]:
    """Return the bytes of the two temporaries of FlashAttention's backward."""
    batch, heads, length, head = query.shape
    rows = batch * heads * _parts(length, _FLASH_ROWS) * _FLASH_ROWS
    multiple = _FLASH_COLUMNS if head <= _FLASH_WIDE_HEAD else 2 * _FLASH_COLUMNS
    return rows * _FP32_BYTES, rows * _parts(head, multiple) * multiple * _FP32_BYTES


def _parts(whole: int, part: int) -> int:
    return -(-whole // part)

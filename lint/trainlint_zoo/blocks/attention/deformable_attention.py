# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Kai Zhang
# SPDX-License-Identifier: MIT

"""Deformable attention with the tensors that KAIR's CUDA operator makes and keeps.

Source: cszn/KAIR fc1732f, models/op/{deform_attn.py,deform_attn_cuda_pt110.cpp}.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from trainlint.trace.torch_private import softmax_backward

BUILDERS: dict[str, str] = {}


class DeformAttention(torch.autograd.Function):
    """KAIR's CUDA operator: for every pixel attention over sampled positions of the clip before.

    q (n, 1, c, h, w), kv (n / clip, clip, 2c, h, w), offsets (n, clip x groups x window x 2, h, w) -> as q.
    It works item by item in the same temporaries; one item represents all.
    """

    @staticmethod
    def forward(ctx: Any, q: Tensor, kv: Tensor, offset: Tensor, layout: tuple[int, int, int, int]) -> Tensor:
        ctx.save_for_backward(q, kv, offset)
        ctx.layout = layout
        output = q.new_empty(q.shape)
        query = _scaled(q, layout)
        columns, attns, ones = _temporaries(q, kv, layout)
        columns = _unrolled(columns, layout)
        attns = torch.matmul(query[0], columns[0]).softmax(-1)
        attended = torch.matmul(attns, columns[1].transpose(2, 3))
        del attended
        columns = _rolled(columns, layout)
        del ones
        return output

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        q, kv, offset = ctx.saved_tensors
        gradients = torch.zeros_like(q), torch.zeros_like(kv), torch.zeros_like(offset)
        query, given = _scaled(q, ctx.layout), _heads(grad, ctx.layout)
        columns, attns, ones = _temporaries(q, kv, ctx.layout)
        to_attns, to_ones = torch.zeros_like(attns), torch.zeros_like(ones)
        columns = _unrolled(columns, ctx.layout)
        attns = torch.matmul(query[0], columns[0]).softmax(-1)
        to_attns = torch.matmul(given[0], columns[1])
        columns[1] = torch.matmul(given[0].transpose(2, 3), attns)
        to_attns = softmax_backward(to_attns, attns, -1, attns.dtype)
        to_query = torch.matmul(to_attns, columns[0].transpose(2, 3)) * 1.0
        del to_query
        columns[0] = torch.matmul(query[0].transpose(2, 3), to_attns) * 1.0
        columns = _rolled(columns, ctx.layout)
        del to_ones
        return (*gradients, None)


def _heads(x: Tensor, layout: tuple[int, int, int, int]) -> Tensor:
    n, _, c, h, w = x.shape
    return x.reshape(n, 1, layout[0], c // layout[0], h * w).permute(0, 2, 4, 1, 3)


def _scaled(q: Tensor, layout: tuple[int, int, int, int]) -> Tensor:
    return _heads(q, layout) * 1.0


def _temporaries(q: Tensor, kv: Tensor, layout: tuple[int, int, int, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Return what is made for a call: sampled columns, attention, a mask of ones."""
    heads, groups, clip, window = layout
    area = kv.shape[3] * kv.shape[4]
    columns = q.new_zeros(clip, kv.shape[2] * window, area)
    return columns, q.new_zeros(heads, area, 1, clip * window), q.new_ones(groups * window, area)


def _unrolled(columns: Tensor, layout: tuple[int, int, int, int]) -> Tensor:
    """Return the columns as keys and values per head and pixel, copied."""
    heads, _, clip, window = layout
    width = columns.shape[1] // 2 // heads // window
    x = columns.view(clip, 2, heads, width, window, columns.shape[2])
    return x.permute(1, 2, 5, 3, 0, 4).flatten(4)


def _rolled(columns: Tensor, layout: tuple[int, int, int, int]) -> Tensor:
    """Undo `_unrolled`, copied again."""
    heads, _, clip, window = layout
    x = columns.view(2, heads, columns.shape[2], columns.shape[3], clip, window)
    return x.permute(4, 0, 1, 3, 5, 2).flatten(1, 4)

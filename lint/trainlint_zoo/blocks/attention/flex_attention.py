# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""FlexAttention as torch.compile runs it on CUDA: one kernel, no matrix of scores.

Source: torch 2.13, torch/_inductor/kernel/flex/flex_attention.py and _higher_order_ops/flex_attention.py. The
forward allocates the output in the query's order of strides, the logarithms of the sums that the backward
needs, and the largest scores, which nothing needs. The backward allocates the gradients, and the rows' sums
of output times gradient. The gradients of what score_mod captured are added up in buffers of their sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from trainlint.errors import CannotTraceError
from trainlint.trace.torch_private import indexing_as_an_operator, without_modes


def flex_attention(  # noqa: PLR0917  (the operator's own)
    query: Tensor, key: Tensor, value: Tensor, score_mod: Callable[..., Tensor] | None = None,
    block_mask: Any = None, scale: float | None = None, enable_gqa: bool = False,
    return_lse: bool = False, kernel_options: Any = None,
) -> Tensor:  # fmt: skip
    """(b, h, n, c), (b, h, m, c), (b, h, m, d) -> (b, h, n, d)."""
    del scale, kernel_options
    if block_mask is not None or return_lse or enable_gqa:
        raise CannotTraceError("flex_attention is known without a block mask, grouped queries and return_lse")
    captured = tuple(_captured(score_mod)) if score_mod is not None else ()
    out: Tensor = _Flex.apply(query, key, value, *captured)
    return out


class _Flex(Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, *captured: Tensor) -> Tensor:
        rows = query.shape[:3]
        if query.shape[3] == value.shape[3]:
            out = torch.empty_like(query)
        else:
            out = query.new_empty(*rows, value.shape[3])
        sums, _largest = (query.new_empty(rows, dtype=torch.float32) for _ in range(2))
        ctx.save_for_backward(query, key, value, out, sums, *captured)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, ...]:
        query, key, value, out, sums, *captured = ctx.saved_tensors
        _delta = torch.empty_like(sums)
        del out, grad
        return tuple(torch.empty_like(tensor) for tensor in (query, key, value, *captured))


def _captured(score_mod: Callable[..., Tensor]) -> Iterator[Tensor]:
    """Yield the leaves that a score depends on and that are trained, once each."""
    with without_modes(), torch.enable_grad(), indexing_as_an_operator():
        score = torch.empty((), device="meta")
        where = [torch.empty((), dtype=torch.int64, device="meta") for _ in range(4)]
        try:
            modified = score_mod(score, *where)
        except Exception as error:
            raise CannotTraceError(f"a score_mod of flex_attention cannot be followed: {error}") from error
    waiting, seen = [modified.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            yield node.variable
        waiting += [before for before, _ in node.next_functions]

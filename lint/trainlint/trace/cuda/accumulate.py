# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Sums of gradients where paths of the graph join: autograd adds in place, unless a mode watches it.

The engine adds the second gradient to the first in place where it holds the only reference to it
(torch/csrc/autograd/input_buffer.cpp, can_accumulate_inplace). Under a dispatch mode it never does: a
recorded sum takes a new tensor where the real one does not. It is recognised here by its references.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from trainlint.trace.torch_private import (
    TorchDispatchMode,
    address_of,
    current_graph_task,
    storage_use_count,
    use_count,
)

ADD: Final = torch.ops.aten.add.Tensor


class References(NamedTuple):
    """How often a tensor is referred to: from Python, as a tensor, through its storage."""

    python: int
    tensor: int
    storage: int


def accumulates(args: Sequence[Any], kwargs: Mapping[str, Any] | None, sole: References | None) -> bool:
    """Return whether this call of ADD is the engine's sum of gradients that would be in place."""
    if current_graph_task() < 0 or torch.is_grad_enabled() or kwargs:
        return False
    if sole is None or not isinstance(args[0], Tensor) or not isinstance(args[1], Tensor):
        return False
    return (
        args[0].shape == args[1].shape and args[0].dtype == args[1].dtype
        and (args[0].is_contiguous() or torch.ops.aten.is_non_overlapping_and_dense(args[0]))
        and _references(args) == sole
    )  # fmt: skip


def _references(args: Sequence[Any]) -> References:
    tensor = args[0]
    storage = storage_use_count(address_of(tensor.untyped_storage()))
    return References(sys.getrefcount(tensor), use_count(tensor), storage)


class _Probe(TorchDispatchMode):
    """Keeps the references of the last sum that it sees."""

    seen: References | None = None

    def __torch_dispatch__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is ADD:
            self.seen = _references(args)
        return func(*args, **(kwargs or {}))


@cache
def sole_references() -> References | None:
    """Return the references of a gradient that the engine alone holds, None where torch does not say."""
    probe = _Probe()
    try:
        with torch.enable_grad(), probe:
            leaf = torch.empty(2, device="meta", requires_grad=True)
            ((leaf * 2).exp() + (leaf * 3).exp()).sum().backward()
    except AttributeError:
        return None
    return probe.seen

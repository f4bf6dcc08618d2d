# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""DistributedDataParallel on one of its GPUs: gradient buckets, buffers that travel, outputs that are copied.

Source: torch/nn/parallel/distributed.py, csrc/distributed/c10d/reducer.cpp (torch 2.13).
gradient_as_bucket_view is off, as by default: the buckets are a second copy of the gradients, there from the
construction on. What the construction sends (parameters and buffers, at most 250 MiB at a time) is gone when
the buckets, as large as the parameters, come. NCCL's own memory is not torch's. SyncBatchNorm is traced as
the batch norm that it is on one GPU: it keeps the same, and gathers two numbers per channel and GPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import Function

from trainlint.errors import CannotTraceError
from trainlint.trace.parallel.wrapper import Layout, Wrapper
from trainlint.trace.recording.storage_ledger import StorageLedger
from trainlint.trace.torch_private import flatten_dense, take_tensors, tree_flatten, tree_unflatten

FIRST_BUCKET_BYTES = 2**20
BUCKET_BYTES = 25 * 2**20
"""Bytes of the first bucket and of the others (bucket_cap_mb)."""
BROADCAST_BYTES = 250 * 2**20
"""Bytes of buffers sent at once (broadcast_bucket_size)."""


class Distributed(Wrapper):
    """DistributedDataParallel: buckets next to the gradients, buffers broadcast before each forward.

    Buckets follow the order in which gradients come, about the parameters' reversed; where unused parameters
    are looked for they are never rebuilt, and follow the parameters.
    """

    def __init__(self, ledger: StorageLedger, layout: Layout, role: str, module: nn.Module) -> None:
        super().__init__(ledger, module)
        self.layout = layout
        self.stale = True  # another process may hold other buffers: none was sent since a training forward
        trained = [p for p in module.parameters() if p.requires_grad]
        if not trained:
            raise CannotTraceError("DistributedDataParallel needs a parameter that requires a gradient")
        self.buckets = [
            torch.empty(sum(p.numel() for p in group), dtype=group[0].dtype, device="meta")
            for group in buckets(trained if layout.unused else reversed(trained))
        ]
        for bucket in self.buckets:
            ledger.adopt(bucket, "gradients", f"{role}:DDP buckets")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Broadcast the buffers, run the module, copy its output where unused parameters are looked for."""
        buffers = list(self.module.buffers())
        if buffers and self.stale:
            with torch.no_grad():
                for chunk in take_tensors(buffers, BROADCAST_BYTES):
                    flatten_dense(chunk)
        self.stale = torch.is_grad_enabled()
        output = self.module(*args, **kwargs)
        return _copied(output) if self.layout.unused else output


def buckets(params: Iterable[Tensor]) -> list[list[Tensor]]:
    """Group parameters of a type until a bucket is full (compute_bucket_assignment_by_size)."""
    full: list[list[Tensor]] = []
    filling: dict[torch.dtype, list[Tensor]] = {}
    limits: dict[torch.dtype, int] = {}
    for parameter in params:
        group = filling.setdefault(parameter.dtype, [])
        group.append(parameter)
        if sum(p.numel() * p.itemsize for p in group) >= limits.get(parameter.dtype, FIRST_BUCKET_BYTES):
            full.append(filling.pop(parameter.dtype))
            limits[parameter.dtype] = BUCKET_BYTES
    return [*full, *filling.values()]


def _copied(output: Any) -> Any:
    """Copy what has a gradient, wherever it is in an output."""
    leaves, shape = tree_flatten(output)
    places = [n for n, leaf in enumerate(leaves) if isinstance(leaf, Tensor) and leaf.grad_fn is not None]
    if places:
        copies: Sequence[Tensor] = _Sink.apply(*(leaves[n] for n in places))
        for place, copy in zip(places, copies, strict=True):
            leaves[place] = copy
    return tree_unflatten(leaves, shape)


class _Sink(Function):
    """_DDPSink: through it every output takes part in the backward."""

    @staticmethod
    def forward(ctx: Any, *outputs: Tensor) -> tuple[Tensor, ...]:
        ctx.set_materialize_grads(False)
        return tuple(output.clone() for output in outputs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        del ctx
        return grads

"""DistributedDataParallel on one of its GPUs: gradient buckets and buffer broadcasts.

Source: torch/nn/parallel/distributed.py, csrc/distributed/c10d/reducer.cpp. gradient_as_bucket_view is off,
as by default: the buckets are a second copy of the gradients. NCCL's own memory is not torch's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch._utils import _flatten_dense_tensors, _take_tensors

from trainlint.errors import CannotTraceError
from trainlint.trace.ledger import Ledger
from trainlint.trace.wrapper import Wrapper

FIRST_BUCKET = 2**20
BUCKET = 25 * 2**20
"""Bytes of the first bucket and of the others (bucket_cap_mb)."""
BROADCAST_BUCKET = 250 * 2**20
"""Bytes of buffers sent at once (broadcast_bucket_size)."""


class Distributed(Wrapper):
    """DistributedDataParallel: buckets beside the gradients, buffers broadcast before each forward."""

    def __init__(self, ledger: Ledger, role: str, module: nn.Module) -> None:
        super().__init__(ledger, module)
        trained = [p for p in module.parameters() if p.requires_grad]
        if not trained:
            raise CannotTraceError("DistributedDataParallel needs a parameter that requires a gradient")
        self.buckets = [
            torch.empty(sum(p.numel() for p in group), dtype=group[0].dtype, device="meta")
            for group in buckets(trained)
        ]
        for bucket in self.buckets:
            ledger.adopt(bucket, "gradients", f"{role}:DDP buckets")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Broadcast the buffers, then run the module."""
        buffers = list(self.module.buffers())
        if buffers and torch.is_grad_enabled() and self.module.training:
            with torch.no_grad():
                for chunk in _take_tensors(buffers, BROADCAST_BUCKET):
                    _flatten_dense_tensors(chunk)
        return self.module(*args, **kwargs)


def buckets(params: Sequence[Tensor]) -> list[list[Tensor]]:
    """Group parameters in reverse order until a bucket is full (compute_bucket_assignment_by_size)."""
    found: list[list[Tensor]] = [[]]
    filled, limit = 0, FIRST_BUCKET
    for parameter in reversed(params):
        found[-1].append(parameter)
        filled += parameter.numel() * parameter.itemsize
        if filled >= limit:
            found.append([])
            filled, limit = 0, BUCKET
    return [group for group in found if group]

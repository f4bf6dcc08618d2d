# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""DataParallel on virtual GPUs: what each card holds, in torch's own order.

Sources: torch/nn/parallel (scatter, replicate, parallel_apply, gather, comm), csrc/cuda/comm.cpp.
Two virtual GPUs represent any number: GPU 0, which gathers, and one other. The samples of a replica and of
the whole step are separate numbers, so both become variables of the tape.
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
from trainlint.trace.torch_private import (
    FORMER_PARAMETERS,
    buffers_of,
    children_of,
    flatten_dense,
    parameters_of,
    reorder_as,
    replicate,
    take_tensors,
    unflatten_dense,
)

BUFFER_BYTES = 10 * 2**20
"""Bytes that broadcast_coalesced and reduce_add_coalesced pack into one buffer (nn/parallel/comm.py)."""


class DataParallel(Wrapper):
    """torch.nn.DataParallel with a replica on each of two virtual GPUs."""

    def __init__(self, ledger: StorageLedger, layout: Layout, module: nn.Module) -> None:
        super().__init__(ledger, module)
        self.layout = layout

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Scatter, replicate, run, gather."""
        scattered = [self._scatter(value) for value in (args, kwargs)]
        replicas = self._replicas()
        outputs = []
        for device, replica in enumerate(replicas):
            with self.ledger.owners.on(device):
                outputs.append(replica(*scattered[0][device], **scattered[1][device]))
        return self._gather(outputs)

    def _scatter(self, value: Any) -> tuple[Any, Any]:
        if isinstance(value, Tensor):
            split = _Scatter.apply(value, self.ledger, self.layout)
            return (split[0], split[1])
        if isinstance(value, (list, tuple)):
            pairs = [self._scatter(item) for item in value]
            return (type(value)(a for a, _ in pairs), type(value)(b for _, b in pairs))
        if isinstance(value, dict):
            both = {name: self._scatter(item) for name, item in value.items()}
            return ({n: pair[0] for n, pair in both.items()}, {n: pair[1] for n, pair in both.items()})
        return (value, value)

    def _gather(self, outputs: Sequence[Any]) -> Any:
        first = outputs[0]
        if isinstance(first, Tensor):
            return _Gather.apply(self.ledger, self.layout, *outputs)
        if isinstance(first, (list, tuple)):
            return type(first)(self._gather(items) for items in zip(*outputs))  # noqa: B905 - Python 3.9
        if isinstance(first, dict):
            return {name: self._gather([output[name] for output in outputs]) for name in first}
        return first

    def _replicas(self) -> list[nn.Module]:
        params = list(self.module.parameters())
        copies = self._broadcast(params, detach=not torch.is_grad_enabled())
        buffers = list(self.module.buffers())
        buffer_copies = self._broadcast(buffers, detach=True)
        new = dict(zip(map(id, params), zip(*copies))) if params else {}  # noqa: B905 - Python 3.9
        new |= dict(zip(map(id, buffers), zip(*buffer_copies))) if buffers else {}  # noqa: B905 - Python 3.9
        return [_replica(self.module, device, new) for device in range(self.layout.devices)]

    def _broadcast(self, tensors: Sequence[Tensor], *, detach: bool) -> list[Sequence[Tensor]]:
        if not tensors:
            return [[], []]
        if detach:
            with torch.no_grad():
                return [tensors, _copies(self.ledger, tensors)]
        flat = _Broadcast.apply(self.ledger, *tensors)
        return [flat[: len(tensors)], flat[len(tensors) :]]


def _replica(network: nn.Module, device: int, new: dict[int, tuple[Tensor, ...]]) -> nn.Module:
    """Rebuild a module tree around the copies, as torch.nn.parallel.replicate does."""
    made: dict[nn.Module, nn.Module] = {}
    former: dict[nn.Module, dict[str, Tensor]] = {}  # what replica.parameters() would not list
    for module in network.modules():
        replica = made[module] = replicate(module)
        former[replica] = replica.__dict__.setdefault(FORMER_PARAMETERS, {})
    for module, replica in made.items():
        for name, child in children_of(module).items():
            children_of(replica)[name] = made[child] if child is not None else None
        for name, parameter in parameters_of(module).items():
            if parameter is None:
                parameters_of(replica)[name] = None
            else:
                setattr(replica, name, new[id(parameter)][device])
                former[replica][name] = new[id(parameter)][device]
        for name, buffer in buffers_of(module).items():
            buffers_of(replica)[name] = None if buffer is None else new[id(buffer)][device]
    return made[network]


def _copies(ledger: StorageLedger, tensors: Iterable[Tensor]) -> list[Tensor]:
    """Copy tensors to GPU 1 in coalesced buffers; the flat buffer on GPU 0 lives during its own copy."""
    copied: list[Tensor] = []
    order: list[Tensor] = []
    for chunk in take_tensors(tensors, BUFFER_BYTES):
        order.extend(chunk)
        copied.extend(_copy_chunk(ledger, chunk))
    return list(reorder_as(copied, tensors)) if order else []


def _copy_chunk(ledger: StorageLedger, chunk: Sequence[Tensor]) -> list[Tensor]:
    flat = flatten_dense(chunk)
    with ledger.owners.on(1), ledger.label("parameters"):
        copy = torch.empty_like(flat)
    return [part.data for part in unflatten_dense(copy, chunk)]


class _Broadcast(Function):
    """Parameters to every GPU; the backward adds the replicas' gradients up on GPU 0."""

    @staticmethod
    def forward(ctx: Any, ledger: StorageLedger, *params: Tensor) -> tuple[Tensor, ...]:
        ctx.ledger = ledger
        copies = _copies(ledger, params)
        frozen = [i for i, needed in enumerate(ctx.needs_input_grad[1:]) if not needed]
        ctx.mark_non_differentiable(*(t for i in frozen for t in (params[i], copies[i])))
        return (*params, *copies)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Any, ...]:
        return (None, *_ReduceAdd.apply(ctx.ledger, *grads))


class _ReduceAdd(Function):
    """Both replicas' gradients added up on GPU 0; differentiated, it is a broadcast again."""

    @staticmethod
    def forward(ctx: Any, ledger: StorageLedger, *grads: Tensor) -> tuple[Tensor, ...]:
        ctx.ledger = ledger
        return _reduce(ledger, grads[: len(grads) // 2], grads[len(grads) // 2 :])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Any, ...]:
        return (None, *_Broadcast.apply(ctx.ledger, *grads))


def _reduce(ledger: StorageLedger, first: Sequence[Tensor], second: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """comm.reduce_add_coalesced with NCCL: flat copies of both, and a flat result that the gradients view."""
    output: list[Tensor] = []
    for here, there in zip(take_tensors(first, BUFFER_BYTES), take_tensors(second, BUFFER_BYTES)):  # noqa: B905 - Python 3.9
        flat = flatten_dense(here)
        with ledger.owners.on(1):
            other = flatten_dense(there)
        result = torch.empty_like(flat)
        output.extend(part.data for part in unflatten_dense(result, here))
    del flat, other, result
    return tuple(reorder_as(output, first))


class _Scatter(Function):
    """A replica's share of a batch: a view on GPU 0, a copy on GPU 1."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, ledger: StorageLedger, layout: Layout) -> tuple[Tensor, ...]:
        ctx.ledger, ctx.layout = ledger, layout
        return _shares(ledger, layout, x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Any, ...]:
        return (_Gather.apply(ctx.ledger, ctx.layout, *grads), None, None)


class _Gather(Function):
    """The replicas' outputs as one tensor on GPU 0."""

    @staticmethod
    def forward(ctx: Any, ledger: StorageLedger, layout: Layout, *outputs: Tensor) -> Tensor:
        ctx.ledger, ctx.layout = ledger, layout
        first = outputs[0]
        ctx.scalar = first.dim() == 0
        if ctx.scalar:
            return first.new_empty(layout.devices)
        times, rest = divmod(first.shape[0], layout.chunk)
        if rest:
            raise CannotTraceError(f"a replica returned {first.shape[0]} rows for {layout.chunk} samples")
        return first.new_empty((times * layout.total, *first.shape[1:]))

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        if not ctx.scalar:
            return (None, None, *_Scatter.apply(grad, ctx.ledger, ctx.layout))
        if torch.is_grad_enabled():
            raise CannotTraceError("second derivatives of numbers that DataParallel gathers are not traced")
        with ctx.ledger.owners.on(1):
            return (None, None, grad[0], torch.empty_like(grad[1]))


def _shares(ledger: StorageLedger, layout: Layout, x: Tensor) -> tuple[Tensor, Tensor]:
    times, rest = divmod(x.shape[0], layout.total) if x.dim() else (0, 1)
    if rest or not times:
        raise CannotTraceError(f"a tensor of shape {tuple(x.shape)} cannot be split over GPUs")
    first = x.narrow(0, 0, times * layout.chunk)
    with ledger.owners.on(1):
        second = torch.empty_like(first)
    return first, second

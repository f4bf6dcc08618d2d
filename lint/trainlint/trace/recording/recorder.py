# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The recorder: sees every operator on meta tensors, answers it, and writes what it allocates and costs.

Most answers come from memory (meta_kernels.py); an operator not yet seen with these shapes is run for real.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from trainlint.tape import GRADIENT_SUM
from trainlint.trace.cuda import memory_formats
from trainlint.trace.cuda.accumulate import ADD, accumulates, sole_references
from trainlint.trace.recording import meta_kernels
from trainlint.trace.recording.checkpoint_size import HOST_ATTRIBUTE
from trainlint.trace.recording.operator_cost import Cost, costs, held
from trainlint.trace.recording.operator_kinds import (
    RESIZING_OPERATORS,
    OperatorKind,
    name_of,
    owner_words,
    rule_of,
    stub_value,
    untraceable,
)
from trainlint.trace.recording.storage_ledger import StorageLedger
from trainlint.trace.torch_private import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    TorchDispatchMode,
    composite,
)


class OperatorCache:
    """Answers remembered across the traces of one step: call key -> outputs, kernels' costs."""

    def __init__(self) -> None:
        self.calls: dict[Any, tuple[meta_kernels.Outputs, tuple[Cost, ...], tuple[Cost, ...]] | None] = {}
        self.in_place: dict[Any, tuple[Cost, ...]] = {}
        self.sums: dict[Any, tuple[Cost, ...]] = {}
        self.hosts: dict[Any, meta_kernels.TensorLayout] = {}


class Recorder(TorchDispatchMode):
    """A dispatch mode that records meta tensors; CPU tensors pass unseen (host memory)."""

    def __init__(
        self, ledger: StorageLedger, memory: OperatorCache | None = None, *, other: bool = False
    ) -> None:
        """Record into `ledger`; `other`: values that are read on the CPU are taken as the other stand-ins."""
        super().__init__()
        self.ledger = ledger
        self._other = other
        self._memory = memory or OperatorCache()
        self._sole = sole_references()
        self._handlers: dict[int, Callable[..., Any]] = {}
        self._ways: dict[OperatorKind, Callable[..., Any]] = {
            OperatorKind.VIEW: lambda func, args, kwargs: func(*args, **kwargs),
            OperatorKind.IN_PLACE: self._in_place,
            OperatorKind.FRESH: self._fresh,
            OperatorKind.FOREACH: self._foreach,
            OperatorKind.OUT: self._out,
            OperatorKind.CALL: self._call,
            OperatorKind.COMPOSITE: self._composite,
            OperatorKind.SCALAR: self._scalar,
            OperatorKind.TO_COPY: self._to_copy,
        }

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and the guard costs as much as the answer

    def __torch_dispatch__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Answer one operator and record what it allocates and costs."""
        if func is ADD and accumulates(args, kwargs, self._sole):
            return self._sum(*args)
        handler = self._handlers.get(id(func))  # its own hash is Python; `rule_of` keeps it alive
        if handler is None:
            handler = self._handlers[id(func)] = self._ways[rule_of(func)]
        try:
            if not self.ledger.devices_matter:
                return handler(func, args, kwargs or {})
            with self.ledger.running(args):
                return handler(func, args, kwargs or {})
        except (NotImplementedError, DataDependentOutputException, DynamicOutputShapeException) as error:
            raise untraceable(func, self.ledger.owners.where(), error) from error

    def _fresh(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        try:
            key = meta_kernels.key_of(func, args, kwargs)
        except meta_kernels.Unkeyed:
            return self._call(func, args, kwargs)
        known = self._memory.calls.get(key)
        if known is None:
            return self._first(key, func, args, kwargs)
        outputs, before, work = known
        self.ledger.work(before)
        made: list[Tensor | None] = []
        for output in outputs.layouts:
            if output is None:
                made.append(None)
            else:
                tensor = output.make()
                if output.nbytes:
                    self.ledger.born(tensor.untyped_storage(), output.nbytes)
                made.append(tensor)
        self.ledger.work(work)
        return made[0] if outputs.pack is None else outputs.pack(made)

    def _sum(self, first: Tensor, other: Tensor) -> Tensor:
        """Add two gradients as autograd does: in place on a real device, which the operator's key says."""
        result = meta_kernels.like_this(first)
        self.ledger.maybe_born(result)
        key = (first.shape, first.dtype)  # the other's too, or it is no such sum
        work = self._memory.sums.get(key)
        if work is None:
            work = tuple(cost._replace(key=GRADIENT_SUM) for cost in costs("add", (first, other), {}, result))
            self._memory.sums[key] = work
        self.ledger.work(work)
        return result

    def _first(self, key: Any, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        name = name_of(func)
        result = memory_formats.resampled(name, args)
        if result is None:
            result = memory_formats.returned(name, args, func(*args, **kwargs))
        before = held(memory_formats.before(name, args))
        self.ledger.work(before)
        fresh = self.ledger.births(result)
        work = (*held(memory_formats.inside(name, args)), *costs(name, args, kwargs, result))
        outputs = meta_kernels.learn(result, fresh)
        if outputs is not None:
            self._memory.calls[key] = (outputs, before, work)
        self.ledger.work(work)
        return result

    def _call(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        result = func(*args, **kwargs)
        name = name_of(func)
        out = kwargs.get("out", args[0] if name in RESIZING_OPERATORS else None)
        if isinstance(out, Tensor) and out.is_meta:
            self.ledger.resized(out)
        self.ledger.births(result)
        if not isinstance(result, Tensor) or result.is_meta:
            self.ledger.work(costs(name, args, kwargs, result))
        return result

    def _out(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        out = kwargs.get("out")
        if not isinstance(out, Tensor):  # several, each under a name of its own
            return self._call(func, args, kwargs)
        try:
            key = meta_kernels.key_of(func, args, kwargs)
        except meta_kernels.Unkeyed:
            return self._call(func, args, kwargs)
        work = self._memory.in_place.get(key)
        if work is not None:
            self.ledger.resized(out)
            self.ledger.work(work)
            return out
        before = meta_kernels.layout_of(out)
        result = self._call(func, args, kwargs)
        if result is out and meta_kernels.layout_of(out) == before:  # the same shapes fit the next time too
            self._memory.in_place[key] = costs(name_of(func), args, kwargs, out)
        return result

    def _in_place(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        try:
            key = meta_kernels.key_of(func, args, kwargs)
        except meta_kernels.Unkeyed:
            return self._call(func, args, kwargs)
        work = self._memory.in_place.get(key)
        if work is None:  # the first time torch checks the shapes
            func(*args, **kwargs)
            work = costs(name_of(func), args, kwargs, args[0])
            self._memory.in_place[key] = work
        self.ledger.work(work)
        return args[0]

    def _foreach(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        name = name_of(func)
        if not all(t.is_meta for t in args[0] if isinstance(t, Tensor)):
            return func(*args, **kwargs)
        result = meta_kernels.foreach(name, args)
        for tensor in result or ():
            self.ledger.born(tensor.untyped_storage(), tensor.untyped_storage().nbytes())
        self.ledger.work(costs(name, args, kwargs, result))
        return result

    def _composite(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        with self:
            return composite(func, args, kwargs)

    def _scalar(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        tensor = args[0]
        if not tensor.is_meta:
            return func(*args, **kwargs)
        value = stub_value(tensor.dtype, other=self._other)
        where = self.ledger.owners.scope().owner
        if where:  # outside of modules it is the trainer's log or GradScaler, which decide nothing here
            self.ledger.values.append(where)
            self.ledger.note(f'"{owner_words(where)}" reads a value on the CPU: taken as {value}')
        return value

    def _to_copy(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        device = kwargs.get("device")
        if device is None or device.type != "cpu" or not args[0].is_meta:
            return self._fresh(func, args, kwargs)
        host = self._host(args[0], kwargs.get("dtype"))  # host memory: made, not recorded
        setattr(host, HOST_ATTRIBUTE, True)
        return host

    def _host(self, like: Tensor, dtype: torch.dtype | None) -> Tensor:
        key = (like.shape, like.stride(), like.dtype, dtype)
        known = self._memory.hosts.get(key)
        if known is not None:
            return known.make()
        host = torch.empty_like(like, dtype=dtype)
        self._memory.hosts[key] = meta_kernels.layout_of(host)
        return host

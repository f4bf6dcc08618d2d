# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Processes: one of them runs, the others are torch's fake process group.

Collectives send nothing: what they write is the right shape and of unknown value. DistributedDataParallel's
reducer is torch's own, so that its buckets are recorded; SyncBatchNorm is the batch norm that it is on one
GPU.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint.trace.dry_run.arrivals import Arrivals
from trainlint.trace.dry_run.gpu.device_identity import GPU
from trainlint.trace.dry_run.gpu.moves import CPU
from trainlint.trace.dry_run.operators.known_values import Values
from trainlint.trace.dry_run.steps.live_ledger import LiveLedger
from trainlint.trace.dry_run.torch_names import BALANCE, fake_store, is_meta
from trainlint.trace.parallel.data_parallel import DataParallel
from trainlint.trace.parallel.wrapper import Layout

SENT_BY_US = "broadcast_"
FEWEST_GPUS = 2
OF_A_SUBCLASS = ("scatter", "replicate", "parallel_apply", "gather")
"""The methods of DataParallel by which a subclass says itself what each GPU gets and returns."""
NEW_GROUP = ("ranks", "timeout", "backend", "pg_options", "use_local_synchronization", "group_desc")
"""The arguments of torch.distributed.new_group in their order."""


class Processes:
    """The process group of one run."""

    def __init__(self, request: Mapping[str, Any], ledger: LiveLedger) -> None:
        self.ledger = ledger
        self.replicas = 1
        """GPUs among which DataParallel splits a batch."""
        self.world = int(request.get("world_size") or 1)
        self.rank = int(request.get("rank") or 0)

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        for name, value in (("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", "29500")):
            os.environ.setdefault(name, value)
        return [
            (nn.SyncBatchNorm, "forward", _batch_norm),
            (*BALANCE, lambda _devices: None),  # all GPUs are alike
            (nn.DataParallel, "scatter", _scatter),
            (nn.DataParallel, "forward", self._parallel(nn.DataParallel.forward)),
        ]

    def _parallel(self, truth: Callable[..., Any]) -> Callable[..., Any]:
        """Run a module on two virtual GPUs as recipes do: the first one, and one for all others."""

        @wraps(truth)
        def forward(wrapper: Any, *inputs: Any, **kwargs: Any) -> Any:
            count = len(wrapper.device_ids or ())
            total = _samples((inputs, kwargs))
            if count < FEWEST_GPUS or not total:
                return truth(wrapper, *inputs, **kwargs)
            own = next((name for name in OF_A_SUBCLASS if _overrides(wrapper, name)), None)
            if own:
                kind = type(wrapper).__name__
                raise CannotTraceError(f"what {kind}.{own} gives each of {count} GPUs is not known")
            self.replicas = count
            self.ledger.devices_matter = True
            layout = Layout("dp", -(-total // count), total)
            moved, named = _on_gpu(inputs), _on_gpu(kwargs)
            return DataParallel(self.ledger, layout, wrapper.module)(*moved, **named)

        return forward

    def watch(self, arrivals: Arrivals) -> None:
        """Put the fake group in place as soon as torch.distributed is there."""
        arrivals.after("torch.distributed.distributed_c10d", self._group)
        arrivals.after("torch.nn.parallel.distributed", _reducer)
        arrivals.after("torch.multiprocessing.spawn", _spawned)

    def _group(self, module: ModuleType) -> None:
        module.ProcessGroup.monitored_barrier = lambda *_args, **_kwargs: None  # the fake one has none
        where = [module, torch.distributed] if hasattr(torch, "distributed") else [module]
        for name, value in (
            ("init_process_group", self._begun(module)), ("new_group", _grouped(module.new_group)),
            ("get_backend", lambda *_a, **_k: "nccl"),
            ("is_nccl_available", lambda: True), ("broadcast_object_list", _same_objects),
            ("all_gather_object", _gathered_objects), ("gather_object", _gathered_here),
            ("monitored_barrier", lambda *_a, **_k: None),
        ):  # fmt: skip
            for namespace in where:
                if hasattr(namespace, name) or namespace is module:
                    setattr(namespace, name, value)

    def _begun(self, module: ModuleType) -> Callable[..., None]:
        truth = module.init_process_group

        @wraps(truth)
        def init_process_group(*args: Any, **kwargs: Any) -> None:
            del args
            world = int(os.environ.get("WORLD_SIZE") or kwargs.get("world_size") or self.world)
            world = kwargs["world_size"] if kwargs.get("world_size", -1) > 0 else world
            truth("fake", store=fake_store(), rank=self.rank, world_size=max(world, 1))

        return init_process_group


def _grouped(truth: Callable[..., Any]) -> Callable[..., Any]:
    """Make every group a fake one: a real backend (gloo, for the CPU) would look for the other processes."""

    @wraps(truth)
    def new_group(*args: Any, **kwargs: Any) -> Any:
        known = dict(zip(NEW_GROUP, args))  # noqa: B905 - Python 3.9
        return truth(**{**known, **kwargs, "backend": None, "pg_options": None})

    return new_group


def collective(values: Values) -> Callable[..., Any]:
    """Return what answers an operator of c10d: the fake group's own work on empty tensors of the CPU."""

    def answer(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        result = func(*_empty(args), **kwargs)
        if not func.name().partition("::")[2].startswith(SENT_BY_US):
            for place in values.written(func):
                values.drop_all(args[place])
        return (args[0], result[-1]) if isinstance(result, tuple) else result

    return answer


def _empty(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_empty(item) for item in value]
    if isinstance(value, Tensor) and is_meta(value):
        return torch.empty(value.shape, dtype=value.dtype, device=CPU)
    return value


def _batch_norm(layer: Any, x: Tensor) -> Tensor:
    training = layer.training or layer.running_mean is None
    return F.batch_norm(
        x,
        layer.running_mean,
        layer.running_var,
        layer.weight,
        layer.bias,
        training,
        layer.momentum or 0.0,
        layer.eps,
    )


def _overrides(wrapper: Any, name: str) -> bool:
    return getattr(type(wrapper), name) is not getattr(nn.DataParallel, name)


def _scatter(wrapper: Any, inputs: Any, kwargs: Any, device_ids: Any) -> Any:
    """Give one GPU all of a batch, moved there."""
    if (inputs or kwargs) and len(device_ids) >= FEWEST_GPUS:  # no tensor among them, or a subclass asks
        kind = type(wrapper).__name__
        raise CannotTraceError(f"how {kind} divides a batch among {len(device_ids)} GPUs is not known")
    return (_on_gpu(inputs),), (_on_gpu(kwargs) or {},)


def _samples(value: Any) -> int:
    """Return the samples in the first tensor of arguments."""
    if isinstance(value, Tensor):
        return value.shape[0] if value.dim() else 0
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return next((count for count in map(_samples, items) if count), 0)


def _on_gpu(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.to(GPU)
    if type(value) in (list, tuple):
        return type(value)(_on_gpu(item) for item in value)
    if isinstance(value, dict):
        return {key: _on_gpu(item) for key, item in value.items()}
    return value


def _reducer(module: ModuleType) -> None:
    """Let DistributedDataParallel work with a group that sends nothing."""
    kind: Any = module.DistributedDataParallel
    for name in ("_verify_param_shape_across_processes", "_sync_module_states"):
        if hasattr(module, name):
            setattr(module, name, lambda *_args, **_kwargs: None)
    made, hooked = kind.__init__, kind.register_comm_hook

    @wraps(made)
    def init(wrapper: Any, *args: Any, **kwargs: Any) -> None:
        made(wrapper, *args, **kwargs)
        from torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook  # noqa: PLC0415 - as above

        hooked(wrapper, None, noop_hook)

    kind.__init__ = init
    kind.register_comm_hook = lambda *_args, **_kwargs: None


def _spawned(module: ModuleType) -> None:
    """Run the first process of those that a program would start, here."""

    def spawn(fn: Any, args: Any = (), nprocs: int = 1, *_args: Any, **_kwargs: Any) -> None:
        del nprocs
        fn(0, *args)

    module.spawn = spawn  # type: ignore[attr-defined]  # a module's function
    torch.multiprocessing.spawn = spawn  # type: ignore[attr-defined]  # as above


def _same_objects(_objects: Any, *_args: Any, **_kwargs: Any) -> None:
    """Send to others what this process has."""


def _gathered_objects(object_list: Any, obj: Any, *_args: Any, **_kwargs: Any) -> None:
    object_list[:] = [obj] * len(object_list)


def _gathered_here(obj: Any, object_gather_list: Any = None, *_args: Any, **_kwargs: Any) -> None:
    if object_gather_list is not None:
        object_gather_list[:] = [obj] * len(object_gather_list)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The private names of torch that only the dry run needs; the others are in trace/private.py.

Each is in torch 2.4 and later unless it is asked for with a default.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from operator import attrgetter
from typing import Any, Final

import torch
from torch._C import TensorBase
from torch.utils.data._utils import worker as loader_worker
from torch.utils.data.dataloader import _BaseDataLoaderIter

# mypy: disable-error-code="attr-defined"
# ruff: noqa: SLF001 - private names are what it is for

is_meta = TensorBase.is_meta.__get__
"""Whether a tensor is on meta, whatever its class says."""
device_of = TensorBase.device.__get__
set_data = TensorBase.data.__set__
get_data = TensorBase.data.__get__
swap_implementations = torch._C._swap_tensor_impl
"""Exchange what two Python tensors stand for: their identity, class and attributes stay."""
StorageBase: Any = torch._C.StorageBase


def storage_device(storage: Any) -> torch.device:
    """Return the device of a storage, whatever its class says."""
    device: torch.device = StorageBase.device.__get__(storage)
    return device


def storage_pointer(storage: Any) -> int:
    """Return where a storage's bytes are."""
    return int(StorageBase.data_ptr(storage))


SHALLOW_COPY: Final = (torch, "_has_compatible_shallow_copy_type")
GROUPED: Final = (torch._C, "_group_tensors_by_device_and_dtype")
BALANCE: Final = (import_module("torch.nn.parallel.data_parallel"), "_check_balance")
ACCELERATOR: Final = (torch._C, "_get_accelerator")
TENSOR_CLASS_MODULES: Final = ("torch.distributed", "torch._subclasses")
"""Where the classes of tensors are that answer operators themselves."""
LAZY: Final = ("_lazy_init", "_lazy_call", "_is_compiled")
EXCHANGES: Final = ("_exchange_device", "_maybe_exchange_device")
LoaderIterator = _BaseDataLoaderIter
HigherOrderOperator = torch._ops.HigherOrderOperator
index_sampler = attrgetter("_index_sampler")
FAKE: Final = torch._C._TorchDispatchModeKey.FAKE
APPLY: Final = "_apply"
SET_STREAM: Final = "_set_stream_by_id"


def fake_mode() -> Any:
    """Return the FakeTensorMode that is active, None where none is."""
    return torch._C._get_dispatch_mode(FAKE)


def count_as(stream: type, event: type) -> None:
    """Let torch before 2.6 take classes for its streams and events: its compiler asks when it is imported."""
    with suppress(ImportError):
        bases: Any = import_module("torch._streambase")
        for name, kind in (("_StreamBase", stream), ("_EventBase", event)):
            if hasattr(getattr(bases, name, None), "register"):
                getattr(bases, name).register(kind)


def local(tensor: torch.Tensor) -> torch.Tensor:
    """Return what a process has of a tensor: DTensor's own storage is of all processes, and holds nothing."""
    shard: torch.Tensor = getattr(tensor, "_local_tensor", tensor)
    return shard


def printed(tensor: torch.Tensor) -> str:
    """Return a tensor's representation."""
    text: str = torch._tensor_str._str(tensor)
    return text


def original(func: Any) -> Any:
    """Return an operator by its overload packet."""
    return func.overloadpacket


def fake_store() -> Any:
    """Return the store of torch's fake process group, which sends nothing."""
    from torch.testing._internal.distributed.fake_pg import FakeStore  # noqa: PLC0415 - for processes alone

    return FakeStore()


@contextmanager
def as_worker(dataset: Any) -> Iterator[None]:
    """Be a loader's only worker, as get_worker_info() tells it."""
    before = loader_worker._worker_info
    loader_worker._worker_info = loader_worker.WorkerInfo(id=0, num_workers=1, seed=0, dataset=dataset)
    try:
        yield
    finally:
        loader_worker._worker_info = before

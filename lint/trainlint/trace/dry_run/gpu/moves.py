# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Moves between the CPU and the imitated GPU, and what a program makes on a GPU by torch's functions.

Most factories reach the dispatch mode with "cuda" as their device. Replaced here is what asks the driver
before that (`.to("cuda")`, `.cuda()`, `torch.tensor(device="cuda")`), or could not keep a tensor's identity
(`.data =`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import torch
from torch import Tensor, nn

from trainlint.trace.dry_run.gpu.device_identity import GPU, Identity
from trainlint.trace.dry_run.torch_names import (
    GROUPED,
    SHALLOW_COPY,
    get_data,
    set_data,
    swap_implementations,
)
from trainlint.trace.dry_run.truth import TRUTH, on_meta
from trainlint.trace.torch_private import DeviceContext, TensorBase, builtin_table, device_constructors

META: Final = torch.device("meta")
CPU: Final = torch.device("cpu")
FROM_DATA: Final = ("tensor", "as_tensor", "asarray", "sparse_coo_tensor", "sparse_csr_tensor")
"""Functions that make a tensor of values and ask the driver for where it goes."""
LEGACY: Final = (
    "FloatTensor", "HalfTensor", "BFloat16Tensor", "DoubleTensor", "LongTensor", "IntTensor", "ShortTensor",
    "CharTensor", "ByteTensor", "BoolTensor",
)  # fmt: skip
ON_META: Final = (
    "empty",
    "zeros",
    "ones",
    "full",
    "rand",
    "randn",
    "empty_like",
    "zeros_like",
    "empty_strided",
)
"""Functions with which a program makes tensors on meta itself."""


def is_gpu(value: Any) -> bool:
    """Return whether a device is the GPU, in any spelling."""
    if isinstance(value, torch.device):
        return value.type == "cuda"
    if isinstance(value, str):
        return value.partition(":")[0] == "cuda"
    return isinstance(value, int) and not isinstance(value, bool)


def _is_meta(value: Any) -> bool:
    return value == "meta" or (isinstance(value, torch.device) and value.type == "meta")


class Moves:
    """The replaced moves and factories."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        device_constructors()  # torch lists its own, once, before they are replaced
        return [
            (Tensor, "to", self._to),
            (Tensor, "cuda", self._cuda),
            (Tensor, "type", self._type),
            (Tensor, "data", property(get_data, _set_data)),
            (Tensor, "new_tensor", _new_tensor),
            (nn.Module, "to", _module_to(nn.Module.to)),
            (*SHALLOW_COPY, _compatible(getattr(*SHALLOW_COPY))),
            (*GROUPED, _grouped(getattr(*GROUPED))),
            (torch, "Generator", Generator),
            *legacy_types(self.identity),
            (DeviceContext, "__torch_function__", _in_context(DeviceContext.__torch_function__)),
            *((torch, name, _from_data(getattr(torch, name))) for name in FROM_DATA),
            *((torch, name, _placed(getattr(torch, name))) for name in ON_META),
        ]

    def _to(self, tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        device = kwargs.get("device", args[0] if args else None)
        if device is None or isinstance(device, torch.dtype):
            return TensorBase.to(tensor, *args, **kwargs)
        if TRUTH.moving:  # a function mode gives what is called below to this method
            return TensorBase.to(tensor, *args, **kwargs)
        if _is_meta(device):
            genuine: Tensor = _genuinely(TensorBase.to, tensor, *args, **kwargs)
            return genuine
        if is_gpu(device):
            there = META if on_meta(tensor) and self.identity.imitated(tensor) else GPU
            if "device" in kwargs:
                kwargs["device"] = there
            else:
                args = (there, *args[1:])
        TRUTH.moving = True
        try:
            return TensorBase.to(tensor, *args, **kwargs)
        finally:
            TRUTH.moving = False

    def _cuda(self, tensor: Tensor, device: Any = None, non_blocking: bool = False, **kwargs: Any) -> Tensor:
        return self._to(
            tensor, GPU if device is None or is_gpu(device) else device, non_blocking=non_blocking, **kwargs
        )

    def _type(self, tensor: Tensor, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        imitated = not TRUTH.depth and self.identity.imitated(tensor)
        if dtype is None:
            name = TensorBase.type(torch.empty(0, dtype=tensor.dtype, device=CPU)) if imitated else None
            return name.replace("torch.", "torch.cuda.") if name else TensorBase.type(tensor)
        wanted = (
            dtype
            if isinstance(dtype, str)
            else getattr(dtype, "__module__", "") + "." + getattr(dtype, "__name__", "")
        )
        if isinstance(dtype, torch.dtype):
            return self._to(tensor, dtype, non_blocking=non_blocking)
        if wanted.startswith("torch.cuda."):
            return self._to(tensor, device=GPU, dtype=_dtype_of(wanted), non_blocking=non_blocking)
        if imitated and wanted.startswith("torch."):
            return self._to(tensor, device=CPU, dtype=_dtype_of(wanted))
        return TensorBase.type(tensor, dtype, non_blocking=non_blocking, **kwargs)


def _dtype_of(name: str) -> torch.dtype:
    """Return the type of elements that a legacy type of tensors has."""
    dtype: torch.dtype = getattr(torch, name.rpartition(".")[2]).dtype
    return dtype


def _genuinely(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function that makes a tensor on meta because the program says so."""
    before, TRUTH.genuine = TRUTH.genuine, not TRUTH.loading
    try:
        return function(*args, **kwargs)
    finally:
        TRUTH.genuine = before


def _set_data(tensor: Tensor, other: Tensor) -> None:
    """Give a tensor other data; across devices the two exchange what they stand for."""
    if on_meta(tensor) == on_meta(other):
        set_data(tensor, other)
        return
    wanted, gradient = tensor.requires_grad, tensor.grad
    swap_implementations(tensor, other.detach())
    tensor.requires_grad_(wanted)
    if gradient is not None and on_meta(gradient) == on_meta(tensor):
        tensor.grad = gradient


def _compatible(truth: Callable[..., bool]) -> Callable[..., bool]:
    def either(tensor: Tensor, other: Tensor) -> bool:
        return on_meta(tensor) != on_meta(other) or truth(tensor, other)

    return either


def _grouped(truth: Callable[..., Any]) -> Callable[..., Any]:
    """Group an optimizer's tensors by the device that they say they are on."""

    def grouped(*args: Any, **kwargs: Any) -> Any:
        groups = truth(*args, **kwargs)
        return {
            (GPU if device.type == "meta" else device, dtype): rest
            for (device, dtype), rest in groups.items()
        }

    return grouped


def _known_to_script(made: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Let TorchScript know a replacement as what it replaces."""
    table = builtin_table()
    if (known := table.get(id(function))) is not None:
        table[id(made)] = known
    return made


def _from_data(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes a tensor on the CPU first, which is then moved."""

    @wraps(function)
    def made(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if device is None or not is_gpu(device):
            return _genuinely(function, *args, **kwargs) if _is_meta(device) else function(*args, **kwargs)
        wanted = kwargs.pop("requires_grad", False)
        if args and isinstance(args[0], Tensor) and on_meta(args[0]):
            kwargs["device"] = META
            tensor = function(*args, **kwargs)
        else:
            kwargs["device"] = CPU
            tensor = function(*args, **kwargs).to(GPU)
        return tensor.requires_grad_() if wanted else tensor

    return _known_to_script(made, function)


def _placed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a factory that notes where the program wants meta itself, and takes the number of a GPU."""

    @wraps(function)
    def made(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if device is not None:
            if _is_meta(device):
                return _genuinely(function, *args, **kwargs)
            if is_gpu(device):
                kwargs["device"] = GPU
        return function(*args, **kwargs)

    return _known_to_script(made, function)


def _new_tensor(tensor: Tensor, data: Any, *, device: Any = None, dtype: Any = None, **kwargs: Any) -> Tensor:
    where = tensor.device if device is None else device
    return torch.tensor(data, device=where, dtype=tensor.dtype if dtype is None else dtype, **kwargs)


def _module_to(truth: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(truth)
    def to(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        if args and is_gpu(args[0]):
            args = (GPU, *args[1:])
        if kwargs.get("device") is not None and is_gpu(kwargs["device"]):
            kwargs["device"] = GPU
        return truth(module, *args, **kwargs)

    return to


def _in_context(truth: Callable[..., Any]) -> Callable[..., Any]:
    """Let `with torch.device(...)` and set_default_device place what replaced functions make."""

    def within(context: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if _is_meta(context.device):
            return _genuinely(truth, context, func, types, args, kwargs)
        if context.device.type == "cuda" and getattr(func, "__name__", "") in FROM_DATA:
            kwargs = kwargs or {}
            if kwargs.get("device") is None:
                return getattr(torch, func.__name__)(*args, **{**kwargs, "device": GPU})
        return truth(context, func, types, args, kwargs)

    return within


class Generator(torch.Generator):
    """A generator on a GPU is one on the CPU that says otherwise."""

    on_gpu = False

    def __new__(cls, device: Any = "cpu") -> Any:
        """Make the generator where there can be one."""
        made: Any = super().__new__(cls, CPU if is_gpu(device) else device)  # type: ignore[call-arg]  # torch's stubs give it an __init__ alone
        made.on_gpu = is_gpu(device)
        return made

    @property
    def device(self) -> torch.device:  # type: ignore[override]  # an attribute in torch's stubs
        """Where the program wanted it."""
        return GPU if self.on_gpu else CPU


def legacy_types(identity: Identity) -> list[tuple[Any, str, Any]]:
    """Return torch.cuda.FloatTensor and its like: (where, name, replacement)."""
    return [(torch.cuda, name, _legacy(identity, name)) for name in LEGACY if hasattr(torch.cuda, name)]


def _legacy(identity: Identity, name: str) -> type:
    plain: Any = getattr(torch, name)

    class Legacy(type):
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, Tensor) and identity.imitated(value) and value.dtype == plain.dtype

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            kwargs.pop("device", None)
            return plain(*args, **kwargs).to(GPU)

    return Legacy(name, (), {"dtype": plain.dtype, "is_cuda": True, "__module__": "torch.cuda"})

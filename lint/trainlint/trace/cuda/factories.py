# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What own code makes on a GPU while it is traced, in torch's factories: made on meta."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final, Self

import torch
from torch import Tensor

from trainlint.trace.torch_private import DeviceContext, TensorBase, builtin_table, device_constructors

META: Final = torch.device("meta")
LIKE_FACTORIES: Final = (
    "empty_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "rand_like",
    "randn_like",
    "randint_like",
)
NEW_METHODS: Final = ("new_tensor", "new_empty", "new_empty_strided", "new_full", "new_zeros", "new_ones")

_imitating: ContextVar[bool] = ContextVar("imitating", default=False)


@contextmanager
def on_meta(acting: bool = True) -> Iterator[None]:
    """Let the replacements act, or not; own code may keep one beyond (`from torch import zeros`)."""
    token = _imitating.set(acting)
    try:
        yield
    finally:
        _imitating.reset(token)


def replacements() -> Iterator[tuple[Any, str, Any]]:
    """Yield what is replaced: (where, name, replacement)."""
    yield from ((torch, name, made) for name, made in _FACTORIES.items())
    yield from ((Tensor, name, _placed(getattr(TensorBase, name))) for name in NEW_METHODS)
    yield Tensor, "to", _to
    yield Tensor, "cuda", _cuda
    yield torch, "Generator", _Generator
    yield DeviceContext, "__init__", _entered


def _there(value: Any) -> Any:
    """Return where a tensor is made that is wanted on `value`: on meta for a GPU, in any spelling."""
    return META if _imitating.get() and _is_gpu(value) else value


def _is_gpu(value: Any) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    if isinstance(value, str):
        return value.partition(":")[0] == "cuda"
    return isinstance(value, int) and not isinstance(value, bool)


def _placed(made: Callable[..., Any]) -> Callable[..., Any]:
    """Return a factory that makes on meta what is asked for on a GPU, random numbers without a generator."""

    @wraps(made)
    def factory(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("device") is not None and _imitating.get():
            kwargs["device"] = _there(kwargs["device"])
            if kwargs["device"] == META:
                kwargs.pop("generator", None)
        return made(*args, **kwargs)

    return factory


def _factories() -> dict[str, Callable[..., Any]]:
    """Return torch's functions that make a tensor, by name, as own code calls them.

    TorchScript learns that they are what they replace; torch lists its own before they are replaced.
    """
    own = {id(function) for function in device_constructors()}
    names = [name for name in dir(torch) if name in LIKE_FACTORIES or id(getattr(torch, name)) in own]
    made = {name: _placed(getattr(torch, name)) for name in names}
    builtins = builtin_table()
    for name, factory in made.items():
        if (known := builtins.get(id(getattr(torch, name)))) is not None:
            builtins[id(factory)] = known
    return made


_FACTORIES: Final = _factories()


def _to(tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    if kwargs.get("device") is not None:
        kwargs["device"] = _there(kwargs["device"])
    return TensorBase.to(tensor, *map(_there, args[:1]), *args[1:], **kwargs)


def _cuda(tensor: Tensor, device: Any = None, non_blocking: bool = False, **kwargs: Any) -> Tensor:
    there = _there(torch.device("cuda") if device is None else device)
    return TensorBase.to(tensor, there, non_blocking=non_blocking, **kwargs)


class _Generator(torch.Generator):
    """A generator on a GPU, which is not there: one on the CPU."""

    def __new__(cls, device: Any = "cpu") -> Self:
        there = _there(device)
        made: Any = super().__new__
        return made(cls, "cpu" if there == META else there)  # type: ignore[no-any-return]  # torch's stubs give Generator an __init__ alone, and object's __new__ takes no device


def _entered(context: Any, device: Any) -> None:
    """Begin `with torch.device(...)` and its kin."""
    context.device = torch.device(_there(device))

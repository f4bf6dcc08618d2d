# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fast stand-ins for meta kernels: what an operator returns depends on its arguments' metadata alone.

Many of torch's meta kernels are Python (0.1 to 0.6 ms each); an operator seen before with the same shapes,
strides and types is answered here from memory, with fresh storages of the same sizes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

META: Final = torch.device("meta")
_empty_strided: Final = torch.empty_strided  # as torch has it: while tracing, own code calls another


class Unkeyed(Exception):  # noqa: N818  (not an error: the call is simply made for real)
    """The arguments cannot serve as a key (a tensor that is not on meta, an unhashable object)."""


class TensorLayout(NamedTuple):
    """One output tensor to make again."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype
    nbytes: int

    def make(self) -> Tensor:
        """Return a new meta tensor of this layout, in a storage of its own."""
        return _empty_strided(self.shape, self.stride, dtype=self.dtype, device=META)


class Outputs(NamedTuple):
    """What a call returns: the layouts (None for no tensor) and how they are packed."""

    layouts: tuple[TensorLayout | None, ...]
    pack: type | None  # None: a single tensor; tuple or list


def key_of(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Hashable:
    """Return the metadata that decides a call's outputs; raises Unkeyed."""
    parts = tuple([_part(arg) for arg in args])
    if kwargs:
        return (func, parts, tuple([(name, _part(value)) for name, value in kwargs.items()]))
    return (func, parts)


def _part(value: Any) -> Hashable:
    if isinstance(value, Tensor):
        if not value.is_meta:
            raise Unkeyed
        return (value.shape, value.stride(), value.dtype)
    kind = type(value)
    if kind is int or kind is str or value is None or kind is torch.dtype:
        return value  # type: ignore[no-any-return]  # mypy does not narrow by `type(value) is`
    if kind is list or kind is tuple:
        return tuple([_part(item) for item in value])
    if kind is float or kind is bool or kind is complex:
        return (kind, value)  # 1, 1.0 and True are equal keys, but promote differently
    if isinstance(value, (torch.device, torch.layout, torch.memory_format)):
        return value
    raise Unkeyed


def learn(outputs: Any, fresh: int) -> Outputs | None:
    """Describe what a call returned; None when it cannot be repeated by making new tensors.

    `fresh` is how many storages the call made: fewer than its tensors means that some are views.
    """
    pack = None if isinstance(outputs, Tensor) else type(outputs)
    if pack not in (None, tuple, list):
        return None
    items = (outputs,) if pack is None else tuple(outputs)
    layouts = tuple(_layout(item) for item in items)
    made = [layout for item, layout in zip(items, layouts) if item is not None]  # noqa: B905 - Python 3.9
    if any(layout is None for layout in made) or len(made) != fresh:
        return None
    return Outputs(layouts, pack)


def _layout(tensor: Any) -> TensorLayout | None:
    if not isinstance(tensor, Tensor) or not tensor.is_meta or tensor.storage_offset():
        return None
    layout = layout_of(tensor)
    return layout if layout.make().untyped_storage().nbytes() == layout.nbytes else None


def layout_of(tensor: Tensor) -> TensorLayout:
    """Return the layout of a tensor that begins where its storage does."""
    nbytes = tensor.untyped_storage().nbytes()
    return TensorLayout(tuple(tensor.shape), tensor.stride(), tensor.dtype, nbytes)


def like_this(tensor: Tensor) -> Tensor:
    """Return a new meta tensor with the shape, strides and type of another, dense one."""
    return _empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=META)


def foreach(name: str, args: Sequence[Any]) -> list[Tensor] | None:
    """Answer a multi-tensor operator: nothing in place, else one output per tensor of the first list."""
    if name.endswith("_"):
        return None
    like = args[0] if isinstance(args[0], (list, tuple)) else args[1]
    if name in ("_foreach_norm", "_foreach_max"):
        return [torch.empty((), dtype=t.dtype, device="meta") for t in like]
    return [like_this(t) for t in like]

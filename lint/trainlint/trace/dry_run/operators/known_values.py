# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Values that are known: a small tensor on the GPU has a twin on the CPU, as all that it was made of had.

Labels, masks, counts and time steps come from the CPU, and programs branch on them. A twin is a storage:
views and writes through any of them need no care. What an unknown tensor is written into is unknown from then
on, and products, convolutions and the like are never worked out.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import Parameter

from trainlint.trace.dry_run.operators.finite_values import Answers
from trainlint.trace.dry_run.torch_names import is_meta
from trainlint.trace.recording.operator_kinds import name_of
from trainlint.trace.torch_private import address_of, schema_of

CPU: Final = torch.device("cpu")
MOST_FLOATS: Final = 2**16
MOST_ELEMENTS: Final = 2**20
"""Elements that are kept; of floating-point tensors fewer, on which programs rarely branch."""
MOST_OF_PARAMETERS: Final = 2**10
"""Elements of a parameter that are kept: the first step makes them unknown, and there are many."""
NEVER_KNOWN: Final = frozenset(
    {
        "convolution", "convolution_backward", "mm", "addmm", "bmm", "baddbmm", "native_batch_norm",
        "native_layer_norm", "native_group_norm", "embedding_dense_backward", "grid_sampler_2d",
        "upsample_bilinear2d", "upsample_bicubic2d", "_fused_rms_norm", "linalg_svd", "_linalg_svd",
    }
)  # fmt: skip
POSITIONS: Final = {"argmax": 0, "argmin": 0, "max": 1, "min": 1}
"""Operators of which a result is positions along a dimension, and which of their results."""
UNFILLED: Final = ("empty", "new_empty")


class _Twin(weakref.ref):  # type: ignore[type-arg]  # generic since Python 3.9 alone
    """A weak reference to a storage that knows its address and has its twin."""

    __slots__ = ("address", "storage")
    address: int
    storage: Any


class Values:
    """The twins of one run."""

    def __init__(self) -> None:
        self.twins: dict[int, _Twin] = {}
        self._written: dict[int, tuple[int, ...]] = {}
        self._places: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        """Storages of positions along a dimension -> how many places that has."""
        self.answers = Answers()

    def keep(self, tensor: Tensor, twin: Tensor) -> None:
        """Give a tensor's storage a twin, if it begins where its storage does and is small."""
        storage = tensor.untyped_storage()
        if not _small(tensor) or tensor.storage_offset() or tensor.shape != twin.shape:
            return
        if twin.dtype != tensor.dtype or tensor.is_conj() or tensor.is_neg():
            return
        if twin.stride() != tensor.stride() or twin.untyped_storage().nbytes() != storage.nbytes():
            fresh = torch.empty(0, dtype=tensor.dtype, device=CPU).set_(
                torch.UntypedStorage(storage.nbytes()), 0, tensor.shape, tensor.stride()
            )
            fresh.copy_(twin)
            twin = fresh
        known = _Twin(storage, self._forget)
        known.address = address_of(storage)
        known.storage = twin.untyped_storage()
        self.twins[known.address] = known

    def _forget(self, known: _Twin) -> None:
        if self.twins.get(known.address) is known:
            del self.twins[known.address]

    def twin(self, tensor: Tensor) -> Tensor | None:
        """Return a tensor's values, None where they are not known; a view of what later changes with it."""
        known = self.twins.get(address_of(tensor.untyped_storage()))
        if known is None:
            return None
        view = torch.empty(0, dtype=tensor.dtype, device=CPU)
        view.set_(known.storage, tensor.storage_offset(), tensor.shape, tensor.stride())
        return view

    def drop(self, tensor: Tensor) -> None:
        """Forget a tensor's values: something unknown was written into it."""
        storage = tensor.untyped_storage()
        self.twins.pop(address_of(storage), None)
        if self._places:
            self._places.pop(storage, None)
        self.answers.drop(tensor)

    def most_different(self, tensor: Tensor) -> int:
        """Return how many different values a tensor can have: positions no more than there are places."""
        places = self._places.get(tensor.untyped_storage(), tensor.numel())
        return min(places, tensor.numel())

    def drop_all(self, tensors: Any) -> None:
        """Forget the values of all tensors in arguments."""
        for item in tensors if isinstance(tensors, (list, tuple)) else [tensors]:
            if isinstance(item, Tensor) and is_meta(item):
                self.drop(item)
            elif isinstance(item, (list, tuple)):
                self.drop_all(item)

    def written(self, func: Any) -> tuple[int, ...]:
        """Return the places of the arguments that an operator writes."""
        places = self._written.get(id(func))
        if places is None:
            places = self._written[id(func)] = tuple(
                place for place, argument in enumerate(schema_of(func).arguments)
                if argument.alias_info is not None and argument.alias_info.is_write
            )  # fmt: skip
        return places

    def follow(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        """Work an operator out on the twins of its arguments, or forget what it wrote."""
        small = _all_small(result)
        known = self.known(func, args, kwargs) if small else None
        if known is None and (answer := self.answers.of(func, args, result, small=small)) is not None:
            if small:
                self.keep(result, torch.full(result.shape, answer, dtype=result.dtype, device=CPU))
            return
        if known is None:
            self._lost(func, args, kwargs)
            self._count_places(func, args, kwargs, result)
            return
        if name_of(func).startswith(UNFILLED):  # as zeros: what is read before it is written decides nothing
            self.keep(result, torch.zeros(result.shape, dtype=result.dtype, device=CPU))
            return
        try:
            values = func(*known[0], **known[1])
        except (RuntimeError, NotImplementedError, TypeError, ValueError, IndexError):
            self._lost(func, args, kwargs)
            return
        self._attach(result, values)

    def _count_places(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        """Keep how many values a result of positions can have."""
        which = POSITIONS.get(name_of(func))
        dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
        results = result if isinstance(result, (list, tuple)) else (result,)
        if which is None or not isinstance(dim, int) or which >= len(results):
            return
        self._places[results[which].untyped_storage()] = args[0].shape[dim] if args[0].dim() else 1

    def follow_lists(self, func: Any, args: Sequence[Any]) -> None:
        """Forget what a multi-tensor operator wrote."""
        if self.twins or self._places:
            for place in self.written(func):
                self.drop_all(args[place])

    def fits(self, tensor: Tensor) -> bool:
        """Return whether a tensor's values would be kept."""
        return _small(tensor) and not _is_large_parameter(tensor)

    def known(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return an operator's arguments with twins in the place of tensors, None where one is not known."""
        try:
            if name_of(func) in NEVER_KNOWN:
                return None
            return [self._known(arg) for arg in args], {
                name: CPU if name == "device" else self._known(value) for name, value in kwargs.items()
            }
        except LookupError:
            return None

    def _known(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            if _is_large_parameter(value):
                raise LookupError
            if not is_meta(value):
                return value
            twin = self.twin(value)
            if twin is None:
                raise LookupError
            return twin
        if type(value) in (list, tuple):
            return [self._known(item) for item in value]
        return value

    def _attach(self, result: Any, values: Any) -> None:
        if isinstance(result, Tensor):
            if isinstance(values, Tensor) and is_meta(result) and self.twin(result) is None:
                self.keep(result, values)
        elif isinstance(result, (list, tuple)) and isinstance(values, (list, tuple)):
            for part, value in zip(result, values):  # noqa: B905 - Python 3.9
                self._attach(part, value)

    def _lost(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        for place in self.written(func):
            if place < len(args):
                self.drop_all(args[place])
        if kwargs.get("out") is not None:
            self.drop_all(kwargs["out"])


def _is_large_parameter(tensor: Tensor) -> bool:
    kind = type(tensor)
    return kind is not Tensor and issubclass(kind, Parameter) and tensor.numel() > MOST_OF_PARAMETERS


def _all_small(result: Any) -> bool:
    items = result if isinstance(result, (list, tuple)) else (result,)
    return all(_small(item) for item in items if isinstance(item, Tensor))


def is_small(shape: Sequence[int], dtype: torch.dtype) -> bool:
    """Return whether a tensor is small enough to have its values kept."""
    count = 1
    for side in shape:
        count *= side
    return count <= (MOST_FLOATS if dtype.is_floating_point or dtype.is_complex else MOST_ELEMENTS)


def _small(tensor: Tensor) -> bool:
    return tensor.layout == torch.strided and is_small(tensor.shape, tensor.dtype)

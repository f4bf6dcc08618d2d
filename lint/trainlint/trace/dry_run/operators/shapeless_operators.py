# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Operators whose result no meta kernel can say: sizes that depend on values, and kernels that meta lacks.

Where the values are known, they are worked out on the CPU. Else a size is the most or the least that it can
be, and a missing kernel is answered by the same operator on the CPU, with constants for values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import torch
from torch import Tensor

from trainlint.trace.dry_run.operators.guesses import Guesses
from trainlint.trace.dry_run.operators.known_values import CPU, Values
from trainlint.trace.dry_run.torch_names import is_meta
from trainlint.trace.recording.operator_cost import costs
from trainlint.trace.recording.operator_kinds import name_of
from trainlint.trace.recording.storage_ledger import StorageLedger
from trainlint.trace.torch_private import DataDependentOutputException, DynamicOutputShapeException

META: Final = torch.device("meta")
SIZED: Final = frozenset(
    {
        "nonzero", "masked_select", "_unique2", "unique_dim", "unique_consecutive", "unique_dim_consecutive",
        "repeat_interleave", "bincount", "nms", "_unique", "nonzero_static",
    }
)  # fmt: skip
FLATTENED: Final = "_cudnn_rnn_flatten_weight"
"""Moves a recurrent network's weights into one buffer, of which they are views from then on: no byte more
(aten/src/ATen/native/cudnn/RNN.cpp)."""
MASKED: Final = frozenset({"index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index"})
WORDS: Final = ("no data", "meta", "FakeTensor", "not implemented", "Could not run", "CUDA")


class ImitatedGpu(Protocol):
    """What an answer needs of the imitated GPU."""

    reads: int
    """How often something followed from values."""

    @property
    def values(self) -> Values:
        """Values that are known on the CPU."""

    @property
    def guesses(self) -> Guesses:
        """What a run assumes of values that are not known."""

    @property
    def ledger(self) -> StorageLedger:
        """What lives on the GPU."""


class MissingKernelError(RuntimeError):
    """An operator that neither meta nor the CPU can answer: the imitation's fault, not the program's."""


def is_missing(error: BaseException) -> bool:
    """Return whether an error says that the imitation lacks a kernel."""
    if isinstance(error, (NotImplementedError, DataDependentOutputException, DynamicOutputShapeException)):
        return True
    return "meta" in str(error) and "device" not in str(error)


def answered(
    mode: ImitatedGpu,
    func: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    refused: BaseException | None = None,
) -> Any:
    """Return what an operator gives on the CPU, moved to the GPU.

    `refused`: what meta's kernel said. Where the CPU's refuses the call too, the program is wrong, and hears
    it in the words of a real kernel.
    """
    name = name_of(func)
    if name == FLATTENED:
        return torch.empty(0, device=META)
    mode.reads += 1
    known = mode.values.known(func, args, kwargs)
    if known is None:
        guess = _GUESSED.get(name)
        if guess is not None:
            named = (args[0], None, kwargs["minlength"]) if "minlength" in kwargs else args
            return _recorded(mode, func, args, kwargs, guess(mode, named))
        known = [_stand_ins(mode, list(args)), _stand_ins(mode, dict(kwargs))]
        values = None
    else:
        values = True
    try:
        result = func(*known[0], **known[1])
    except (NotImplementedError, RuntimeError) as error:
        if refused is not None and not is_missing(refused) and not isinstance(error, NotImplementedError):
            raise
        raise MissingKernelError(f"{name} has no kernel that could be imitated: {error}") from error
    return _recorded(mode, func, args, kwargs, result, values=bool(values))


def _recorded(
    mode: ImitatedGpu, func: Any, args: Any, kwargs: Any, result: Any, *, values: bool = False
) -> Any:
    """Return tensors on the GPU shaped as a result, recorded, and their values if they are true."""
    written = mode.values.written(func)
    if written and result is not None:
        return args[written[0]]

    def moved(item: Any) -> Any:
        if isinstance(item, (list, tuple)):
            return type(item)([moved(part) for part in item])
        if not isinstance(item, Tensor) or is_meta(item):
            return item
        tensor = torch.empty_strided(item.shape, item.stride(), dtype=item.dtype, device=META)
        mode.ledger.births(tensor)
        if values:
            mode.values.keep(tensor, item)
        return tensor

    made = moved(result)
    mode.ledger.work(costs(name_of(func), args, kwargs, made))
    return made


def _stand_ins(mode: ImitatedGpu, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _stand_ins(mode, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_stand_ins(mode, item) for item in value]
    if isinstance(value, Tensor) and is_meta(value):
        twin = mode.values.twin(value)
        return torch.zeros(value.shape, dtype=value.dtype, device=CPU) if twin is None else twin
    if isinstance(value, torch.device):
        return torch.device("cpu")
    return value


def indices(mode: ImitatedGpu, args: Sequence[Any]) -> list[Any]:
    """Return an indexing's arguments with masks as positions, and positions of the CPU on the GPU."""
    replaced: list[Any] = []
    for index in args[1]:
        if not isinstance(index, Tensor):
            replaced.append(index)
        elif index.dtype in (torch.bool, torch.uint8):
            replaced += positions(mode, index)
        elif is_meta(index):
            replaced.append(index)
        else:
            tensor = torch.empty(index.shape, dtype=index.dtype, device=META)
            mode.ledger.births(tensor)
            mode.values.keep(tensor, index)
            replaced.append(tensor)
    return [args[0], replaced, *args[2:]]


def positions(mode: ImitatedGpu, mask: Tensor) -> list[Tensor]:
    """Return where a mask is true, one tensor for each dimension, as CUDA makes them."""
    mode.reads += 1
    known = mode.values.twin(mask) if is_meta(mask) else mask
    if known is None:
        count = mode.guesses.size("how much a mask selects", mask.numel())
        whole = torch.empty((count, mask.dim()), dtype=torch.int64, device=META)
        mode.ledger.births(whole)
    else:
        values = known.nonzero()
        whole = torch.empty(values.shape, dtype=torch.int64, device=META)
        mode.ledger.births(whole)
        mode.values.keep(whole, values)
    return list(whole.unbind(1))


def _nonzero(mode: ImitatedGpu, args: Sequence[Any]) -> Tensor:
    count = mode.guesses.size("how many elements are not zero", args[0].numel())
    return _like((count, args[0].dim()), torch.int64)


def _selected(mode: ImitatedGpu, args: Sequence[Any]) -> Tensor:
    shape = torch.broadcast_shapes(args[0].shape, args[1].shape)
    known = mode.values.twin(args[1]) if is_meta(args[1]) else args[1]
    if known is not None:
        return _like((int(known.expand(shape).sum()),), args[0].dtype)
    return _like((mode.guesses.size("how much a mask selects", shape.numel()),), args[0].dtype)


def _unique(mode: ImitatedGpu, args: Sequence[Any]) -> tuple[Tensor, ...]:
    most = mode.values.most_different(args[0]) if is_meta(args[0]) else args[0].numel()
    count = mode.guesses.size("how many values are different", most, min(1, most))
    return _like((count,), args[0].dtype), _like(args[0].shape, torch.int64), _like((count,), torch.int64)


def _kept(mode: ImitatedGpu, args: Sequence[Any]) -> Tensor:
    return _like((mode.guesses.size("how many boxes are kept", args[0].shape[0]),), torch.int64)


def _counted(mode: ImitatedGpu, args: Sequence[Any]) -> Tensor:
    """Return the shape of a count: of as many classes as the program names, as a confusion matrix has."""
    least = args[2] if len(args) > 2 else 0  # noqa: PLR2004 - bincount(input, weights, minlength)
    most = least or args[0].numel()
    return _like((mode.guesses.size("the largest number of a count", most, least or 1),), torch.int64)


def _like(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Return a tensor on the CPU of which only the shape is read: untouched pages take no memory."""
    return torch.empty(tuple(shape), dtype=dtype, device=CPU)


_GUESSED: Final = {
    "nonzero": _nonzero, "masked_select": _selected, "_unique2": _unique, "_unique": _unique,
    "unique_consecutive": _unique, "nms": _kept, "bincount": _counted,
}  # fmt: skip

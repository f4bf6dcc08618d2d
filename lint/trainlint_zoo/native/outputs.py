# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a network returns, and the losses that are taken of it: one, or one for each of several tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.given_step import LOSSES, OUTPUT_NAMES

NO_LOSS: Final = "none"
"""Of an output that no loss is taken of."""

Criterion = Callable[..., Tensor] | None


def criteria_of(losses: Sequence[Mapping[str, Any]]) -> tuple[Criterion, ...]:
    """Return the loss of each output, None where there is none; CannotTraceError for an unknown name."""
    kinds = [str(loss.get("type")) for loss in losses] or [""]
    unknown = next((kind for kind in kinds if kind not in LOSSES and kind != NO_LOSS), None)
    if unknown is not None:
        raise CannotTraceError(f'unknown loss "{unknown}", expected one of {", ".join(LOSSES)}')
    return tuple(LOSSES.get(kind) for kind in kinds)


def outputs_of(returned: Any, count: int, arch: str) -> tuple[Tensor, ...]:
    """Return the tensors that `count` losses are taken of, in order.

    Of a network that returns its own loss that alone, without a dimension. CannotTraceError where there are
    more or fewer than losses: nobody can know then which loss is of which.
    """
    named = _named(returned)
    if named is not None and count == 1:
        return (named,)
    tensors = tuple(_tensors(returned))
    if len(tensors) != count:
        raise CannotTraceError(
            f'{arch} returns {len(tensors)} tensors, and "loss" names {count}: give a list with one for each '
            f"in the order of the outputs ({NO_LOSS}: it has no loss)"
        )
    return tensors


def _named(returned: Any) -> Tensor | None:
    """Return the loss that a network names, or what libraries call its answer; None where it has neither."""
    if isinstance(returned, Tensor):
        return None
    for name in ("loss", *OUTPUT_NAMES):
        value = returned.get(name) if isinstance(returned, Mapping) else getattr(returned, name, None)
        if isinstance(value, Tensor):
            return value.mean() if name == "loss" else value
    return None


def _tensors(returned: Any) -> Iterator[Tensor]:
    if isinstance(returned, Tensor):
        if returned.is_floating_point():
            yield returned
    elif isinstance(returned, Mapping):
        for value in returned.values():
            yield from _tensors(value)
    elif isinstance(returned, Sequence) and not isinstance(returned, str | bytes):
        for value in returned:
            yield from _tensors(value)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a network returns, and the losses that are taken of it: one, or one for each of several tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.given_step import LOSSES, named_tensors, tensors_in

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
    more or fewer than losses: which loss is of which is not known then.
    """
    named = () if count > 1 or isinstance(returned, Tensor) else named_tensors(returned)
    if (tensor := next((tensor for tensor in named if tensor is not None), None)) is not None:
        return (tensor,)
    tensors = tuple(tensors_in(returned))
    if len(tensors) != count:
        raise CannotTraceError(
            f'{arch} returns {len(tensors)} tensors, and "loss" names {count}: give a list with one for each '
            f"in the order of the outputs ({NO_LOSS}: it has no loss)"
        )
    return tensors

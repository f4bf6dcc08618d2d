# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tests for infinite values and NaN: a training that goes well has none, so all elements give one answer.

Programs make them of whole feature maps and stop where the sum of the answers, or any of them, says so.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from torch import Tensor

from trainlint.trace.recording.operator_kinds import name_of

NOT_FINITE: Final = ("isnan", "isinf", "isposinf", "isneginf")
OF_ANSWERS: Final[Mapping[str, Callable[[Sequence[bool]], bool]]] = {
    **dict.fromkeys(("logical_not", "bitwise_not"), lambda answers: not answers[0]),
    **dict.fromkeys(("logical_and", "bitwise_and", "mul"), all),
    **dict.fromkeys(("logical_or", "bitwise_or"), any),
}
"""What makes answers of answers, element by element; `isfinite` is a product of two."""
WHETHER: Final = frozenset({"any", "all"})
HOW_MANY: Final = frozenset({"sum", "count_nonzero"})
"""What makes one number of many answers."""


class Answers:
    """The answers of one run in tensors too large to keep, each the same in its whole tensor."""

    def __init__(self) -> None:
        self._given: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()

    def drop(self, tensor: Tensor) -> None:
        """Forget a tensor's answer: something was written into it."""
        if self._given:
            self._given.pop(tensor.untyped_storage(), None)

    def of(self, func: Any, args: Sequence[Any], result: Any, *, small: bool) -> bool | int | None:
        """Return what is in every element of an operator's result, None where that is not known.

        That of a small one is not noted here: its values are kept by who asks.
        """
        name = name_of(func)
        answer: bool | int | None = _finite(name, args)
        if answer is None and self._given and (given := self._all(args)):
            if name in OF_ANSWERS:
                answer = OF_ANSWERS[name](given)
            elif name in WHETHER:
                answer = given[0]
            elif name in HOW_MANY and result.numel():
                answer = given[0] * (args[0].numel() // result.numel())
        if isinstance(answer, bool) and not small:
            self._given[result.untyped_storage()] = answer
        return answer

    def _all(self, args: Sequence[Any]) -> list[bool] | None:
        """Return the answers of all tensors, None where one of them has none."""
        storages = [arg.untyped_storage() for arg in args if isinstance(arg, Tensor)]
        given = [self._given[storage] for storage in storages if storage in self._given]
        return given if len(given) == len(storages) else None


def _finite(name: str, args: Sequence[Any]) -> bool | None:
    """Return what a test for infinite values says of unknown ones."""
    if name in NOT_FINITE:
        return False
    if name not in ("eq", "ne") or not isinstance(args[0], Tensor):
        return None
    other = args[1]
    itself = other is args[0]
    if itself or (isinstance(other, float) and abs(other) == float("inf")):
        return (name == "eq") == itself
    return None

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An axis of a sweep: one key of a config or a command, and the values that it takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct

from trainlint.errors import UsageError
from trainlint.model.document import Path

MOST_VALUES: Final = 2_000
"""Values of one axis that are judged one by one: each is read as the trainer reads it, some 4 ms."""
LARGEST_VALUE: Final = 10**18
"""Whole numbers that a range may reach: Python counts the values of no range beyond 2^63."""


class Axis(Struct, frozen=True):
    """What one key takes; `note` says of what more its values are the ends."""

    key: str
    path: Path
    values: tuple[Any, ...]
    note: str = ""


def axis_of(key: str, path: Path, values: Sequence[Any], note: str = "") -> Axis:
    """Return an axis, of very many numbers its two ends; UsageError without a value."""
    if (
        isinstance(values, range)
        and max(abs(values.start), abs(values.stop), abs(values.step)) > LARGEST_VALUE
    ):
        raise UsageError(f'"{key}": expected whole numbers up to {LARGEST_VALUE:,}')
    if not values:
        raise UsageError(f'"{key}" has no values')
    if len(values) > MOST_VALUES:
        first, last = values[0], values[-1]
        return Axis(key, path, (first, last), f"{len(values):,} values, judged at {first} and {last}")
    return Axis(key, path, distinct(values), note)


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values without what comes again; 1, 1.0 and true are three values."""
    return tuple({(type(value).__name__, repr(value)): value for value in values}.values())

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Columns: the tables and events of a tape as lists of numbers that compress well, and back.

Blocks and operators repeat, so each distinct one is stored once and named by number. The backward pass frees
in the opposite order, so a free is stored as the block's rank among the living, youngest first: mostly small
numbers that recur.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from trainlint.tape import Event, Size
from trainlint.tape.events import LETTERS, Events
from trainlint.tape.flow import numbered
from trainlint.tape.profile_header import damaged

SIZE_FIELDS: Final = ("size", "flops", "read", "written")
TEXT_FIELDS: Final = ("kind", "owner", "key", "dtype")
"""Fields of a block and an operator by what they hold; the others, and those of a size, are numbers."""


class DistinctValues:
    """Distinct values in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        """Return a value's number."""
        return self.numbers.setdefault(value, len(self.numbers))


def pack(
    kind: Any, rows: Iterable[Any], sizes: DistinctValues, words: DistinctValues
) -> dict[str, list[int]]:
    """Return a column of numbers per field; sizes and words are numbers of their tables."""
    columns = list(zip(*rows, strict=True)) or [()] * len(kind._fields)
    tables = {**dict.fromkeys(SIZE_FIELDS, sizes), **dict.fromkeys(TEXT_FIELDS, words)}
    return {
        name: list(map(tables.get(name, int), column))
        for name, column in zip(kind._fields, columns, strict=True)
    }


def unpack(
    kind: Any, columns: Mapping[str, Any], sizes: Sequence[Size] = (), words: Sequence[str] = ()
) -> list[Any]:
    """Undo `pack`; numbers are taken as they are."""
    tables = {**dict.fromkeys(SIZE_FIELDS, sizes), **dict.fromkeys(TEXT_FIELDS, words)}
    ordered = [
        map(tables[name].__getitem__, columns[name]) if name in tables else columns[name]
        for name in kind._fields
    ]
    made = partial(tuple.__new__, kind)  # its own constructor is Python, and a tape has thousands
    return list(map(made, zip(*ordered, strict=True)))


def split(events: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Split the events by kind: births relative to the next number, deaths as ranks, the rest as they are."""
    numbers: dict[int, list[int]] = {kind: [] for kind in Event}
    living: list[int] = []
    born = 0
    for kind, index in events:
        number = index
        if kind == Event.ALLOC:
            number = index - born
            born += 1
            insort(living, index)
        elif kind == Event.FREE:
            position = bisect_left(living, index)
            number = len(living) - position
            del living[position]
        numbers[kind].append(number)
    return {
        "order": "".join(LETTERS[kind] for kind, _ in events),
        "allocs": numbers[Event.ALLOC] if any(numbers[Event.ALLOC]) else [],
        "ranks": numbers[Event.FREE],
        "work": numbers[Event.OP],
        "moments": numbers[Event.MARK],
    }


def joined(body: Mapping[str, Any]) -> Events:
    """Undo `split`; StaleError where a storage dies that was not alive."""
    order = body["order"].encode("ascii")
    numbers = numbered(order, *(body[name] for name in ("allocs", "ranks", "work", "moments")))
    return Events(order, numbers) if numbers is not None else damaged("a storage dies that was not alive")

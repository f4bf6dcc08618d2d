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
from dataclasses import fields
from typing import Any, Final

from trainlint.tape import Event, Size

LETTERS: Final = "AFOM"
"""The kinds of events, in the order of Event."""


class Table:
    """Distinct values in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        """Return a value's number."""
        return self.numbers.setdefault(value, len(self.numbers))


def pack(kind: type[Any], rows: Iterable[Any], sizes: Table, words: Table) -> dict[str, list[int]]:
    """Return a column of numbers per field; sizes and words are numbers of their tables."""
    tables: dict[Any, Any] = {"Size": sizes, "str": words, "int": int}
    rows = list(rows)
    return {
        field.name: [tables[field.type](getattr(row, field.name)) for row in rows] for field in fields(kind)
    }


def unpack(
    kind: type[Any], columns: Mapping[str, Any], sizes: Sequence[Size] = (), words: Sequence[str] = ()
) -> list[Any]:
    """Undo `pack`."""
    tables: dict[Any, Any] = {"Size": sizes.__getitem__, "str": words.__getitem__, "int": int}
    ordered = [map(tables[field.type], columns[field.name]) for field in fields(kind)]
    return [kind(*row) for row in zip(*ordered, strict=True)]


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
            at = bisect_left(living, index)
            number = len(living) - at
            del living[at]
        numbers[kind].append(number)
    return {
        "order": "".join(LETTERS[kind] for kind, _ in events),
        "allocs": numbers[Event.ALLOC] if any(numbers[Event.ALLOC]) else [],
        "ranks": numbers[Event.FREE],
        "work": numbers[Event.OP],
        "moments": numbers[Event.MARK],
    }


def joined(body: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Undo `split`."""
    allocs, ranks, work, moments = (iter(body[name]) for name in ("allocs", "ranks", "work", "moments"))
    living: list[int] = []
    events: list[tuple[int, int]] = []
    born, in_order = 0, not body["allocs"]
    happen, pop, live = events.append, living.pop, living.append  # a tape has up to a million events
    for letter in body["order"]:
        if letter == "A":
            if in_order:
                index = born
                live(index)
            else:
                index = born + next(allocs)
                insort(living, index)
            born += 1
            happen((0, index))
        elif letter == "F":
            happen((1, pop(-next(ranks))))
        elif letter == "O":
            happen((2, next(work)))
        else:
            happen((3, next(moments)))
    return events

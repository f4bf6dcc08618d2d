# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A tape's events and blocks as columns: pairs and rows for readers, numbers for loops."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import compress
from typing import Any, Final, overload

from trainlint.tape.flow import Column
from trainlint.tape.tape import Block, Size

LETTERS: Final = "AFOM"
"""The kinds of events, in the order of Event."""
_LETTER_KINDS: Final = bytes.maketrans(LETTERS.encode(), bytes(range(len(LETTERS))))
_LETTERS: Final = LETTERS.encode()
_ONLY_KIND: Final = [bytes(char == letter for char in range(256)) for letter in _LETTERS]
"""By kind: a table that leaves what is not zero of its letter alone."""


class Events(Sequence[tuple[int, int]]):
    """Events as pairs (kind, index): `order` has a letter for each, `numbers` the indices."""

    __slots__ = ("numbers", "order")

    def __init__(self, order: bytes, numbers: Column) -> None:
        self.order = order
        self.numbers = numbers

    @classmethod
    def of(cls, events: Sequence[tuple[int, int]]) -> Events:
        """Return events as columns."""
        if isinstance(events, Events):
            return events
        order = bytes(_LETTERS[kind] for kind, _ in events)
        return cls(order, array("i", [index for _, index in events]))

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.order.translate(_LETTER_KINDS), self.numbers, strict=True)

    @overload
    def __getitem__(self, index: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, index: slice) -> Events: ...
    def __getitem__(self, index: int | slice) -> tuple[int, int] | Events:
        """Return an event, or those of a slice as columns too."""
        if isinstance(index, slice):
            return Events(self.order[index], self.numbers[index])
        return _LETTERS.index(self.order[index]), self.numbers[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Events):
            return self.order == other.order and self.numbers == other.numbers
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal to tuples, whose hash it does not have

    def of_kind(self, kind: int) -> Iterator[int]:
        """Return the indices of the events of one kind."""
        return compress(self.numbers, self.order.translate(_ONLY_KIND[kind]))

    def places(self, kind: int) -> Iterator[int]:
        """Return where the events of one kind are."""
        return compress(range(len(self)), self.order.translate(_ONLY_KIND[kind]))

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return where an event is first; ValueError where it is not."""
        kind, number = value
        position = self.order.find(_LETTERS[kind], start, stop)
        while position >= 0 and self.numbers[position] != number:
            position = self.order.find(_LETTERS[kind], position + 1, stop)
        if position < 0:
            raise ValueError(f"{value} does not happen")
        return position


class Blocks(Sequence[Block]):
    """Blocks of which many are the same: `births` has the row of each in `distinct`."""

    distinct: Sequence[Block]
    births: Column

    def __init__(self, distinct: Sequence[Block], births: Column) -> None:
        self.distinct = distinct
        self.births = births

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Blocks:
        """Return blocks by rows, where the same object is one row."""
        if isinstance(blocks, Blocks):
            return blocks
        distinct = {id(block): block for block in blocks}
        rows = {identity: row for row, identity in enumerate(distinct)}
        return cls([*distinct.values()], array("i", [rows[id(block)] for block in blocks]))

    def __len__(self) -> int:
        return len(self.births)

    def __iter__(self) -> Iterator[Block]:
        return map(self.row, self.births)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Block, ...]: ...
    def __getitem__(self, index: int | slice) -> Block | tuple[Block, ...]:
        """Return a block, or those of a slice."""
        if isinstance(index, slice):
            return tuple(map(self.row, self.births[index]))
        return self.row(self.births[index])

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Blocks | tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal to tuples, whose hash it does not have

    def __reduce__(self) -> tuple[Any, ...]:
        return Blocks, (self.distinct, self.births)

    def row(self, number: int) -> Block:
        """Return one of `distinct`."""
        return self.distinct[number]

    def having(self, test: Callable[[str, str], bool]) -> frozenset[int]:
        """Return the rows whose kind and owner pass a test; the owner may have a star for its layer."""
        return frozenset(row for row, block in enumerate(self.distinct) if test(block.kind, block.owner))

    @cached_property
    def sizes(self) -> tuple[Sequence[Size], Column]:
        """The sizes of the rows, each once, and the number of each row's."""
        numbers: dict[Size, int] = {}
        rows = array("i", [numbers.setdefault(block.size, len(numbers)) for block in self.distinct])
        return tuple(numbers), rows

    def devices(self) -> Column:
        """Return the virtual GPU of each row."""
        return array("i", [block.device for block in self.distinct])

    def streams(self) -> Column:
        """Return the stream of each row."""
        return array("i", [block.stream for block in self.distinct])

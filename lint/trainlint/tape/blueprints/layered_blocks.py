# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The storages of a step that is unrolled from a blueprint: rows, each in several layers, and their sizes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from trainlint.tape import Block, Size
from trainlint.tape.events import Blocks
from trainlint.tape.flow import Column, distinct, spread

ANY_LAYER: Final = "*"
FourFormulas = tuple[int, ...]
"""The numbers of the formulas of a size's parts."""


class BlockRow(NamedTuple):
    """A storage in every round: `owner` has a star for its layer."""

    size: FourFormulas
    kind: str
    owner: str
    device: int
    stream: int


def size_at(parts: FourFormulas, values: Sequence[int]) -> Size:
    """Return a size of its parts' formulas, whose values are given."""
    return Size(*map(values.__getitem__, parts))


class Births:
    """The births of a step's events, each a row of a layer, whatever the sizes of the rows.

    `births` has of each its layer times the number of rows, plus the row; `of_row` says how many a row has.
    """

    def __init__(self, rows: Sequence[BlockRow], births: Column, of_row: Mapping[int, int]) -> None:
        self.of_row = of_row
        self._rows, self._pairs = rows, distinct(births)
        numbers = array("i", [0]) * (1 + max(self._pairs, default=-1))
        for number, pair in enumerate(self._pairs):
            numbers[pair] = number
        self.column = spread(numbers, births)
        self.numbers = [pair % len(rows) for pair in self._pairs]

    def block(self, number: int, sizes: Sequence[Size]) -> Block:
        """Return a row of a layer, of its row's size."""
        layer, place = divmod(self._pairs[number], len(self._rows))
        row = self._rows[place]
        owner = row.owner.replace(ANY_LAYER, str(layer))
        return Block(sizes[place], row.kind, owner, row.device, row.stream)

    def each(self, values: Sequence[int]) -> array[int]:
        """Return of each row of each layer what its row has."""
        return array("i", map(values.__getitem__, self.numbers))


class LayeredBlocks(Blocks):
    """Blocks whose rows are made where somebody asks for one: there are as many as layers times rows."""

    def __init__(self, born: Births, rows: Sequence[BlockRow], values: Sequence[int]) -> None:
        self._born, self._rows = born, rows
        self._sizes = [size_at(row.size, values) for row in rows]
        self._made: dict[int, Block] = {}
        self.births = born.column

    @cached_property
    def distinct(self) -> Sequence[Block]:  # type: ignore[override]
        """The rows, a layer's each."""
        return [self.row(number) for number in range(len(self._born.numbers))]

    def row(self, number: int) -> Block:
        """Return one of `distinct`, of which few are asked for."""
        if number not in self._made:
            self._made[number] = self._born.block(number, self._sizes)
        return self._made[number]

    def having(self, test: Callable[[str, str], bool]) -> frozenset[int]:
        """Return the rows whose kind and owner, a layer's with a star, pass a test."""
        passed = [test(row.kind, row.owner) for row in self._rows]
        return frozenset(number for number, row in enumerate(self._born.numbers) if passed[row])

    @cached_property
    def sizes(self) -> tuple[Sequence[Size], array[int]]:
        """The sizes of the rows, each once, and the number of each row's."""
        met: dict[Size, int] = {}
        of_row = [met.setdefault(size, len(met)) for size in self._sizes]
        return tuple(met), self._born.each(of_row)

    def devices(self) -> array[int]:
        """Return the virtual GPU of each row."""
        return self._born.each([row.device for row in self._rows])

    def streams(self) -> array[int]:
        """Return the stream of each row."""
        return self._born.each([row.stream for row in self._rows])

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The storages of a step that is unrolled from a blueprint: rows, each in several layers, and their sizes."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from trainlint.tape import Block, Size
from trainlint.tape.events import Blocks

ANY_LAYER: Final = "*"
FourFormulas = tuple[int, ...]
"""The numbers of the formulas of a size's parts."""


@dataclass(frozen=True)
class BlockRow:
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
    """The births of a step's events, each a row of a layer, whatever the sizes of the rows."""

    def __init__(self, rows: Sequence[BlockRow], born: Sequence[tuple[int, int]]) -> None:
        numbers = {pair: number for number, pair in enumerate(dict.fromkeys(born))}
        self.column = array("i", map(numbers.__getitem__, born))
        self.numbers = [row for row, _ in numbers]
        self.of_row = Counter(row for row, _ in born)
        self._rows, self._pairs = rows, list(numbers)

    @cached_property
    def described(self) -> list[tuple[str, str, int, int]]:
        """Kind, owner, device and stream of each row of each layer."""
        rows = self._rows
        return [
            (row.kind, row.owner.replace(ANY_LAYER, str(layer)), row.device, row.stream)
            for number, layer in self._pairs
            for row in [rows[number]]
        ]

    def each(self, values: Sequence[int]) -> array[int]:
        """Return of each row of each layer what its row has."""
        return array("i", map(values.__getitem__, self.numbers))


class LayeredBlocks(Blocks):
    """Blocks whose rows are made where somebody asks for one: there are as many as layers times rows."""

    def __init__(self, born: Births, rows: Sequence[BlockRow], values: Sequence[int]) -> None:
        self._born, self._rows = born, rows
        self._sizes = [size_at(row.size, values) for row in rows]
        self.births = born.column

    @cached_property
    def distinct(self) -> Sequence[Block]:  # type: ignore[override]
        """The rows, a layer's each."""
        sizes = map(self._sizes.__getitem__, self._born.numbers)
        return [Block(size, *rest) for size, rest in zip(sizes, self._born.described, strict=True)]

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

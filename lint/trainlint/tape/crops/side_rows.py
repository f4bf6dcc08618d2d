# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The rows of crops, a value for each side: the first side's whole, of the others what differs, by number.

A row is made only when asked for: interpolating to another side asks for sizes and keys.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, Final, Generic, TypeVar, overload

from trainlint.tape import Block, Op, Size

Row = TypeVar("Row", bound=Hashable)

Table = Sequence[tuple[Row, ...]]
"""Distinct rows of values, one for each side."""
Figures = tuple[int, int, int]
"""Numbers of the rows of an operator's flops, read and written bytes."""


class Rows(Sequence[tuple[Row, ...]], Generic[Row]):
    """Rows by `first`, which has the values at the first side."""

    first: Sequence[Row]

    def __len__(self) -> int:
        return len(self.first)

    @overload
    def __getitem__(self, index: int) -> tuple[Row, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[Row, ...]]: ...
    def __getitem__(self, index: int | slice) -> tuple[Row, ...] | Sequence[tuple[Row, ...]]:
        """Return a row, or those of a slice."""
        if isinstance(index, slice):
            return [self.row(number) for number in range(*index.indices(len(self)))]
        return self.row(range(len(self))[index])

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Rows | tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal to tuples, whose hash it does not have

    def row(self, index: int) -> tuple[Row, ...]:
        """Return the values of a row at every side."""
        raise NotImplementedError


class BlockRows(Rows[Block]):
    """Blocks that differ in their sizes alone: the number of each one's row in `sizes`."""

    def __init__(self, first: Sequence[Block], size_of: Sequence[int], sizes: Table[Size]) -> None:
        self.first, self.size_of, self.sizes = first, size_of, sizes

    @classmethod
    def of(cls, rows: Sequence[Sequence[Block]]) -> BlockRows:
        """Return blocks by number."""
        if isinstance(rows, BlockRows):
            return rows
        sizes, numbers = numbered(tuple(block.size for block in row) for row in rows)
        return cls([row[0] for row in rows], numbers, sizes)

    @classmethod
    def beginning(cls, own: Sequence[Block], size_of: Sequence[int], sizes: Table[Size]) -> BlockRows:
        """Return blocks that are known at some side, of which most have the same size at the first one."""
        there = (sizes[number][0] for number in size_of)
        first = [
            block if block.size == size else block_of((size, *block[1:]))
            for block, size in zip(own, there, strict=True)
        ]
        return cls(first, size_of, sizes)

    def row(self, index: int) -> tuple[Block, ...]:
        """Return a block at every side."""
        _, *rest = self.first[index]
        return tuple(block_of((size, *rest)) for size in self.sizes[self.size_of[index]])

    @cached_property
    def varying(self) -> Sequence[int]:
        """The blocks whose size is not the same at every side."""
        varies = [not is_same(row) for row in self.sizes]
        return [index for index, number in enumerate(self.size_of) if varies[number]]


class OpRows(Rows[Op]):
    """Operators that differ in sizes and keys: numbers of `sizes`, three of each one, and of `keys`."""

    def __init__(
        self,
        first: Sequence[Op],
        figures: Sequence[Figures],
        sizes: Table[Size],
        key_of: Sequence[int],
        keys: Table[str],
    ) -> None:
        self.first, self.figures, self.sizes, self.key_of, self.keys = first, figures, sizes, key_of, keys

    @classmethod
    def of(cls, rows: Sequence[Sequence[Op]]) -> OpRows:
        """Return operators by number."""
        if isinstance(rows, OpRows):
            return rows
        columns = [list(zip(*((op.flops, op.read, op.written) for op in row), strict=True)) for row in rows]
        sizes, numbers = numbered(row for three in columns for row in three)
        keys, key_of = numbered(tuple(op.key for op in row) for row in rows)
        return cls([row[0] for row in rows], in_threes(numbers), sizes, key_of, keys)

    @classmethod
    def beginning(
        cls,
        own: Sequence[Op],
        figures: Sequence[Figures],
        sizes: Table[Size],
        key_of: Sequence[int],
        keys: Table[str],
    ) -> OpRows:
        """Return operators that are known at some side."""
        there = ([sizes[number][0] for number in three] for three in figures)
        first = [
            op_of((op.kind, *three, keys[key][0], op.device, op.dtype))
            for op, three, key in zip(own, there, key_of, strict=True)
        ]
        return cls(first, figures, sizes, key_of, keys)

    def row(self, index: int) -> tuple[Op, ...]:
        """Return an operator at every side."""
        own = self.first[index]
        figures = [self.sizes[number] for number in self.figures[index]]
        columns = zip(*figures, self.keys[self.key_of[index]], strict=True)
        return tuple(op_of((own.kind, *column, own.device, own.dtype)) for column in columns)


def numbered(rows: Iterable[tuple[Row, ...]]) -> tuple[list[tuple[Row, ...]], list[int]]:
    """Return distinct rows, and the number of each row."""
    known: dict[tuple[Row, ...], int] = {}
    numbers = [known.setdefault(row, len(known)) for row in rows]
    return list(known), numbers


def in_threes(numbers: Iterable[int]) -> list[Figures]:
    """Return the numbers of operators' figures, three of each."""
    remaining = iter(numbers)
    return list(zip(remaining, remaining, remaining, strict=True))


def is_same(row: Sequence[object]) -> bool:
    """Return whether a row has one value at every side."""
    return row.count(row[0]) == len(row)


block_of: Final[Callable[[Iterable[Any]], Block]] = partial(tuple.__new__, Block)
op_of: Final[Callable[[Iterable[Any]], Op]] = partial(tuple.__new__, Op)
"""Make a block or an operator of its fields: a named tuple's own constructor is Python, and slow."""

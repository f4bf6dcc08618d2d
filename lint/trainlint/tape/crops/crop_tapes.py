# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Crops: the tapes of one step at a few sides of its crop become the tape at any side between them.

A convolution's sizes are polynomials of degree 2 in the side, full attention's of degree 4; where a network
pads to windows they are that in the number of windows, so sides must be alike modulo its `period`. Nothing is
rounded: a size that comes out as no whole number refutes the polynomial.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain
from math import lcm, prod
from operator import mul
from typing import Any, Final

from trainlint.expressions.patterns import later
from trainlint.tape import SOURCES, Block, Event, Op, Size, Tape
from trainlint.tape.crops.crop_side import NotPolynomialError, at_side, crops_of, named_sizes, side_of
from trainlint.tape.crops.side_rows import BlockRows, OpRows, Table, block_of, is_same, op_of
from trainlint.tape.events import Blocks, Events
from trainlint.tape.flow import Column, spread
from trainlint.tape.profile_inspection import is_key
from trainlint.tape.step import key_of

OP: Final = int(Event.OP)
NUMBER: Final = later(r"(\d+)")
"""A number in an operator's key: words are at even places, numbers at odd ones."""


class NotAlikeError(NotPolynomialError):
    """Tapes at two sides differ in more than sizes: in events, kinds or networks."""


@dataclass(frozen=True)
class Crops:
    """What one step records at `sides` (ascending, alike modulo `period`), whose events are the same.

    `tape` is that at the first side; `births` has the row of every block, `blocks` and `ops` a row's value at
    each side. The numbers of operators in the tape's events are rows.
    """

    sides: tuple[int, ...]
    period: int
    tape: Tape
    births: tuple[int, ...]
    blocks: Sequence[tuple[Block, ...]]
    ops: Sequence[tuple[Op, ...]]

    def at(self, side: int) -> Tape:
        """Return the tape at a side; NotPolynomialError where it does not follow from the others."""
        self._check_between(side)
        return self._following(side)

    def sizes_at(self, side: int) -> Sequence[Size]:
        """Return the sizes of the blocks at a side by `size_of`; NotPolynomialError where they do not follow.

        That is a tenth of the work of `at`, which looks at the operators too.
        """
        self._check_between(side)
        rows = self._rows
        return rows.sizes(rows.numbers(_through(self.sides, side)), rows.of_blocks)

    @cached_property
    def size_of(self) -> Column:
        """The number of each block's size in `sizes_at`."""
        return spread(self._rows.size_of, self._births)

    def _check_between(self, side: int) -> None:
        step = at_side(self.tape.step, side)
        if not self.sides[0] <= side <= self.sides[-1] or (side - self.sides[0]) % self.period:
            raise NotPolynomialError(f"a side of {side} is not between those that were traced")
        if side not in self.sides and self._has_as_argument(step):
            raise NotPolynomialError(f"its networks have {side} pixels as an argument: they may differ there")

    def _following(self, side: int) -> Tape:
        step = at_side(self.tape.step, side)
        rows = self._rows
        numbers = rows.numbers(_through(self.sides, side))
        sizes = rows.sizes(numbers)
        blocks, ops = _FollowingBlocks(rows, sizes, self._births), rows.ops(numbers, sizes)
        return replace(self.tape, key=key_of(step), step=step, blocks=blocks, ops=tuple(ops))

    def joined(self, own: Tape) -> Crops:
        """Return the same crops with a further tape among their sides.

        NotPolynomialError for one that is off the polynomial: it would bend that at every side.
        """
        side = side_of(own.step)
        check_alike(self.tape, own)
        _check_same(self._following(side), own, self.sides)
        return merged({**{other: self.at(other) for other in self.sides}, side: own}, self.period)

    @cached_property
    def between(self) -> Sequence[int]:
        """The sides that tapes may follow for, those that were traced and all between them."""
        sides = range(self.sides[0], self.sides[-1] + 1, self.period)
        step = self.tape.step
        return [
            side for side in sides if side in self.sides or not self._has_as_argument(at_side(step, side))
        ]

    def _has_as_argument(self, step: Mapping[str, Any]) -> bool:
        """Return what `names_side` does of this step at another side."""
        return not self._named_sizes.isdisjoint(crops_of(step))

    @cached_property
    def _named_sizes(self) -> set[int]:
        """The sizes that arguments give, which are the same at all sides."""
        return named_sizes(self.tape.step)

    @cached_property
    def _births(self) -> Column:
        return array("i", self.births)

    @cached_property
    def _rows(self) -> _Rows:
        return _Rows(self.blocks, self.ops)


def merged(tapes: Mapping[int, Tape], period: int) -> Crops:
    """Return what the tapes at these sides have in common; NotPolynomialError where that is not all."""
    sides = sorted(tapes)
    base, *others = (tapes[side] for side in sides)
    for other in others:
        check_alike(base, other)
    blocks: dict[tuple[Block, ...], int] = {}
    births = [
        blocks.setdefault(row, len(blocks))
        for row in zip(*(tapes[side].blocks for side in sides), strict=True)
    ]
    ops: dict[tuple[Op, ...], int] = {}
    events = []
    for moment in zip(*(tapes[side].events for side in sides), strict=True):
        kind, index = moment[0]
        if kind == OP:
            row = tuple(tapes[side].ops[number] for side, (_, number) in zip(sides, moment, strict=True))
            index = ops.setdefault(row, len(ops))
        events.append((kind, index))
    source = min((tapes[side].source for side in sides), key=SOURCES.index)
    tape = replace(base, events=Events.of(events), ops=tuple(row[0] for row in ops), source=source)
    crops = Crops(tuple(sides), period, tape, tuple(births), tuple(blocks), tuple(ops))
    check_rows(crops)
    return crops


def check(crops: Crops, side: int, tape: Tape) -> None:
    """Raise NotPolynomialError unless the tape traced at a further side is as predicted, to the byte."""
    check_alike(crops.tape, tape)
    _check_same(crops.at(side), tape, crops.sides)


def _check_same(predicted: Tape, tape: Tape, sides: Sequence[int]) -> None:
    if predicted.blocks != tape.blocks or list(_work(predicted)) != list(_work(tape)):
        side = side_of(tape.step)
        raise NotPolynomialError(f"at a side of {side} sizes are not as predicted from {sides}")


def _work(tape: Tape) -> Iterator[Op]:
    return (tape.ops[index] for kind, index in tape.events if kind == OP)


def check_alike(tape: Tape, other: Tape) -> None:
    """Raise NotAlikeError where two tapes differ in more than sizes."""
    here, there = side_of(tape.step), side_of(other.step)
    if _shape(tape) != _shape(other):
        raise NotAlikeError(f"sides of {here} and {there} build or save different networks")
    if len(tape.events) != len(other.events) or len(tape.blocks) != len(other.blocks):
        raise NotAlikeError(f"{len(tape.events)} events at a side of {here}, {len(other.events)} at {there}")
    for (kind, index), (other_kind, other_index) in zip(tape.events, other.events, strict=True):
        if kind != other_kind or (index != other_index and kind != OP):
            raise NotAlikeError(f"the order of events differs between sides of {here} and {there}")


def _shape(tape: Tape) -> tuple[Any, ...]:
    return tape.networks, tape.files, tape.marks, tape.devices, tape.batches, tape.affine


def check_rows(crops: Crops) -> None:
    """Raise NotAlikeError where a row is of one kind at one side and of another at another."""
    for block, *blocks in crops.blocks:
        if any(other._replace(size=block.size) != block for other in blocks):
            raise NotAlikeError(f"{block.owner or block.kind} is of another kind at another side")
    for op, *ops in crops.ops:
        words = NUMBER.split(op.key)[::2]
        for other in ops:
            if (other.kind, other.device, other.dtype) != (op.kind, op.device, op.dtype):
                raise NotAlikeError(f"{op.kind} at one side is {other.kind} at another")
            if NUMBER.split(other.key)[::2] != words:
                raise NotAlikeError(f"{op.key} at one side is {other.key} at another")


Through = Callable[[Sequence[int]], int]


def _through(sides: Sequence[int], point: int) -> Through:
    """Return what interpolates values at `sides` to the side `point`.

    By Lagrange's polynomial, in whole numbers; NotPolynomialError where the value is not whole.
    """
    fractions = [
        prod((Fraction(point - other, side - other) for other in sides if other != side), start=Fraction(1))
        for side in sides
    ]
    below = lcm(*(weight.denominator for weight in fractions))
    weights = [int(weight * below) for weight in fractions]

    def value(values: Sequence[int]) -> int:
        weighted: int = sum(map(mul, weights, values))
        quotient, rest = divmod(weighted, below)
        if rest:
            raise NotPolynomialError(f"no polynomial in whole numbers goes through {values}")
        return quotient

    return value


class _Rows:
    """The rows of blocks and operators at every side, each different number once.

    A row's words are those of its first side, which has them in common with the others (`check_rows`).
    """

    def __init__(self, blocks: Sequence[Sequence[Block]], ops: Sequence[Sequence[Op]]) -> None:
        self._numbers: dict[tuple[int, ...], int] = {}
        self._sizes: dict[tuple[Size, ...], int] = {}
        own, work = BlockRows.of(blocks), OpRows.of(ops)
        self._first = list(own.first)
        self.size_of = spread(self._numbered(own.sizes, own.size_of), array("i", own.size_of))
        self.of_blocks = len(self._sizes)
        self._varying = own.varying
        self._fields = [*zip(*(self._first[index][1:] for index in self._varying), strict=True)]
        first = Blocks(self._first, array("i"))
        self.devices, self.streams = first.devices(), first.streams()
        sizes = self._numbered(work.sizes, chain.from_iterable(work.figures))
        keys = [self._key(row) for row in work.keys]
        self._ops = [
            (op, keys[key], sizes[flops], sizes[read], sizes[written])
            for op, key, (flops, read, written) in zip(work.first, work.key_of, work.figures, strict=True)
        ]
        self._parts = [[self._number(values) for values in zip(*row, strict=True)] for row in self._sizes]
        self._same = [row[0] if is_same(row) else None for row in self._numbers]

    def numbers(self, through: Through) -> Sequence[int]:
        """Return each number at a side; NotPolynomialError where it does not follow."""
        known = zip(self._same, self._numbers, strict=True)
        return [through(row) if same is None else same for same, row in known]

    def sizes(self, numbers: Sequence[int], count: int | None = None) -> Sequence[Size]:
        """Return each size at a side, or the first ones; those of blocks come first."""
        return [_size(map(numbers.__getitem__, parts)) for parts in self._parts[:count]]

    def blocks(self, sizes: Sequence[Size]) -> list[Block]:
        """Return the rows of blocks at a side."""
        own = map(sizes.__getitem__, map(self.size_of.__getitem__, self._varying))
        varying = map(block_of, zip(own, *self._fields, strict=True))
        blocks = self._first.copy()
        for index, block in zip(self._varying, varying, strict=True):
            blocks[index] = block
        return blocks

    def ops(self, numbers: Sequence[int], sizes: Sequence[Size]) -> list[Op]:
        """Return the operators at a side; NotPolynomialError where one's key would be no operator's."""
        spelt = [*map(str, numbers)]  # many keys have the same few
        return [
            op_of((op.kind, sizes[flops], sizes[read], sizes[written], _text(op, key, spelt), *op[5:]))
            for op, key, flops, read, written in self._ops
        ]

    def _number(self, values: tuple[int, ...]) -> int:
        return self._numbers.setdefault(values, len(self._numbers))

    def _numbered(self, table: Table[Size], used: Iterable[int]) -> Column:
        """Return the number of each row of sizes that is used, -1 of others."""
        numbers = array("i", [-1]) * len(table)
        for row in dict.fromkeys(used):
            numbers[row] = self._sizes.setdefault(table[row], len(self._sizes))
        return numbers

    def _key(self, keys: Sequence[str]) -> Sequence[str | int]:
        """Return a key's words and the numbers of its numbers, in turn; [] where all sides have one key."""
        if is_same(keys):
            return []
        columns = zip(*map(NUMBER.split, keys), strict=True)
        return [
            self._number(tuple(map(int, column))) if place % 2 else column[0]
            for place, column in enumerate(columns)
        ]


class _FollowingBlocks(Blocks):
    """The blocks at a side, whose rows are made only when asked for: a replay asks for sizes."""

    def __init__(self, rows: _Rows, sizes: Sequence[Size], births: Column) -> None:
        self._rows, self._sizes, self.births = rows, sizes, births

    @cached_property
    def distinct(self) -> Sequence[Block]:  # type: ignore[override]
        """The rows."""
        return self._rows.blocks(self._sizes)

    @cached_property
    def sizes(self) -> tuple[Sequence[Size], Column]:
        """The sizes of the rows, each once, and the number of each row's: two may meet at a side."""
        numbers: dict[Size, int] = {}
        own = self._sizes[: self._rows.of_blocks]
        met = array("i", [numbers.setdefault(size, len(numbers)) for size in own])
        return tuple(numbers), spread(met, self._rows.size_of)

    def devices(self) -> Column:
        """Return the virtual GPU of each row."""
        return self._rows.devices

    def streams(self) -> Column:
        """Return the stream of each row."""
        return self._rows.streams


def _text(op: Op, key: Sequence[str | int], numbers: Sequence[str]) -> str:
    """Return the key of an operator at another side; NotPolynomialError where none has it."""
    if not key:
        return op.key
    text = "".join([part if isinstance(part, str) else numbers[part] for part in key])
    if text != op.key and not is_key(text, op.kind):
        raise NotPolynomialError(f'no operator has the key "{text}"')
    return text


_size: Final[Callable[[Iterable[int]], Size]] = partial(tuple.__new__, Size)
"""Makes a size of its fields: a named tuple's own constructor is Python, and slow."""

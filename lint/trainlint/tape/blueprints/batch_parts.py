# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Sizes at one batch, parted into what is there at any and what comes with each sample.

Of the steps that a blueprint is drawn from the first is traced at two batches, which shows both parts, the
others at one. A size of which the first has one part alone has that one in the others too. Where it has both,
as what a product reads of weights and of samples, they are taken for such as grow like sizes of one part: the
one way in which both do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, combinations
from math import gcd
from operator import add, sub
from typing import NamedTuple

from trainlint.tape import EVERY_BATCH, Event, Op, Size, Tape

WIDTH = len(Size._fields)

Column = tuple[int, ...]
"""A number a tape."""
Four = tuple[Column, ...]
"""The columns of a size's parts."""


class NotPartedError(Exception):
    """Sizes of one batch do not show which part grows with it."""


@cache
def at_one_batch(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return an event's sizes as the tape of one batch has them."""
    return tuple(
        number
        for const, batch, total, pool in zip(*(sizes[part::WIDTH] for part in range(WIDTH)), strict=True)
        for number in (const + EVERY_BATCH * batch, 0, total, pool)
    )


def parted(events: Sequence[Sequence[Column]]) -> Sequence[Sequence[Column]]:
    """Return the columns of each event's sizes in parts; all tapes but the first are of one batch."""
    parts = {size: _alone(*size) for size in dict.fromkeys(chain.from_iterable(map(_sizes, events)))}
    known = _known([own for own in parts.values() if own])
    whole = {size: own or _together(size, known) for size, own in parts.items()}
    return [[column for size in _sizes(own) for column in whole[size]] for own in events]


class _Known(NamedTuple):
    """Ways in which the parts grow from tape to tape, and what is as large in all: a kernel's seeds."""

    there: set[Column]
    by_sample: set[Column]
    same: set[int]


def _known(alone: Sequence[Four]) -> _Known:
    """Return what sizes of one part show; what comes with a sample may be two of them."""
    there, by_sample = ({own[part] for own in alone if all(own[part])} for part in (0, 1))
    with_bias, sums = map(_sums, (there, by_sample))
    equal = {column[0] for column in there if len(set(column)) == 1}
    same = equal | {a + b for a in equal for b in equal}
    return _Known(set(map(_growth, there | with_bias)), set(map(_growth, by_sample | sums)), same)


def _sums(columns: Iterable[Column]) -> set[Column]:
    return {tuple(map(add, *both)) for both in combinations(columns, 2)}


def affine(fewer: Tape, more: Tape) -> Tape:
    """Return the tape of every batch, by those of EVERY_BATCH samples and of one more."""
    if not _alike(fewer, more):
        raise NotPartedError("another batch has other events")
    blocks = [
        block._replace(size=_line(block.size, other.size))
        for block, other in zip(fewer.blocks, more.blocks, strict=True)
    ]
    ops: dict[tuple[int, int], int] = {}
    events = [
        (kind, ops.setdefault((number, other), len(ops)) if kind == Event.OP else number)
        for (kind, number), (_, other) in zip(fewer.events, more.events, strict=True)
    ]
    grown = tuple(_grown(fewer.ops[number], more.ops[other]) for number, other in ops)
    return replace(fewer, blocks=blocks, ops=grown, events=events, batches=())


def _grown(fewer: Op, more: Op) -> Op:
    flops, read, written = map(_line, fewer[1:4], more[1:4])
    return fewer._replace(flops=flops, read=read, written=written)


def _alike(fewer: Tape, more: Tape) -> bool:
    """Say whether two tapes have the same events, but for the sizes of what they name."""
    return len(fewer.events) == len(more.events) and all(
        kind == other and (number == there or kind == Event.OP)
        for (kind, number), (other, there) in zip(fewer.events, more.events, strict=True)
    )


def _line(fewer: Size, more: Size) -> Size:
    grown = more.const - fewer.const
    return Size(fewer.const - EVERY_BATCH * grown, grown, fewer.total, fewer.pool)


def _sizes(columns: Sequence[Column]) -> Iterator[Four]:
    for start in range(0, len(columns), WIDTH):
        yield tuple(columns[start : start + WIDTH])


def _growth(column: Column) -> Column:
    """Return how a column grows from tape to tape, whatever it is a multiple of."""
    common = gcd(*column)
    return tuple(number // common for number in column)


def _alone(const: Column, batch: Column, total: Column, pool: Column) -> Four | None:
    """Return a size that has one part; None where it has both."""
    if not batch[0]:
        return const, batch, total, pool
    if const[0]:
        return None
    by_sample = _each(batch[0], const[1:])
    if by_sample is None:
        raise NotPartedError(f"{const[1:]} are not as large for each sample")
    return (0,) * len(const), by_sample, total, pool


def _each(first: int, grown: Iterable[int]) -> Column | None:
    """Return what comes with a sample, by what comes with all in the tapes but the first; None: nothing."""
    halves = [divmod(number, EVERY_BATCH) for number in grown]
    if any(rest or number <= 0 for number, rest in halves):
        return None
    return (first, *(number for number, _ in halves))


def _together(four: Four, known: _Known) -> Four:
    """Return a size that has both parts."""
    const, batch, total, pool = four
    ways = {}
    for growth in known.there:
        times, rest = divmod(const[0], growth[0])
        if rest:
            continue
        own = tuple(times * number for number in growth)
        grown = _each(batch[0], map(sub, const[1:], own[1:]))
        if grown is not None:
            ways[own, grown] = _growth(grown) in known.by_sample
    sure = [parts for parts, is_known in ways.items() if is_known]
    if not sure and const[0] in known.same:
        sure = [parts for parts in ways if len(set(parts[0])) == 1]
    if len(sure) != 1:
        raise NotPartedError(f"{const[0]} and {batch[0]} a sample are parted in {len(sure)} ways")
    ((own, grown),) = sure
    return own, grown, total, pool

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The script of a replay: a ledger's program with the libraries' flushes and workspaces written in."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from msgspec import Struct

from trainlint.estimate.replay.allocator import CachingAllocator, Chunk
from trainlint.estimate.replay.conversions import conversions
from trainlint.estimate.replay.course import Order
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, kept
from trainlint.estimate.replay.gradient_sums import joined
from trainlint.estimate.replay.recalled_columns import recalled
from trainlint.estimate.replay.workspace import (
    CUBLASLT,
    Hold,
    Libraries,
    Uses,
    copies,
    emptied,
    first_matmuls,
    flushes,
    layouts,
    products,
    weights,
)
from trainlint.tape import Size
from trainlint.tape.flow import Column, cut, in_turn
from trainlint.tape.flow_codes import FLUSH, GIVE, HOLD, PASS, RETURN, TAKE

BRIEF_RANK: Final = -1
"""Rank of a workspace that is given back at once; those of copies count from 0."""


class WorkspaceAt(NamedTuple):
    """Before which event of the program something happens, with which workspace."""

    position: int
    what: int
    number: int = 0


class Script(Struct, frozen=True):
    """What the replay does: stretches of the ledger's program with an emptied cache after each but the last.

    Indices past the ledger's blocks are the `workspaces`; from `optional` on they are cuDNN's conversions,
    which may be left out.
    """

    stretches: tuple[tuple[int, ...], ...]
    workspaces: tuple[Size, ...]
    streams: tuple[int, ...]
    optional: int

    def sizes(self, ledger: Ledger, samples: Samples) -> list[int]:
        """Return the rounded bytes of the ledger's blocks and of the workspaces."""
        return [*ledger.bytes(samples), *map(samples.bytes, self.workspaces)]


class Cuts(Struct, frozen=True):
    """When the libraries add to a program: the numbers of each WorkspaceAt, in order.

    The first `handles` workspaces after LT are cuBLAS's, which stay.
    """

    moments: Column
    handles: int

    def of(self, program: Column, first: int) -> list[Column]:
        """Cut a program at the flushes and write the workspaces in, numbered from `first` on."""
        return cut(program, self.moments, first, self.handles)


Passing = tuple[Column, Column]
"""Workspaces that operators give back at once: where each operator runs, the workspace's number by row."""


class Plan(Struct, frozen=True):
    """What the libraries add to a program, and when; the `workspaces` from `optional` on are conversions."""

    cuts: Cuts
    workspaces: tuple[Size, ...]
    optional: int


class _Common(Struct, frozen=True):
    """What both plans of a ledger begin with: what stays or is copied, and numbers by (bytes, rank)."""

    moments: Sequence[WorkspaceAt]
    first: Sequence[Size]
    numbers: Mapping[tuple[Size, int], int]


@kept
def _common(ledger: Ledger, libraries: Libraries) -> _Common:
    handles = first_matmuls(ledger)
    first = [Size(CUBLASLT), *(Size(libraries.cublas) for _ in handles)]
    moments = [WorkspaceAt(position, TAKE, number) for number, position in enumerate(handles, start=1)]
    flushed = (*emptied(ledger), *(flushes(ledger) if libraries.benchmark else ()))
    moments += [WorkspaceAt(position, FLUSH) for position in flushed]
    numbers: dict[tuple[Size, int], int] = {}

    def number(size: Size, rank: int = BRIEF_RANK) -> int:
        return numbers.setdefault((size, rank), len(first) + len(numbers))

    for take, hold, give, rank in _ranked(copies(ledger, libraries.tiles)):
        which = number(hold.size, rank)
        moments += (WorkspaceAt(hold.position, take, which), WorkspaceAt(hold.until, give, which))
    moments += [WorkspaceAt(position, PASS, number(size)) for position, size in products(ledger)]
    return _Common(moments, first, numbers)


@kept
def plan(ledger: Ledger, libraries: Libraries, *, cudnn: bool, converted: bool = False) -> Plan:
    """Plan the libraries' flushes and workspaces.

    cuDNN's only with `cudnn`, numbered after the others; its conversions of half-precision tensors only with
    `converted`.
    """
    common = _common(ledger, libraries)
    workspaces, numbers = [*common.first], {**common.numbers}

    def numbered(uses: Uses) -> Passing:
        before = len(workspaces)
        rows = {row: numbers.setdefault((size, BRIEF_RANK), before + len(numbers)) for row, size in uses.rows}
        return uses.where, ledger.ops.order.by_row(rows)

    passing = [numbered(weights(ledger))]
    if cudnn:
        passing.append(numbered(layouts(ledger, benchmark=libraries.benchmark)))
    workspaces += (size for size, _ in numbers)
    numbers, optional = {}, len(workspaces)
    if converted and (moved := conversions(ledger)):
        passing.append(numbered(moved))
        workspaces += (size for size, _ in numbers)
    cuts = Cuts(_in_order(ledger.ops.order, common.moments, passing), len(common.first) - 1)
    return Plan(cuts, tuple(workspaces), optional)


@recalled
def _in_order(order: Order, moments: Sequence[WorkspaceAt], passing: Sequence[Passing]) -> Column:
    """Return moments in their order, with those of workspaces that are given back at once."""
    return in_turn(array("i", chain.from_iterable(moments)), [(order.rows, *columns) for columns in passing])


def _ranked(holds: Iterable[Hold]) -> Iterator[tuple[int, Hold, int, int]]:
    """Yield how each copy is taken and given back, and its rank among those of its size that lie there.

    What a brief operator takes besides, it takes between: so its copies come first, unless those of the
    operator before it must go at that moment too.
    """
    ends: dict[Size, list[float]] = {}
    gone = -1  # where the last copies that are not brief are given back
    for hold in holds:
        late = hold.position < hold.until or (hold.brief and hold.position == gone)
        used = ends.setdefault(hold.size, [])
        free_by = hold.position if late else hold.position - 1
        rank = next((rank for rank, end in enumerate(used) if end <= free_by), len(used))
        used[rank : rank + 1] = [hold.until + hold.brief / 2]  # after what is taken at that moment
        yield HOLD if late else TAKE, hold, RETURN if late and hold.brief else GIVE, rank
        gone = gone if hold.brief else hold.until


@kept
def script(ledger: Ledger, libraries: Libraries, *, cudnn: bool, converted: bool = False) -> Script:
    """Write the libraries' flushes and workspaces into a ledger's program, as `plan` has them."""
    planned = plan(ledger, libraries, cudnn=cudnn, converted=converted)
    first = len(ledger.blocks)
    streams = (*(block.stream for block in ledger.blocks), *(0 for _ in planned.workspaces))
    return Script(
        _sound(planned.cuts.of(joined(ledger), first)), planned.workspaces, streams, first + planned.optional
    )


def _sound(stretches: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Leave out frees of what is not alive."""
    alive: set[int] = set()

    def happens(event: int) -> bool:
        if event >= 0:
            alive.add(event)
            return True
        if ~event not in alive:
            return False
        alive.remove(~event)
        return True

    return tuple(tuple(filter(happens, events)) for events in stretches)


def replay(script: Script, sizes: list[int], to: CachingAllocator) -> None:
    """Drive an allocator through the script; raises OutOfMemory where its capacity does not do."""
    malloc, free = to.malloc, to.free
    kinds = [*zip(sizes, script.streams, strict=False)]  # sizes may be those of a script with more workspaces
    pool_of = {kind: to.pool(*kind) for kind in dict.fromkeys(kinds)}
    pools = list(map(pool_of.__getitem__, kinds))
    live: dict[int, Chunk] = {}
    for number, stretch in enumerate(script.stretches):
        if number:
            to.empty_cache()
        for event in stretch:
            if event < 0:
                chunk = live.pop(~event, None)
                if chunk is not None:
                    free(chunk)
            elif sizes[event]:
                live[event] = malloc(sizes[event], pools[event])

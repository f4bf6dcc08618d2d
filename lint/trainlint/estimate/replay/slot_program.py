# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A ledger's program with the libraries' workspaces, cut for the fast replay of any batch.

Blocks of one size that live one after the other share a number here, a slot, so that what is worked out for
each batch is a short list; a block that is freed as soon as it is allocated is one event.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, field

from trainlint.estimate.replay.capacity_replay import CapacityReplay, Stretches, asked_for, taken
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, kept
from trainlint.estimate.replay.gradient_sums import joined
from trainlint.estimate.replay.recalled_columns import recalled
from trainlint.estimate.replay.replay_engine import FASTEST, engine_for
from trainlint.estimate.replay.replay_script import Cuts, plan
from trainlint.estimate.replay.workspace import Libraries
from trainlint.tape import Size
from trainlint.tape.flow import Column, paired, slotted, spread


class SlotProgram(Struct, frozen=True, eq=False):
    """Two ways through a step, alike up to the `fork` (stretch, event): without and with cuDNN's workspaces.

    The events' numbers are slots: `kinds` has the size and stream of each one's row in `rows`.
    """

    plain: Stretches
    loaded: Stretches
    fork: tuple[int, int]
    kinds: Sequence[tuple[Size, int]]
    rows: Column
    _sifted: dict[tuple[int, ...], SlotProgram] = field(default_factory=dict)

    def replays(
        self, samples: Samples, *, expandable: bool = False
    ) -> tuple[CapacityReplay, Callable[[], CapacityReplay]]:
        """Return the first way with the sizes of a batch, and what makes the second one of it.

        What they share is replayed once.
        """
        table = self.table(samples)
        empty = {row for row, size in enumerate(table) if not size}
        here = self._without(
            tuple(index for index, row in enumerate(self.rows) if row in empty) if empty else ()
        )
        streams = [stream for _, stream in self.kinds]
        replay = CapacityReplay(
            here.plain, table, streams, engine_for(table), self.rows, sifted=True, expandable=expandable
        )
        return replay, lambda: replay if here.one_way else replay.branch(here.loaded, *here.fork)

    @property
    def one_way(self) -> bool:
        """Whether cuDNN takes nothing."""
        return self.loaded is self.plain

    def table(self, samples: Samples) -> list[int]:
        """Return the rounded bytes of each of `kinds`."""
        return samples.rounded(size for size, _ in self.kinds)

    def _without(self, empty: tuple[int, ...]) -> SlotProgram:
        """Return the same without the events of slots that take nothing: the same ones at most batches."""
        if not empty:
            return self
        if empty not in self._sifted:
            self._sifted.clear()  # one is enough
            gone = frozenset(empty)
            asked = asked_for([index not in gone for index in range(len(self.rows))])
            self._sifted[empty] = _sifted(self, asked)
        return self._sifted[empty]


def _sifted(program: SlotProgram, asked: Sequence[int]) -> SlotProgram:
    """Return a program with the events alone that are asked for."""

    def sift(events: Sequence[int]) -> Sequence[int]:
        return FASTEST.events(taken(events, asked))

    number, event = program.fork
    index = len(taken(program.loaded[number][:event], asked))
    plain = tuple(map(sift, program.plain))
    loaded = plain if program.one_way else tuple(map(sift, program.loaded))
    return SlotProgram(plain, loaded, (number, index), program.kinds, program.rows)


@kept
def slot_program(ledger: Ledger, libraries: Libraries) -> SlotProgram:
    """Cut the program of one GPU's step."""
    program, rows, kinds = _renamed(ledger)
    plain, loaded = (plan(ledger, libraries, cudnn=cudnn) for cudnn in (False, True))
    added = range(len(kinds), len(kinds) + len(loaded.workspaces))
    everything = rows + array("i", added)
    ways = _ways(program, len(rows), len(everything), (plain.cuts, loaded.cuts))
    return SlotProgram(*ways, [*kinds, *((size, 0) for size in loaded.workspaces)], everything)


@recalled
def _ways(
    program: Column, first: int, slots: int, plans: Sequence[Cuts]
) -> tuple[Stretches, Stretches, tuple[int, int]]:
    """Return a program cut by two plans, whose workspaces are numbered from `first` on, and their fork."""
    plain = together(plans[0].of(program, first), slots)
    if plans[1] == plans[0]:
        return plain, plain, (len(plain) - 1, len(plain[-1]))
    loaded = together(plans[1].of(program, first), slots)
    return plain, loaded, _fork(plain, loaded)


@kept
def _renamed(ledger: Ledger) -> tuple[Column, Column, Sequence[tuple[Size, int]]]:
    """Return a ledger's program in slots, the row of each, and the rows: sizes and streams.

    A free of what is not alive becomes NO_EVENT.
    """
    kinds: dict[tuple[int, int], int] = {}
    streams = ledger.blocks.streams()
    if not any(streams):
        return *_in_slots(joined(ledger), ledger.size_of), [(size, 0) for size in ledger.sizes]
    rows = [kinds.setdefault(kind, len(kinds)) for kind in zip(ledger.size_of_row, streams, strict=True)]
    sizes = [(ledger.sizes[size], stream) for size, stream in kinds]
    return *_in_slots(joined(ledger), spread(array("i", rows), ledger.blocks.births)), sizes


_in_slots = recalled(slotted)


def together(stretches: Iterable[Column], slots: int) -> Stretches:
    """Write what is freed as soon as it is allocated as one event, in each stretch."""
    return tuple(FASTEST.events(paired(events, slots)) for events in stretches)


def _fork(left: Stretches, right: Stretches) -> tuple[int, int]:
    """Return the first stretch and event in which two differ; a stretch that ends is a difference."""
    for number, (events, others) in enumerate(zip(left, right, strict=True)):
        if events != others:
            return number, _alike(events, others)
    return len(left) - 1, len(left[-1])


def _alike(left: Sequence[int], right: Sequence[int]) -> int:
    """Return how many events two sequences begin with alike."""
    most = min(len(left), len(right))
    return bisect_left(range(most), True, key=lambda index: left[: index + 1] != right[: index + 1])

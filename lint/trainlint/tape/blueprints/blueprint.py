# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A blueprint: the tape of a step for every model that is built alike.

Its events are those of few layers and the loops that go on with more; its sizes are formulas in widths, rank
and tokens. It is drawn from traced tapes, and is one only where it gives back all of them, to the byte.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

from trainlint.expressions.patterns import later
from trainlint.tape import Event, File, Network, Op, Size, Tape
from trainlint.tape.blueprints.layer_loops import Even, Loop, unrolled
from trainlint.tape.blueprints.layered_blocks import (
    ANY_LAYER,
    Births,
    BlockRow,
    FourFormulas,
    LayeredBlocks,
    size_at,
)
from trainlint.tape.blueprints.model_shape import FEWEST_LAYERS, shape_of
from trainlint.tape.blueprints.shape_formulas import LAYERS, TRAINED, Formula, NoFormulaError
from trainlint.tape.blueprints.weight_counts import PARAMETERS, Held, WeightCounts, held_by
from trainlint.tape.events import Events
from trainlint.tape.flow import numbered, rounds
from trainlint.tape.profile_header import damaged
from trainlint.tape.step import MODEL_CONFIG, key_of

LAYER: Final = later(r"(?:(?<=\blayers\.)|(?<=\bh\.))\d+\b", re.ASCII)
"""The number of a layer in a module's name."""
PARTS: Final = len(Size._fields)

Token = tuple[tuple[object, ...], int, tuple[int, ...]]
"""An event: what it is in every round, the number that grows, and its sizes."""


class OpRow(NamedTuple):
    """An operator in every round."""

    kind: str
    flops: FourFormulas
    read: FourFormulas
    written: FourFormulas
    key: str
    device: int
    dtype: str


@dataclass(frozen=True)
class Blueprint:
    """What the tapes of a kind of step have in common.

    `order` are the letters of the events of the fewest layers, `rows` what each is of: a row of blocks for a
    birth, -1 for a death, a row of operators, a mark. `turns` has the number that grows: a birth's layer, a
    death's rank.
    """

    kind: str
    step: Mapping[str, Any]
    order: bytes
    rows: Sequence[int]
    turns: Sequence[int]
    evens: Sequence[Even]
    loops: Sequence[Loop]
    blocks: Sequence[BlockRow]
    ops: Sequence[OpRow]
    formulas: Sequence[Formula]
    marks: tuple[str, ...]
    networks: tuple[Network, ...]
    files: tuple[File, ...]
    counts: WeightCounts
    batches: tuple[int, ...]
    made_with: Mapping[str, str]
    notes: tuple[str, ...]
    source: str = "traced"

    def at(self, step: Mapping[str, Any]) -> Tape:
        """Return the tape of a step of this kind; NoFormulaError where a size is no whole number."""
        shape = shape_of(step)
        events, births = self._events(shape[LAYERS] - FEWEST_LAYERS)
        held = self._held(shape, births)
        (network,) = self.counts.networks(self.networks[0], held)
        shape[TRAINED] = network.trainable
        values = [formula.at(shape) for formula in self.formulas]
        return Tape(
            key=key_of(step),
            step=dict(step),
            blocks=LayeredBlocks(births, self.blocks, values),
            ops=tuple(_op(row, values) for row in self.ops),
            marks=self.marks,
            events=events,
            networks=(replace(network, arch=str(step[MODEL_CONFIG]["model_type"])),),
            files=self.counts.sized(self.files, held),
            batches=self.batches,
            made_with=self.made_with,
            notes=self.notes,
            source=self.source,
        )

    def _held(self, shape: Mapping[str, int], births: Births) -> Held:
        return held_by(
            (row.kind, row.owner, self.formulas[row.size[0]].at(shape), births.of_row[number])
            for number, row in enumerate(self.blocks)
            if row.kind == PARAMETERS
        )

    @cached_property
    def _known(self) -> dict[int, tuple[Events, Births]]:
        """The events by layers: a job asks for those of one model at several lengths."""
        return {}

    def _events(self, layers: int) -> tuple[Events, Births]:
        """Return the events of so many more layers, and their births."""
        if layers not in self._known:
            self._known[layers] = self._unrolled(layers)
        return self._known[layers]

    def _unrolled(self, layers: int) -> tuple[Events, Births]:
        if layers < 0:
            raise NoFormulaError(f"a model has at least {FEWEST_LAYERS} layers")
        spans = array("i")
        for events, turn in unrolled(len(self.order), self.loops, layers):
            spans.extend((events.start, events.stop, turn))
        firsts = [even.at(layers, 0) for even in self.evens]
        growth = [even.by_round for even in self.evens]
        first, grown = (array("i", map(own.__getitem__, self.turns)) for own in (firsts, growth))
        bounds = len(self.blocks), layers + FEWEST_LAYERS
        try:
            made = rounds(self.order, array("i", self.rows), (first, grown), spans, bounds)
        except IndexError:
            damaged("a number is out of bounds")
        numbers = numbered(made.order, array("i"), made.ranks, made.work, made.moments)
        if numbers is None:
            damaged("no event is so")
        return Events(made.order, numbers), Births(self.blocks, made.births, self._births_of(layers))

    def _births_of(self, layers: int) -> Counter[int]:
        """Return how often each row is born with so many more layers."""
        whole = Events(self.order, array("i", self.rows))

        def born(first: int, last: int) -> Iterator[int]:
            return whole[first:last].of_kind(Event.ALLOC)

        births = Counter(born(0, len(self.order)))
        for loop in self.loops:
            again = Counter(born(loop.end - loop.period, loop.end))
            births.update({row: layers * count for row, count in again.items()})
        return births


def _op(row: OpRow, values: Sequence[int]) -> Op:
    flops, read, written = (size_at(parts, values) for parts in (row.flops, row.read, row.written))
    return Op(row.kind, flops, read, written, row.key, row.device, row.dtype)


def tokens_of(tape: Tape) -> Iterator[Token]:
    """Yield each event of a tape."""
    living: list[int] = []
    layered = cache(_layered)
    for kind, number in tape.events:
        if kind == Event.ALLOC:
            block = tape.blocks[number]
            insort(living, number)
            owner, layer = layered(block.owner)
            yield (kind, block.kind, owner, block.device, block.stream), layer, tuple(block.size)
        elif kind == Event.FREE:
            place = bisect_left(living, number)
            rank = len(living) - place
            del living[place]
            block = tape.blocks[number]
            yield (kind, block.kind, layered(block.owner)[0]), rank, ()
        elif kind == Event.OP:
            op = tape.ops[number]
            yield (kind, op.kind, op.key, op.device, op.dtype), 0, (*op.flops, *op.read, *op.written)
        else:
            yield (kind, tape.marks[number]), number, ()


def _layered(owner: str) -> tuple[str, int]:
    """Return a module's name in any layer, and its own layer."""
    layer = LAYER.search(owner)
    return (owner, 0) if layer is None else (LAYER.sub(ANY_LAYER, owner, count=1), int(layer[0]))

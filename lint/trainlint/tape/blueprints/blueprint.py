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
from functools import cached_property
from typing import Any, Final

from trainlint.expressions.patterns import later
from trainlint.tape import Block, Event, File, Network, Op, Size, Tape
from trainlint.tape.blueprints.layer_loops import Even, Loop, unrolled
from trainlint.tape.blueprints.model_shape import FEWEST_LAYERS, shape_of
from trainlint.tape.blueprints.shape_formulas import LAYERS, TRAINED, Formula, NoFormulaError
from trainlint.tape.blueprints.weight_counts import PARAMETERS, Held, WeightCounts, held_by
from trainlint.tape.events import LETTERS, Blocks, Events
from trainlint.tape.flow import numbered
from trainlint.tape.profile_header import damaged
from trainlint.tape.step import MODEL_CONFIG, key_of

LAYER: Final = later(r"(?:(?<=\blayers\.)|(?<=\bh\.))\d+\b", re.ASCII)
"""The number of a layer in a module's name."""
ANY_LAYER: Final = "*"
PARTS: Final = len(Size._fields)

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


@dataclass(frozen=True)
class OpRow:
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
        held = self._held(shape, births[0])
        (network,) = self.counts.networks(self.networks[0], held)
        shape[TRAINED] = network.trainable
        values = [formula.at(shape) for formula in self.formulas]
        return Tape(
            key=key_of(step),
            step=dict(step),
            blocks=LayeredBlocks(self.blocks, values, *births),
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

    def _held(self, shape: Mapping[str, int], births: array[int]) -> Held:
        return held_by(
            (row.kind, row.owner, self.formulas[row.size[0]].at(shape), count)
            for number, count in Counter(births).items()
            for row in [self.blocks[number]]
            if row.kind == PARAMETERS
        )

    @cached_property
    def _columns(self) -> tuple[list[int], list[Even]]:
        return list(self.rows), [self.evens[number] for number in self.turns]

    @cached_property
    def _known(self) -> dict[int, tuple[Events, tuple[array[int], array[int]]]]:
        """The events by layers: a job asks for those of one model at several lengths."""
        return {}

    def _events(self, layers: int) -> tuple[Events, tuple[array[int], array[int]]]:
        """Return the events of so many more layers, and the row and the layer of each birth."""
        if layers not in self._known:
            self._known[layers] = self._unrolled(layers)
        return self._known[layers]

    def _unrolled(self, layers: int) -> tuple[Events, tuple[array[int], array[int]]]:
        order, ranks, work, moments = bytearray(), array("i"), array("i"), array("i")
        born, of_layer = array("i"), array("i")
        rows, evens = self._columns
        if layers < 0:
            raise NoFormulaError(f"a model has at least {FEWEST_LAYERS} layers")
        for stretch, turn in unrolled(len(self.order), self.loops, layers):
            letters = self.order[stretch.start : stretch.stop]
            order += letters
            for event, letter in zip(stretch, letters, strict=True):
                if letter == A:
                    born.append(rows[event])
                    of_layer.append(evens[event].at(layers, turn))
                elif letter == F:
                    ranks.append(evens[event].at(layers, turn))
                else:
                    (work if letter == O else moments).append(rows[event])
        whole = bytes(order)
        numbers = numbered(whole, array("i"), ranks, work, moments)
        return Events(whole, numbers) if numbers is not None else damaged("no event is so"), (born, of_layer)


A, F, O, M = LETTERS.encode()  # noqa: E741 - the letters of the events


def size_at(parts: FourFormulas, values: Sequence[int]) -> Size:
    """Return a size of its parts' formulas, whose values are given."""
    return Size(*map(values.__getitem__, parts))


def _op(row: OpRow, values: Sequence[int]) -> Op:
    flops, read, written = (size_at(parts, values) for parts in (row.flops, row.read, row.written))
    return Op(row.kind, flops, read, written, row.key, row.device, row.dtype)


class LayeredBlocks(Blocks):
    """Blocks whose rows are made where somebody asks for one: there are as many as layers times rows."""

    def __init__(
        self, rows: Sequence[BlockRow], values: Sequence[int], born: array[int], of_layer: array[int]
    ) -> None:
        self._rows, self._values = rows, values
        numbers: dict[tuple[int, int], int] = {}
        self.births = array(
            "i", [numbers.setdefault(pair, len(numbers)) for pair in zip(born, of_layer, strict=True)]
        )
        self._pairs = list(numbers)

    @cached_property
    def distinct(self) -> Sequence[Block]:  # type: ignore[override]
        """The rows, a layer's each."""
        sizes = [size_at(row.size, self._values) for row in self._rows]
        return [_block(self._rows[number], sizes[number], layer) for number, layer in self._pairs]

    @cached_property
    def sizes(self) -> tuple[Sequence[Size], array[int]]:
        """The sizes of the rows, each once, and the number of each row's."""
        met: dict[Size, int] = {}
        of_row = [met.setdefault(size_at(row.size, self._values), len(met)) for row in self._rows]
        return tuple(met), array("i", [of_row[number] for number, _ in self._pairs])

    def devices(self) -> array[int]:
        """Return the virtual GPU of each row."""
        return array("i", [self._rows[number].device for number, _ in self._pairs])

    def streams(self) -> array[int]:
        """Return the stream of each row."""
        return array("i", [self._rows[number].stream for number, _ in self._pairs])


def _block(row: BlockRow, size: Size, layer: int) -> Block:
    return Block(size, row.kind, row.owner.replace(ANY_LAYER, str(layer)), row.device, row.stream)


def tokens_of(tape: Tape) -> Iterator[tuple[tuple[object, ...], int, tuple[int, ...]]]:
    """Yield each event of a tape: what it is in every round, the number that grows, and its sizes."""
    living: list[int] = []
    for kind, number in tape.events:
        if kind == Event.ALLOC:
            block = tape.blocks[number]
            insort(living, number)
            layer = LAYER.search(block.owner)
            owner = block.owner if layer is None else LAYER.sub(ANY_LAYER, block.owner, count=1)
            yield (
                (kind, block.kind, owner, block.device, block.stream),
                int(layer[0]) if layer else 0,
                tuple(block.size),
            )
        elif kind == Event.FREE:
            place = bisect_left(living, number)
            rank = len(living) - place
            del living[place]
            block = tape.blocks[number]
            yield (kind, block.kind, LAYER.sub(ANY_LAYER, block.owner, count=1)), rank, ()
        elif kind == Event.OP:
            op = tape.ops[number]
            yield (kind, op.kind, op.key, op.device, op.dtype), 0, (*op.flops, *op.read, *op.written)
        else:
            yield (kind, tape.marks[number]), number, ()

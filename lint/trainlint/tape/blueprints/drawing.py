# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Drawing a blueprint from traced tapes: of 3, 4 and 5 layers, and of other widths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from trainlint.tape import Event, Tape
from trainlint.tape.blueprints.batch_parts import at_one_batch, parted
from trainlint.tape.blueprints.blueprint import PARTS, Blueprint, OpRow, Token, tokens_of
from trainlint.tape.blueprints.layer_loops import (
    Loop,
    NotRepeatedError,
    even_number,
    loops_between,
    unrolled,
)
from trainlint.tape.blueprints.layered_blocks import BlockRow
from trainlint.tape.blueprints.model_shape import FEWEST_LAYERS, kind_of, shape_of
from trainlint.tape.blueprints.shape_formulas import LAYERS, TRAINED, Formula, formulas_of
from trainlint.tape.blueprints.weight_counts import counts_of
from trainlint.tape.columns import DistinctValues
from trainlint.tape.events import LETTERS


@dataclass(frozen=True)
class _Aligned:
    """A tape's events by those of the fewest layers: (event there, layers more, round, number, sizes)."""

    tape: Tape
    shape: Mapping[str, int]
    events: Sequence[tuple[int, int, int, int, tuple[int, ...]]]


def drawn(tapes: Sequence[Tape]) -> Blueprint:
    """Return the blueprint of tapes of `model_shape.drawn_from`'s steps, in its order.

    All but the first may be of one batch alone. NotRepeatedError or NoFormulaError where they have less in
    common, NotPartedError where tapes of one batch do not show it.
    """
    tokens = [list(tokens_of(tape)) for tape in tapes]
    base = [token for token, _, _ in tokens[0]]
    first, second = tokens[:2]
    if is_mixed(tapes):
        first = [(token, number, at_one_batch(sizes)) for token, number, sizes in first]
    loops = loops_between(*_with_sizes(first, second))
    aligned = [_aligned(tape, own, base, loops) for tape, own in zip(tapes, tokens, strict=True)]
    return _Draft(base, loops, aligned).blueprint()


def _with_sizes(*both: Sequence[Token]) -> Iterator[list[tuple[object, ...]]]:
    """Yield the events of both with their sizes, but for those that further layers change."""
    fewer, more = ({sizes for _, _, sizes in tokens} for tokens in both)
    shared = fewer & more
    for tokens in both:
        yield [(*token, sizes if sizes in shared else None) for token, _, sizes in tokens]


def _aligned(
    tape: Tape, own: Iterable[Token], base: Sequence[tuple[object, ...]], loops: Sequence[Loop]
) -> _Aligned:
    shape = shape_of(tape.step)
    layers = shape[LAYERS] - FEWEST_LAYERS
    tokens = iter(own)
    events: list[tuple[int, int, int, int, tuple[int, ...]]] = []
    for stretch, turn in unrolled(len(base), loops, layers):
        for event in stretch:
            token, number, sizes = next(tokens, ((), 0, ()))
            if token != base[event]:
                raise NotRepeatedError(
                    f"with {shape[LAYERS]} layers event {len(events)} is {token}, not {base[event]}"
                )
            events.append((event, layers, turn, number, sizes))
    if next(tokens, None) is not None:
        raise NotRepeatedError(f"with {shape[LAYERS]} layers there are more events")
    return _Aligned(tape, shape, events)


def is_mixed(tapes: Sequence[Tape]) -> bool:
    """Say whether the first tape is of every batch, and the others are of one."""
    return not tapes[0].batches and bool(tapes[1].batches)


class _Draft:
    """The events of the fewest layers, their loops, and every tape next to them: a blueprint's parts."""

    def __init__(
        self, base: Sequence[tuple[Any, ...]], loops: Sequence[Loop], aligned: Sequence[_Aligned]
    ) -> None:
        self.base, self.loops, self.aligned = base, loops, aligned
        self.formulas, self.evens = DistinctValues(), DistinctValues()
        self.blocks, self.ops = DistinctValues(), DistinctValues()

    def blueprint(self) -> Blueprint:
        """Return it."""
        tapes = [aligned.tape for aligned in self.aligned]
        shapes = [{**aligned.shape, TRAINED: aligned.tape.networks[0].trainable} for aligned in self.aligned]
        numbers, columns = self._numbers(), self._columns()
        if is_mixed(tapes):
            columns = parted(columns)
        known = formulas_of((row for own in columns for row in own), shapes)
        alike: dict[tuple[Any, ...], int] = {}  # a layer's events are those of another
        rows = []
        for event in zip(self.base, map(tuple, columns), strict=True):
            if event not in alike:
                token, own = event
                alike[event] = self._row(token, [known[row] for row in own])
            rows.append(alike[event])
        turns = [self.evens(even_number(sorted(own))) for own in numbers]
        tape = tapes[0]
        return Blueprint(
            kind=kind_of(tape.step, *tape.batches),
            step=tape.step,
            order=bytes(LETTERS.encode()[token[0]] for token in self.base),
            rows=rows,
            turns=turns,
            evens=_listed(self.evens),
            loops=self.loops,
            blocks=_listed(self.blocks),
            ops=_listed(self.ops),
            formulas=_listed(self.formulas),
            marks=tape.marks,
            networks=tape.networks,
            files=tape.files,
            counts=counts_of(tapes),
            batches=tape.batches,
            made_with=tape.made_with,
            notes=tape.notes,
        )

    def _numbers(self) -> Sequence[Sequence[tuple[int, int, int]]]:
        """Return of each event (layers more, round, number that grows), of all tapes."""
        numbers: list[list[tuple[int, int, int]]] = [[] for _ in self.base]
        for event, layers, turn, number, _ in chain.from_iterable(aligned.events for aligned in self.aligned):
            numbers[event].append((layers, turn, number))
        return numbers

    def _columns(self) -> Sequence[Sequence[tuple[int, ...]]]:
        """Return of each event its sizes' parts, a row of one number a tape each."""
        by_event: list[list[tuple[int, ...]]] = [[] for _ in self.base]
        for aligned in self.aligned:
            own = {event: sizes for event, _, _, _, sizes in aligned.events}
            if any(own[event] != sizes for event, _, _, _, sizes in aligned.events):
                raise NotRepeatedError("a size is another in each layer")
            for event, sizes in own.items():
                by_event[event].append(sizes)
        return [list(zip(*rows, strict=True)) for rows in by_event]

    def _row(self, token: tuple[Any, ...], formulas: Sequence[Formula]) -> int:
        kind, *words = token
        parts = [
            tuple(map(self.formulas, formulas[start : start + PARTS]))
            for start in range(0, len(formulas), PARTS)
        ]
        if kind == Event.ALLOC:
            return self.blocks(BlockRow(parts[0], *words))
        if kind == Event.OP:
            name, key, device, dtype = words
            flops, read, written = parts
            return self.ops(OpRow(name, flops, read, written, key, device, dtype))
        return self.aligned[0].tape.marks.index(words[0]) if kind == Event.MARK else -1


def _listed(table: DistinctValues) -> list[Any]:
    return list(table.numbers)

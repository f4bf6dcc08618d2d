# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Loops over layers in the events of a step: from tapes of 2, 3 and 4 layers follow the events of any number.

A tape of one layer more has the same events and, in a few places, the stretch before the place once again.
What is not the same in each round is a storage's rank when it dies and the layer that it belongs to: whole
numbers that grow evenly with the rounds and with the layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

Token = tuple[object, ...]
"""What an event is in every round: its kind, and what is born, dies or is computed, without layer and
size."""


class NotRepeatedError(Exception):
    """Tapes of other numbers of layers do not follow from these; the message says why."""


class Loop(NamedTuple):
    """The `period` events before the place `end` are there once more for each layer above the fewest."""

    end: int
    period: int


class Even(NamedTuple):
    """A whole number that is `first` in the fewest layers, and grows by layers and by rounds of its loop."""

    first: int
    by_layer: int = 0
    by_round: int = 0

    def at(self, layers: int, turn: int) -> int:
        """Return it with so many layers above the fewest, in a round (0: the one that was there)."""
        return self.first + self.by_layer * layers + self.by_round * turn


def loops_between(fewer: Sequence[Token], more: Sequence[Token]) -> list[Loop]:
    """Return the loops that one further layer shows; NotRepeatedError where none explain it."""
    loops: list[Loop] = []
    here, ahead = 0, 0  # in `fewer`, and by how much `more` is longer up to there
    while True:
        while here < len(fewer) and here + ahead < len(more) and fewer[here] == more[here + ahead]:
            here += 1
        if here == len(fewer) and here + ahead == len(more):
            return loops
        period = _period(fewer, more, here, here + ahead)
        loops.append(Loop(here, period))
        ahead += period


def _period(fewer: Sequence[Token], more: Sequence[Token], here: int, there: int) -> int:
    """Return how many events are repeated: those after which both go on alike for longest."""
    longest, best = 0, 0
    for period in range(1, min(here, len(more) - there) + 1):
        if more[there] != more[there - period]:
            continue
        if more[there : there + period] != more[there - period : there]:
            continue
        alike = _alike(fewer, more, here, there + period)
        if alike > longest or not best:
            longest, best = alike, period
    if not best:
        raise NotRepeatedError(f"event {there} of one layer more repeats nothing")
    return best


def _alike(fewer: Sequence[Token], more: Sequence[Token], here: int, there: int) -> int:
    start = here
    while here < len(fewer) and there < len(more) and fewer[here] == more[there]:
        here, there = here + 1, there + 1
    return here - start


def unrolled(events: int, loops: Sequence[Loop], layers: int) -> Iterator[tuple[range, int]]:
    """Yield the stretches of events with so many layers above the fewest, and the round that each is of."""
    done = 0
    for loop in loops:
        yield range(done, loop.end), 0
        for turn in range(1, layers + 1):
            yield range(loop.end - loop.period, loop.end), turn
        done = loop.end
    yield range(done, events), 0


def even_number(values: Sequence[tuple[int, int, int]]) -> Even:
    """Return the number that is a value at (layers above the fewest, round); NotRepeatedError for none.

    `values` are (layers, round, value), the first of them at no layer above the fewest.
    """
    known = {(layers, turn): value for layers, turn, value in values}
    first = known[0, 0]
    by_layer = known[1, 0] - first
    by_round = known[1, 1] - first - by_layer if (1, 1) in known else 0
    made = Even(first, by_layer, by_round)
    if any(made.at(layers, turn) != value for (layers, turn), value in known.items()):
        raise NotRepeatedError(f"a number that is {first} first does not grow evenly")
    return made

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A crowd: a step's tensors on one card, and cuDNN's conversions, which take what room is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from trainlint.estimate.replay.allocator import ROUNDING, OutOfMemory
from trainlint.estimate.replay.conversions import conversions
from trainlint.estimate.replay.ledger import Ledger, Samples, kept
from trainlint.estimate.replay.reel import paired
from trainlint.estimate.replay.script import Script, script
from trainlint.estimate.replay.track import Replay, Track
from trainlint.estimate.replay.workspace import Libraries

TRIES: Final = 8
"""Capacities that are tried above one that does not do."""
Piece = tuple[tuple[int, ...], int | None]
"""Events and then a conversion; None at the end of a stretch."""


@dataclass(frozen=True, eq=False)
class Cut:
    """A script with conversions, its stretches cut into pieces; what lives for no event is one event."""

    lines: Script
    stretches: tuple[tuple[Piece, ...], ...]


@kept
def _cut(ledger: Ledger, libraries: Libraries) -> Cut:
    lines = script(ledger, libraries, cudnn=False, converted=True)
    slots = len(lines.streams)
    stretches = paired(lines.stretches, slots)
    return Cut(lines, tuple(_pieces(events, slots + lines.optional) for events in stretches))


def _pieces(events: tuple[int, ...], first: int) -> tuple[Piece, ...]:
    """Cut a stretch at its conversions, whose events are numbered from `first` on."""
    ends = [at for at, event in enumerate(events) if event >= first]
    starts = [0, *(at + 1 for at in ends)]
    pieces = [(events[start:end], events[end]) for start, end in zip(starts, ends, strict=False)]
    return (*pieces, (events[starts[-1] :], None))


def replay(ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int) -> None:
    """Play a step on `capacity` bytes of segments; raises OutOfMemory where a tensor finds no room.

    A conversion that finds none is not asked for again: PyTorch remembers the algorithm that ran instead.
    """
    cut = _cut(ledger, libraries)
    sizes = cut.lines.sizes(ledger, samples)
    run = Replay(Track((), sizes, cut.lines.streams), capacity // ROUNDING, grow=False)
    sizes += sizes  # by event: what lives for no event is numbered above all
    refused: set[int | None] = {None}
    for number, pieces in enumerate(cut.stretches):
        if number:
            run.empty_cache()
        for events, conversion in pieces:
            run.run(event for event in events if sizes[event if event >= 0 else ~event])
            if conversion is not None and conversion not in refused and sizes[conversion]:
                try:
                    run.run(iter((conversion,)))
                except OutOfMemory:
                    refused.add(conversion)


@kept
def crowded(ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int) -> int:
    """Return the first capacity found, from `capacity` on, that a step gets through with.

    That is `capacity` where nothing is converted, and with expandable segments, which leave no pieces.
    """
    if libraries.expandable or not conversions(ledger):
        return capacity
    for _ in range(TRIES):
        try:
            replay(ledger, samples, libraries, capacity)
        except OutOfMemory as error:
            capacity = error.needed
        else:
            break
    return capacity

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step's tensors on one card, and cuDNN's conversions, which take what room is left."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from trainlint.estimate.replay.allocator import ROUNDING, OutOfMemory
from trainlint.estimate.replay.capacity_replay import asked_for, taken
from trainlint.estimate.replay.conversions import conversions
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, kept
from trainlint.estimate.replay.replay_engine import FASTEST, engine_for
from trainlint.estimate.replay.replay_script import Script, script
from trainlint.estimate.replay.slot_program import together
from trainlint.estimate.replay.workspace import Libraries

MOST_CAPACITIES: Final = 8
"""Capacities that are tried above one that does not do."""
Events = tuple[Sequence[int], int | None]
"""Events and then a conversion; None at the end of a stretch."""


class Cut(Struct, frozen=True, eq=False):
    """A script with conversions, its stretches cut into parts; a block that is freed at once is one event."""

    lines: Script
    stretches: tuple[tuple[Events, ...], ...]


@kept
def _cut(ledger: Ledger, libraries: Libraries) -> Cut:
    lines = script(ledger, libraries, cudnn=False, converted=True)
    slots = len(lines.streams)
    stretches = together((array("i", events) for events in lines.stretches), slots)
    return Cut(lines, tuple(_parts(events, slots + lines.optional) for events in stretches))


def _parts(events: Sequence[int], first: int) -> tuple[Events, ...]:
    """Cut a stretch at its conversions, whose events are numbered from `first` on."""
    ends = [index for index, event in enumerate(events) if event >= first]
    starts = [0, *(end + 1 for end in ends)]
    parts = [(events[start:end], events[end]) for start, end in zip(starts, ends, strict=False)]
    return (*parts, (events[starts[-1] :], None))


def replay(ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int) -> None:
    """Play a step on `capacity` bytes of segments; raises OutOfMemory where a tensor finds no room.

    A conversion that finds none is not asked for again: PyTorch remembers the algorithm that ran instead.
    """
    cut = _cut(ledger, libraries)
    sizes = cut.lines.sizes(ledger, samples)
    run = engine_for(sizes).start(sizes, cut.lines.streams, capacity // ROUNDING)
    asked, empty = asked_for(sizes), 0 in sizes
    refused: set[int | None] = {None}
    for number, parts in enumerate(cut.stretches):
        if number:
            run.empty_cache()
        for part, conversion in parts:
            events = FASTEST.events(taken(part, asked)) if empty else part
            run.run(events, 0, len(events))
            if conversion is not None and conversion not in refused and asked[conversion]:
                try:
                    run.run(FASTEST.events((conversion,)), 0, 1)
                except OutOfMemory:
                    refused.add(conversion)


@kept
def room_with_conversions(ledger: Ledger, samples: Samples, libraries: Libraries, capacity: int) -> int:
    """Return the first capacity found, from `capacity` on, that a step gets through with.

    That is `capacity` where nothing is converted, and with expandable segments, which leave no gaps.
    """
    if libraries.expandable or not conversions(ledger):
        return capacity
    for _ in range(MOST_CAPACITIES):
        try:
            replay(ledger, samples, libraries, capacity)
        except OutOfMemory as error:
            capacity = error.needed
        else:
            break
    return capacity

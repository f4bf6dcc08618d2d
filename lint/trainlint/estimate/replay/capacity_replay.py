# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One batch's allocations and frees, replayed at several capacities, none of it twice.

tests/estimate/replay/test_capacity_replay.py holds every figure to CachingAllocator's.
"""

from __future__ import annotations

from bisect import bisect_right, insort_left, insort_right
from collections.abc import Sequence
from copy import copy
from sys import maxsize

from msgspec import Struct

from trainlint.estimate.replay.allocator import ROUNDING
from trainlint.estimate.replay.replay_engine import Engine, Playback, engine_for

Stretches = tuple[Sequence[int], ...]
"""Events; the cache is emptied between two stretches."""


class _ReplayState(Struct, frozen=True):
    """A state that every replay with at least `limit` units of segments comes to, and what is next then.

    `full`: the next segment would be the first one above the limit, so that others part here.
    """

    limit: int
    state: Playback
    stretch: int
    event: int
    full: bool = False


class CapacityReplay:
    """A sequence of allocations and frees with the sizes of one batch, to be replayed at several capacities.

    `stretches` hold numbers of slots, ~number where one is freed, number + slots where one is allocated and
    freed at once; the cache is emptied between them. `sizes` are rounded bytes by slot, 0 for what is never
    asked for (`sifted`: no event is of those, and the engine takes them as they are); `streams` are the
    pools' by slot; with `rows`, which goes with `sifted`, both are by row, of which each slot has one. Two
    replays do the same until the smaller of their capacities is reached: each begins where an earlier one
    left off.
    """

    def __init__(
        self,
        stretches: Stretches,
        sizes: Sequence[int],
        streams: Sequence[int],
        engine: Engine | None = None,
        rows: Sequence[int] | None = None,
        *,
        sifted: bool = False,
        expandable: bool = False,
    ) -> None:
        self._engine = engine or engine_for(sizes)
        self._asked = asked_for(sizes) if 0 in sizes and not sifted else None
        self._sifted = sifted
        self._stretches = self._asked_for(stretches)
        state = self._engine.start(sizes, streams, 0, rows, expandable=expandable)
        self._points = [_ReplayState(0, state, 0, 0)]

    def branch(self, stretches: Stretches, stretch: int, event: int) -> CapacityReplay:
        """Return the replay of the same slots that goes another way from an event on."""
        index = len(self._taken(stretches[stretch][:event]))
        state = self._points[0].state.copy(None)
        self._run(state, 0, 0, (stretch, index))
        point = _ReplayState(state.peak, state, stretch, index)
        insort_left(self._points, point, lo=1, key=lambda point: point.limit)  # one as roomy is further
        branched = copy(self)
        vars(branched).update(_stretches=self._asked_for(stretches), _points=[point])
        return branched

    def _asked_for(self, stretches: Stretches) -> Stretches:
        return stretches if self._sifted else tuple(map(self._taken, stretches))

    def _taken(self, events: Sequence[int]) -> Sequence[int]:
        """Leave out the slots that take nothing."""
        return self._engine.events(events if self._asked is None else taken(events, self._asked))

    def replay(self, capacity: int | None = None, *, grow: bool = False) -> Playback:
        """Run it with at most `capacity` bytes of segments; OutOfMemory where they do not do.

        With `grow`, a request that would fail raises the capacity to what it needs instead.
        """
        limit = None if capacity is None else capacity // ROUNDING
        point = self._points[-1] if limit is None else self._parting(limit)
        run = point.state.copy(limit, grow=grow)
        self._run(run, point.stretch, point.event)
        return run

    def unlimited(self) -> int:
        """Return the bytes of segments that it has when nothing limits it."""
        return self._parting(maxsize).state.peak_reserved

    def reserved(self, most: int) -> int | None:
        """Return the bytes of segments that it has when nothing limits it; None where more than `most`."""
        point = self._parting(most // ROUNDING)
        return None if point.full else point.state.peak_reserved

    def _parting(self, limit: int) -> _ReplayState:
        """Return where a replay with `limit` units parts from those with more, or its end."""
        index = bisect_right(self._points, limit, key=lambda point: point.limit)
        before = self._points[index - 1]
        if (before.full and before.limit == limit) or before.stretch == len(self._stretches):
            return before
        state = before.state.copy(limit, stop=True)
        stretch, event = self._run(state, before.stretch, before.event)
        full = stretch < len(self._stretches)
        point = _ReplayState(limit if full else state.peak, state, stretch, event, full)
        insort_right(self._points, point, key=lambda point: point.limit)
        return point

    def _run(
        self, run: Playback, stretch: int, event: int, to: tuple[int, int] | None = None
    ) -> tuple[int, int]:
        """Run from an event to `to`, to the end, or to where a run that stops is full; return where."""
        for number in range(stretch, to[0] + 1 if to else len(self._stretches)):
            if number > stretch:
                run.empty_cache()
            events = self._stretches[number]
            last = to[1] if to and number == to[0] else len(events)
            stopped = run.run(events, event if number == stretch else 0, last)
            if stopped < last:
                return number, stopped
        return to or (len(self._stretches), 0)


def taken(events: Sequence[int], asked: Sequence[int]) -> list[int]:
    """Return the events of slots that take something; `asked` as `asked_for` has it."""
    return [event for event in events if asked[event if event >= 0 else ~event]]


def asked_for(sizes: Sequence[int]) -> Sequence[int]:
    """Return what each event asks for by its number, from the bytes by slot.

    What is allocated and freed at once is numbered above all slots.
    """
    return [*sizes, *sizes]

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The caching allocator's replay without objects: what allocator.py does, in a fraction of its time.

A chunk is one integer, its size and address packed, in units of ROUNDING. Free ones stand in a sorted list
per pool and in two mappings, by where they start and where they end. tests/estimate/test_track.py holds every
figure to CachingAllocator's.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort, insort_right
from collections.abc import Iterator, Sequence
from copy import copy
from functools import lru_cache
from operator import length_hint
from typing import Final, NamedTuple

from trainlint.estimate.replay.allocator import ROUNDING, SMALL_REQUEST, OutOfMemory, segment_size

BITS: Final = 44
"""Of a chunk's address: 8 PiB, of which every segment takes its own, since addresses are handed out once."""
ADDRESS: Final = (1 << BITS) - 1
LAST: Final = 1 << 2 * BITS
"""Stands behind the free chunks of a pool, larger than any, with an address that none has."""
SMALL: Final = SMALL_REQUEST // ROUNDING
"""Units up to which a request is small; a large chunk's remainder up to it is not split off."""


Stretches = tuple[tuple[int, ...], ...]
"""Events; the cache is emptied between two stretches."""


class _Full(Exception):  # noqa: N818 - a signal to `Track`, not an error
    """The next segment would be the first one above the limit; nothing has changed yet."""


class _Point(NamedTuple):
    """A state that every replay with at least `limit` units of segments comes to, and what is next then.

    `full`: the next segment would be the first one above the limit, so that others part here.
    """

    limit: int
    state: Replay
    stretch: int
    event: int
    full: bool = False


class Track:
    """A sequence of allocations and frees with the sizes of one batch, to be replayed at several capacities.

    `stretches` hold numbers of slots, ~number where one is freed, number + slots where one is allocated and
    freed at once; the cache is emptied between them. `sizes` are rounded bytes by slot, 0 for what is never
    asked for; `streams` are the pools' by slot. Two replays do the same until the smaller of their capacities
    is reached: each begins where an earlier one left off.
    """

    def __init__(self, stretches: Stretches, sizes: Sequence[int], streams: Sequence[int]) -> None:
        kinds = set(zip(sizes, streams, strict=True))
        pools: dict[tuple[bool, int], int] = {}
        pool = {kind: pools.setdefault((kind[0] <= SMALL_REQUEST, kind[1]), len(pools)) for kind in kinds}
        packed = {size: size // ROUNDING << BITS for size, _ in kinds}
        self.pool_of = list(map(pool.__getitem__, zip(sizes, streams, strict=True)))
        self.wanted = list(map(packed.__getitem__, sizes))
        self.splits = [(1 if small else SMALL + 1) << BITS for small, _ in pools]
        self._empty = 0 in packed
        self._stretches = self._asked_for(stretches)
        self._points = [_Point(0, Replay(self, 0, grow=False), 0, 0)]

    def branch(self, stretches: Stretches, stretch: int, event: int) -> Track:
        """Return the track of the same slots that goes another way from an event on."""
        at = len(self._taken(stretches[stretch][:event]))
        state = self._points[0].state.copy(None, grow=False)
        self._run(state, 0, 0, (stretch, at))
        point = _Point(state.peak, state, stretch, at)
        self._points.append(point)
        other = copy(self)
        vars(other).update(_stretches=self._asked_for(stretches), _points=[point])
        return other

    def _asked_for(self, stretches: Stretches) -> Stretches:
        return tuple(map(self._taken, stretches)) if self._empty else stretches

    def _taken(self, events: tuple[int, ...]) -> tuple[int, ...]:
        """Leave out the slots that take nothing."""
        if not self._empty:
            return events
        wanted = [*self.wanted, *self.wanted]
        return tuple(event for event in events if wanted[event if event >= 0 else ~event])

    def replay(self, capacity: int | None = None, *, grow: bool = False) -> Replay:
        """Run it with at most `capacity` bytes of segments; OutOfMemory where they do not do.

        With `grow`, a request that would fail raises the capacity to what it needs instead.
        """
        limit = None if capacity is None else capacity // ROUNDING
        point = self._points[-1] if limit is None else self._parting(limit)
        replay = point.state.copy(limit, grow=grow)
        self._run(replay, point.stretch, point.event)
        return replay

    def reserved(self, most: int) -> int | None:
        """Return the bytes of segments that it has when nothing limits it; None where more than `most`."""
        point = self._parting(most // ROUNDING)
        return None if point.full else point.state.peak_reserved

    def _parting(self, limit: int) -> _Point:
        """Return where a replay with `limit` units parts from those with more, or its end."""
        at = bisect_right(self._points, limit, key=lambda point: point.limit)
        before = self._points[at - 1]
        if (before.full and before.limit == limit) or before.stretch == len(self._stretches):
            return before
        state = before.state.copy(limit, grow=False, stop=True)
        stretch, event = self._run(state, before.stretch, before.event)
        full = stretch < len(self._stretches)
        point = _Point(limit if full else state.peak, state, stretch, event, full)
        insort_right(self._points, point, key=lambda point: point.limit)
        return point

    def _run(
        self, replay: Replay, stretch: int, event: int, to: tuple[int, int] | None = None
    ) -> tuple[int, int]:
        """Run from an event to `to`, to the end, or to where a replay that stops is full; return where."""
        for number in range(stretch, to[0] + 1 if to else len(self._stretches)):
            if number > stretch:
                replay.empty_cache()
            first = event if number == stretch else 0
            last = to[1] if to and number == to[0] else None
            rest = iter(self._stretches[number][first:last])
            try:
                replay.run(rest)
            except _Full:
                return number, len(self._stretches[number]) - length_hint(rest) - 1
        return to or (len(self._stretches), 0)


@lru_cache(maxsize=4096)
def _segment(units: int) -> int:
    """Return the units of the segment that is reserved for a request."""
    return segment_size(units * ROUNDING) // ROUNDING


class Replay:
    """One run of a track: the allocator's state in units of ROUNDING, and its figures in bytes."""

    def __init__(self, track: Track, limit: int | None, *, grow: bool, stop: bool = False) -> None:
        self.track = track
        self.limit, self.grow, self.stop = limit, grow, stop
        self.free = [[LAST] for _ in track.splits]
        self.starts: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        self.whole: set[int] = set()  # the chunks that are all of a segment
        self.held = [0] * len(track.wanted)
        self.used = self.peak = 0
        self.end = 1

    def copy(self, limit: int | None, *, grow: bool, stop: bool = False) -> Replay:
        """Return the same state under another limit."""
        other = Replay(self.track, limit, grow=grow, stop=stop)
        other.free = [chunks.copy() for chunks in self.free]
        other.starts, other.ends = self.starts.copy(), self.ends.copy()
        other.whole, other.held = self.whole.copy(), self.held.copy()
        other.used, other.peak, other.end = self.used, self.peak, self.end
        return other

    @property
    def peak_reserved(self) -> int:
        """Most bytes of segments at any moment."""
        return self.peak * ROUNDING

    @property
    def capacity(self) -> int | None:
        """Bytes of segments that it may have, as far as it grew."""
        return None if self.limit is None else self.limit * ROUNDING

    def run(self, events: Iterator[int]) -> None:
        """Play events. One long loop: a call for each would cost as much as its work."""
        free, starts, ends, held = self.free, self.starts, self.ends, self.held
        pool_of, splits, wanted = self.track.pool_of, self.track.splits, self.track.wanted
        slots = len(wanted)
        for event in events:
            if event < 0:
                chunk = held[~event]
                chunks = free[pool_of[~event]]
                address = chunk & ADDRESS
                end = address + (chunk >> BITS)
                if address in ends:
                    before = ends.pop(address)
                    del chunks[bisect_left(chunks, before)]
                    chunk += before - address
                    address = before & ADDRESS
                if end in starts:
                    after = starts.pop(end)
                    del chunks[bisect_left(chunks, after)]
                    chunk += after - end
                    end += after >> BITS
                insort(chunks, chunk)
                starts[address] = ends[end] = chunk
            elif event < slots:
                want, pool = wanted[event], pool_of[event]
                chunks = free[pool]
                at = bisect_left(chunks, want)
                chunk = chunks[at]
                address = chunk & ADDRESS
                if address:
                    del starts[address]
                else:  # the one behind all others
                    chunk = self._more(want >> BITS)
                    address = chunk & ADDRESS
                    insort(chunks, chunk)
                    at = bisect_left(chunks, want)
                rest = chunk - want
                if rest > splits[pool]:
                    rest += want >> BITS
                    held[event] = want + address
                    starts[rest & ADDRESS] = ends[address + (chunk >> BITS)] = rest
                    if not at or chunks[at - 1] < rest:
                        chunks[at] = rest
                    else:
                        del chunks[at]
                        insort(chunks, rest)
                else:
                    held[event] = chunk
                    del chunks[at]
                    ends.pop(address + (chunk >> BITS), None)
            else:
                self._passing(wanted[event - slots], free[pool_of[event - slots]])

    def _passing(self, want: int, chunks: list[int]) -> None:
        """Allocate and free at once: where a chunk is large enough, nothing changes."""
        if chunks[bisect_left(chunks, want)] == LAST:
            chunk = self._more(want >> BITS)
            address = chunk & ADDRESS
            self.starts[address] = self.ends[address + (chunk >> BITS)] = chunk
            insort(chunks, chunk)

    def empty_cache(self) -> None:
        """Release every segment that is free as a whole."""
        for chunks in self.free:
            released = self.whole.intersection(chunks)
            if not released:
                continue
            self.whole -= released
            chunks[:] = [chunk for chunk in chunks if chunk not in released]
            for chunk in released:
                address, size = chunk & ADDRESS, chunk >> BITS
                del self.starts[address], self.ends[address + size]
                self.used -= size

    def _more(self, units: int) -> int:
        """Reserve a segment; its addresses leave a gap behind it, so that segments never merge."""
        size = _segment(units)
        if self.limit is not None and self.used + size > self.limit:
            self._make_room(size)
        self.used += size
        self.peak = max(self.peak, self.used)
        chunk = size << BITS | self.end
        self.whole.add(chunk)
        self.end += size + 1
        return chunk

    def _make_room(self, size: int) -> None:
        """Release the cache for a segment above the limit; where that does not do, grow or give up."""
        if self.stop:
            raise _Full
        self.empty_cache()
        if self.used + size > (self.limit or 0):
            if not self.grow:
                raise OutOfMemory((self.used + size) * ROUNDING)
            self.limit = self.used + size

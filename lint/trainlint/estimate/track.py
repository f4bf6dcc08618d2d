"""The caching allocator's replay without objects: what allocator.py does, in a fraction of its time.

A chunk is one integer, its size and address packed, in units of ROUNDING. Free ones stand in a sorted list
per pool and in two mappings, by where they start and where they end. tests/estimate/test_track.py holds every
figure to CachingAllocator's.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import length_hint
from typing import Final, NamedTuple

from trainlint.estimate.allocator import ROUNDING, SMALL_REQUEST, OutOfMemory, segment_size

BITS: Final = 44
"""Of a chunk's address: 8 PiB, of which every segment takes its own, since addresses are handed out once."""
ADDRESS: Final = (1 << BITS) - 1
SMALL: Final = SMALL_REQUEST // ROUNDING
"""Units up to which a request is small; a large chunk's remainder up to it is not split off."""


class _Full(Exception):  # noqa: N818 - a signal to `Track`, not an error
    """The next segment would be the first one above the limit; nothing has changed yet."""


class _Point(NamedTuple):
    """Where replays with `limit` units of segments part: the state, which stretch and event are next."""

    limit: int
    state: Replay
    stretch: int
    event: int


class Track:
    """A sequence of allocations and frees with the sizes of one batch, to be replayed at several capacities.

    `stretches` hold numbers of blocks, ~number where one is freed; the cache is emptied between them. `sizes`
    are rounded bytes by block, 0 for what is never asked for; `streams` are the pools' by block. Two replays
    do the same until the smaller of their capacities is reached: each begins where an earlier one left off.
    """

    def __init__(
        self, stretches: tuple[tuple[int, ...], ...], sizes: Sequence[int], streams: Sequence[int]
    ) -> None:
        kinds = set(zip(sizes, streams, strict=True))
        pools: dict[tuple[bool, int], int] = {}
        pool = {kind: pools.setdefault((kind[0] <= SMALL_REQUEST, kind[1]), len(pools)) for kind in kinds}
        packed = {size: size // ROUNDING << BITS for size, _ in kinds}
        self.pool_of = list(map(pool.__getitem__, zip(sizes, streams, strict=True)))
        self.wanted = list(map(packed.__getitem__, sizes))
        self.splits = [0 if small else SMALL for small, _ in pools]
        events = _paired(stretches, len(sizes))
        self._stretches = events if 0 not in packed else tuple(map(self._taken, events))
        self._points = [_Point(0, Replay(self, 0, grow=False), 0, 0)]

    def _taken(self, events: Sequence[int]) -> list[int]:
        """Leave out the blocks that take nothing."""
        wanted = [*self.wanted, *self.wanted]
        return [event for event in events if wanted[event if event >= 0 else ~event]]

    def replay(self, capacity: int | None = None, *, grow: bool = False) -> Replay:
        """Run it with at most `capacity` bytes of segments; OutOfMemory where they do not do.

        With `grow`, a request that would fail raises the capacity to what it needs instead.
        """
        limit = None if capacity is None else capacity // ROUNDING
        point = self._points[-1] if limit is None else self._parting(limit)
        replay = point.state.copy(limit, grow=grow)
        self._run(replay, point.stretch, point.event)
        return replay

    def _parting(self, limit: int) -> _Point:
        """Return where a replay with `limit` units parts from those with more."""
        at = bisect_right(self._points, limit, key=lambda point: point.limit)
        before = self._points[at - 1]
        if before.limit == limit or before.stretch == len(self._stretches):
            return before
        state = before.state.copy(limit, grow=False, stop=True)
        point = _Point(limit, state, *self._run(state, before.stretch, before.event))
        self._points.insert(at, point)
        return point

    def _run(self, replay: Replay, stretch: int, event: int) -> tuple[int, int]:
        """Run from an event to the end, or to where a replay that stops is full; return what comes next."""
        for number in range(stretch, len(self._stretches)):
            if number > stretch:
                replay.empty_cache()
            events = self._stretches[number][event if number == stretch else 0 :]
            rest = iter(events)
            try:
                replay.run(rest)
            except _Full:
                return number, len(self._stretches[number]) - length_hint(rest) - 1
        return len(self._stretches), 0


@lru_cache(maxsize=64)
def _paired(stretches: tuple[tuple[int, ...], ...], blocks: int) -> tuple[list[int], ...]:
    """Write a block that is freed as soon as it is allocated as one event: its number above all `blocks`."""
    found = []
    for events in stretches:
        pairs: list[int] = []
        for event in events:
            if event < 0 and pairs and pairs[-1] == ~event:
                pairs[-1] += blocks
            else:
                pairs.append(event)
        found.append(pairs)
    return tuple(found)


class Replay:
    """One run of a track: the allocator's state in units of ROUNDING, and its figures in bytes."""

    def __init__(self, track: Track, limit: int | None, *, grow: bool, stop: bool = False) -> None:
        self.track = track
        self.limit, self.grow, self.stop = limit, grow, stop
        self.free: list[list[int]] = [[] for _ in track.splits]
        self.starts: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        self.whole: dict[int, int] = {}  # a segment's address -> the chunk that is all of it
        self.held = [0] * len(track.wanted)
        self.used = self.peak = self.end = 0

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
        blocks = len(wanted)
        for event in events:
            if event >= blocks:  # allocated and freed: where a chunk is large enough, nothing changes
                chunks, want = free[pool_of[event - blocks]], wanted[event - blocks]
                if not chunks or chunks[-1] < want:
                    chunk = self._more(want >> BITS)
                    starts[chunk & ADDRESS] = ends[(chunk & ADDRESS) + (chunk >> BITS)] = chunk
                    insort(chunks, chunk)
            elif event >= 0:
                want, pool = wanted[event], pool_of[event]
                chunks = free[pool]
                at = bisect_left(chunks, want)
                if at < len(chunks):
                    chunk = chunks.pop(at)
                    address = chunk & ADDRESS
                    del starts[address]
                else:
                    chunk = self._more(want >> BITS)
                    address = chunk & ADDRESS
                rest = (chunk - want) >> BITS
                if rest > splits[pool]:
                    chunk = want | address
                    behind = address + (want >> BITS)
                    starts[behind] = ends[behind + rest] = rest = rest << BITS | behind
                    insort(chunks, rest)
                else:
                    ends.pop(address + (chunk >> BITS), None)
                held[event] = chunk
            else:
                chunk = held[~event]
                chunks = free[pool_of[~event]]
                address = chunk & ADDRESS
                end = address + (chunk >> BITS)
                if address in ends:
                    before = ends.pop(address)
                    del chunks[bisect_left(chunks, before)]
                    address = before & ADDRESS
                if end in starts:
                    after = starts.pop(end)
                    del chunks[bisect_left(chunks, after)]
                    end += after >> BITS
                starts[address] = ends[end] = chunk = end - address << BITS | address
                insort(chunks, chunk)

    def empty_cache(self) -> None:
        """Release every segment that is free as a whole."""
        whole = self.whole
        for chunks in self.free:
            released = {chunk for chunk in chunks if whole.get(chunk & ADDRESS) == chunk}
            if not released:
                continue
            chunks[:] = [chunk for chunk in chunks if chunk not in released]
            for chunk in released:
                address, size = chunk & ADDRESS, chunk >> BITS
                del self.starts[address], self.ends[address + size], whole[address]
                self.used -= size

    def _more(self, units: int) -> int:
        """Reserve a segment; its addresses leave a gap behind it, so that segments never merge."""
        size = segment_size(units * ROUNDING) // ROUNDING
        if self.limit is not None and self.used + size > self.limit:
            self._make_room(size)
        self.used += size
        self.peak = max(self.peak, self.used)
        self.whole[self.end] = chunk = size << BITS | self.end
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

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The caching allocator's replay without objects: what allocator.py does, in a fraction of its time.

A chunk is one integer, its size and address packed, in units of ROUNDING. Free ones are in a sorted list
per pool and in two mappings, by where they start and where they end. _native.c does the same in C; this is
what it is held to, and what runs where there was no compiler when trainlint was installed.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import length_hint
from typing import Final

from trainlint.estimate.replay.allocator import ROUNDING, SMALL_REQUEST, OutOfMemory, segment_size

BITS: Final = 44
"""Of a chunk's address: 8 PiB, of which every segment takes its own, since addresses are handed out once."""
ADDRESS: Final = (1 << BITS) - 1
LAST_CHUNK: Final = 1 << 2 * BITS
"""Comes after the free chunks of a pool, larger than any, with an address that none has."""
SMALL_UNITS: Final = SMALL_REQUEST // ROUNDING
"""Units up to which a request is small; a large chunk's remainder up to it is not split off."""


class _Full(Exception):  # noqa: N818 - a signal to `run`, not an error
    """The next segment would be the first one above the limit; nothing has changed yet."""


class Slots:
    """What the numbers of events mean: `sizes` in rounded bytes, 0 for what takes nothing, and `streams`."""

    def __init__(self, sizes: Sequence[int], streams: Sequence[int]) -> None:
        kinds = set(zip(sizes, streams, strict=True))
        pools: dict[tuple[bool, int], int] = {}
        pool = {kind: pools.setdefault((kind[0] <= SMALL_REQUEST, kind[1]), len(pools)) for kind in kinds}
        packed = {size: size // ROUNDING << BITS for size, _ in kinds}
        self.pool_of = list(map(pool.__getitem__, zip(sizes, streams, strict=True)))
        self.wanted = list(map(packed.__getitem__, sizes))
        self.splits = [(1 if small else SMALL_UNITS + 1) << BITS for small, _ in pools]


@lru_cache(maxsize=4096)
def _segment(units: int) -> int:
    """Return the units of the segment that is reserved for a request."""
    return segment_size(units * ROUNDING) // ROUNDING


EXPANDS: Final = False
"""Expandable segments are ExpandableAllocator's here."""


def start(
    sizes: Sequence[int],
    streams: Sequence[int],
    limit: int | None,
    rows: Sequence[int] | None = None,
    *,
    expandable: bool = False,
) -> Replay:
    """Return a run in which nothing has happened yet."""
    assert not expandable  # noqa: S101 - EXPANDS says so
    if rows is not None:
        sizes, streams = ([column[row] for row in rows] for column in (sizes, streams))
    return Replay(Slots(sizes, streams), limit)


def events(numbers: Iterable[int]) -> Sequence[int]:
    """Return events as they are played."""
    return tuple(numbers)


class Replay:
    """One run: the allocator's state in units of ROUNDING, and its figures in bytes.

    `limit` are units of segments, None: no limit. With `grow`, a request that would fail raises it to what it
    needs; with `stop`, a run ends before the first request that does not fit with what is cached.
    """

    def __init__(self, slots: Slots, limit: int | None, *, grow: bool = False, stop: bool = False) -> None:
        self.slots = slots
        self.limit, self.grow, self.stop = limit, grow, stop
        self.free = [[LAST_CHUNK] for _ in slots.splits]
        self.starts: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        self.whole: set[int] = set()  # the chunks that are all of a segment
        self.held = [0] * len(slots.wanted)
        self.used = self.peak = 0
        self.end = 1

    def copy(self, limit: int | None, *, grow: bool = False, stop: bool = False) -> Replay:
        """Return the same state under another limit."""
        copied = Replay(self.slots, limit, grow=grow, stop=stop)
        copied.free = [chunks.copy() for chunks in self.free]
        copied.starts, copied.ends = self.starts.copy(), self.ends.copy()
        copied.whole, copied.held = self.whole.copy(), self.held.copy()
        copied.used, copied.peak, copied.end = self.used, self.peak, self.end
        return copied

    @property
    def peak_reserved(self) -> int:
        """Most bytes of segments at any moment."""
        return self.peak * ROUNDING

    @property
    def capacity(self) -> int | None:
        """Bytes of segments that it may have, as far as it grew."""
        return None if self.limit is None else self.limit * ROUNDING

    def run(self, events: Sequence[int], first: int, last: int) -> int:
        """Play events from `first` up to `last`, and return where it ended.

        An event is a slot's number where it is allocated, ~number where it is freed, number + slots where it
        is allocated and freed at once; none is of a slot that takes nothing. Raises OutOfMemory.
        """
        rest = iter(events[first:last])
        try:
            self._play(rest)
        except _Full:
            return last - length_hint(rest) - 1
        return last

    def _play(self, events: Iterator[int]) -> None:
        """Play events. One long loop: a call for each would cost as much as its work."""
        free, starts, ends, held = self.free, self.starts, self.ends, self.held
        pool_of, splits, wanted = self.slots.pool_of, self.slots.splits, self.slots.wanted
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
                index = bisect_left(chunks, want)
                chunk = chunks[index]
                address = chunk & ADDRESS
                if address:
                    del starts[address]
                else:  # the one behind all others
                    chunk = self._more(want >> BITS)
                    address = chunk & ADDRESS
                    insort(chunks, chunk)
                    index = bisect_left(chunks, want)
                rest = chunk - want
                if rest > splits[pool]:
                    rest += want >> BITS
                    held[event] = want + address
                    starts[rest & ADDRESS] = ends[address + (chunk >> BITS)] = rest
                    if not index or chunks[index - 1] < rest:
                        chunks[index] = rest
                    else:
                        del chunks[index]
                        insort(chunks, rest)
                else:
                    held[event] = chunk
                    del chunks[index]
                    ends.pop(address + (chunk >> BITS), None)
            else:
                self._passing(wanted[event - slots], free[pool_of[event - slots]])

    def _passing(self, want: int, chunks: list[int]) -> None:
        """Allocate and free at once: where a chunk is large enough, nothing changes."""
        if chunks[bisect_left(chunks, want)] == LAST_CHUNK:
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

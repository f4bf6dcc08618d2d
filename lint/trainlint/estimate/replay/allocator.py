# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CUDA's caching allocator, replayed: which segments a sequence of allocations makes torch reserve.

Constants and rules: c10/cuda/CUDACachingAllocator.cpp and c10/core/AllocatorConfig.h of PyTorch 2.13, default
settings (no max_split_size, no garbage collection, no power-of-two rounding).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Final

MIB: Final = 2**20
ROUNDING: Final = 512  # kMinBlockSize: every request is a multiple of it
SMALL_REQUEST: Final = MIB  # kSmallSize: requests up to this come from the small pool
SMALL_SEGMENT: Final = 2 * MIB  # kSmallBuffer
LARGE_SEGMENT: Final = 20 * MIB  # kLargeBuffer: serves requests below LARGE_REQUEST
LARGE_REQUEST: Final = 10 * MIB  # kMinLargeAlloc: from here on a segment of its own
LARGE_ROUNDING: Final = 2 * MIB  # kRoundLarge
ADDRESS_BITS: Final = 52  # a free chunk sorts by (size, address), packed into one integer


class OutOfMemory(Exception):  # noqa: N818 - torch.OutOfMemoryError's name
    """The request did not fit even with an empty cache; `needed` bytes of segments would have done."""

    def __init__(self, needed: int) -> None:
        super().__init__(f"{needed} bytes of segments are needed")
        self.needed = needed


def rounded(size: int) -> int:
    """Return the bytes that a request for `size` bytes takes (at least one rounding unit)."""
    return (size + ROUNDING - 1) & -ROUNDING if size > ROUNDING else ROUNDING


def segment_size(size: int) -> int:
    """Return the bytes that cudaMalloc is asked for to serve a rounded request of `size`."""
    if size <= SMALL_REQUEST:
        return SMALL_SEGMENT
    if size < LARGE_REQUEST:
        return LARGE_SEGMENT
    return (size + LARGE_ROUNDING - 1) & -LARGE_ROUNDING


class Chunk:
    """A piece of a segment; `key` is 0 while it is allocated, else its place among the free."""

    __slots__ = ("address", "key", "next", "pool", "previous", "size")

    def __init__(
        self,
        address: int,
        size: int,
        pool: Pool,
        previous: Chunk | None = None,
        following: Chunk | None = None,
    ) -> None:
        self.address = address
        self.size = size
        self.pool = pool
        self.previous = previous
        self.next = following
        self.key = 0


class Pool:
    """The free chunks of one stream's small or large segments, sorted by (size, address).

    `least_remainder`: a split leaves at least this much, or the whole chunk is handed out.
    """

    __slots__ = ("chunks", "keys", "least_remainder", "small")

    def __init__(self, *, small: bool) -> None:
        self.small = small
        self.keys: list[int] = []
        self.chunks: dict[int, Chunk] = {}
        self.least_remainder = ROUNDING if small else SMALL_REQUEST + 1

    def add(self, chunk: Chunk) -> None:
        """Make `chunk` free."""
        chunk.key = key = chunk.size << ADDRESS_BITS | chunk.address
        self.chunks[key] = chunk
        insort(self.keys, key)

    def remove(self, chunk: Chunk) -> None:
        """Take a free chunk out, because it is used, merged or released."""
        key = chunk.key
        del self.keys[bisect_left(self.keys, key)], self.chunks[key]
        chunk.key = 0


class CachingAllocator:
    """One GPU's caching allocator with at most `capacity` bytes of segments (None: no limit).

    Streams are numbers; pools are per stream. With `grow`, a request that would fail raises `capacity` to
    what it needs instead, so that one pass finds a capacity that is enough.
    """

    def __init__(self, capacity: int | None = None, *, grow: bool = False) -> None:
        self.capacity = capacity
        self.grow = grow
        self.reserved = 0
        self.peak_reserved = 0
        self.pools: dict[tuple[int, bool], Pool] = {}
        self._end = 0  # addresses are handed out once: virtual space is plentiful

    @property
    def allocated(self) -> int:
        """Bytes of the chunks that are in use."""
        free = (key >> ADDRESS_BITS for pool in self.pools.values() for key in pool.keys)
        return self.reserved - sum(free)

    def pool(self, size: int, stream: int = 0) -> Pool:
        """Return the pool that serves requests of `size` bytes on a stream."""
        small = size <= SMALL_REQUEST
        return self.pools.get((stream, small)) or self._pool(stream, small=small)

    def malloc(self, size: int, pool: Pool) -> Chunk:
        """Allocate `size` bytes, already `rounded`, from their pool; OutOfMemory where they do not fit."""
        keys = pool.keys
        index = bisect_left(keys, size << ADDRESS_BITS)
        if index < len(keys):
            chunk = pool.chunks.pop(keys.pop(index))
            chunk.key = 0
        else:
            chunk = self._more(pool, size)
        remainder = chunk.size - size
        if remainder >= pool.least_remainder:
            rest = Chunk(chunk.address + size, remainder, pool, chunk, chunk.next)
            if chunk.next is not None:
                chunk.next.previous = rest
            chunk.next = rest
            chunk.size = size
            pool.add(rest)
        return chunk

    def free(self, chunk: Chunk) -> None:
        """Give `chunk` back to its pool, merged with its free neighbours."""
        pool = chunk.pool
        before, after = chunk.previous, chunk.next
        if before is not None and before.key:
            pool.remove(before)
            chunk.address = before.address
            chunk.size += before.size
            chunk.previous = before.previous
            if chunk.previous is not None:
                chunk.previous.next = chunk
        if after is not None and after.key:
            pool.remove(after)
            chunk.size += after.size
            chunk.next = after.next
            if chunk.next is not None:
                chunk.next.previous = chunk
        pool.add(chunk)

    def empty_cache(self) -> None:
        """Release every cached segment that holds no allocated chunk."""
        for pool in self.pools.values():
            for chunk in list(pool.chunks.values()):
                self._release(chunk)

    def _release(self, chunk: Chunk) -> None:
        """Release the segment of a free chunk, if the chunk is all of it."""
        if chunk.previous is None and chunk.next is None:
            chunk.pool.remove(chunk)
            self.reserved -= chunk.size

    def _more(self, pool: Pool, size: int) -> Chunk:
        """Reserve a segment for `size` bytes."""
        whole = segment_size(size)
        if not self._fits(whole):
            self.empty_cache()
        self._reserve(whole)
        chunk = Chunk(self._end, whole, pool)
        self._end += whole
        return chunk

    def _pool(self, stream: int, *, small: bool) -> Pool:
        self.pools[stream, small] = pool = Pool(small=small)
        return pool

    def _fits(self, more: int) -> bool:
        return self.capacity is None or self.reserved + more <= self.capacity

    def _reserve(self, more: int) -> None:
        """Count `more` bytes of segments."""
        if not self._fits(more):
            if not self.grow:
                raise OutOfMemory(self.reserved + more)
            self.capacity = self.reserved + more
        self.reserved += more
        self.peak_reserved = max(self.peak_reserved, self.reserved)

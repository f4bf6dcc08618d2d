# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The caching allocator under PYTORCH_ALLOC_CONF=expandable_segments:True.

One segment per pool grows by pages (2 MiB small, 20 MiB large) at its end; releasing the cache unmaps every
page that is wholly free, wherever it lies. c10/cuda/CUDACachingAllocator.cpp, ExpandableSegment.
"""

from __future__ import annotations

from trainlint.estimate.replay.allocator import (
    LARGE_SEGMENT,
    ROUNDING,
    SMALL_SEGMENT,
    CachingAllocator,
    Chunk,
    Pool,
)


class Expandable(Pool):
    """A pool whose segment grows: `end` is its first address never mapped, `tail` the chunk before it."""

    __slots__ = ("end", "page", "tail")

    def __init__(self, *, small: bool) -> None:
        super().__init__(small=small)
        self.least_remainder = ROUNDING
        self.page = SMALL_SEGMENT if small else LARGE_SEGMENT
        self.end = 0
        self.tail: Chunk | None = None

    def last(self) -> Chunk | None:
        """Return the chunk that ends where the segment does, if its pages are still mapped."""
        chunk = self.tail
        while chunk is not None and chunk.next is not None:
            chunk = chunk.next
        self.tail = chunk
        return chunk if chunk is not None and chunk.address + chunk.size == self.end else None

    def missing(self, size: int) -> int:
        """Return the bytes of pages to map until the end of the segment serves `size`."""
        last = self.last()
        have = last.size if last is not None and last.key else 0
        return -(-(size - have) // self.page) * self.page


class ExpandableAllocator(CachingAllocator):
    """A CachingAllocator with expandable segments."""

    def _pool(self, stream: int, *, small: bool) -> Pool:
        self.pools[stream, small] = pool = Expandable(small=small)
        return pool

    def free(self, chunk: Chunk) -> None:
        """Give `chunk` back; where it swallows the end of the segment, it is the new end."""
        super().free(chunk)
        pool = chunk.pool
        assert isinstance(pool, Expandable)  # noqa: S101 - narrows what _pool made
        if chunk.next is None and chunk.address + chunk.size == pool.end:
            pool.tail = chunk

    def _more(self, pool: Pool, size: int) -> Chunk:
        assert isinstance(pool, Expandable)  # noqa: S101 - narrows what _pool made
        if not self._fits(pool.missing(size)):
            self.empty_cache()
        more = pool.missing(size)
        self._reserve(more)
        last = pool.last()
        if last is not None and last.key:
            pool.remove(last)
            last.size += more
        else:
            chunk = Chunk(pool.end, more, pool, last)
            if last is not None:
                last.next = chunk
            pool.tail = last = chunk
        pool.end += more
        return last

    def _release(self, chunk: Chunk) -> None:
        """Unmap the whole pages inside a free chunk; what is left of it on either side stays free."""
        pool = chunk.pool
        assert isinstance(pool, Expandable)  # noqa: S101 - narrows what _pool made
        stop = chunk.address + chunk.size
        first, last = -(-chunk.address // pool.page) * pool.page, stop // pool.page * pool.page
        if first >= last:
            return
        at_end = pool.last() is chunk
        pool.remove(chunk)
        self.reserved -= last - first
        left, right = _cut(pool, chunk, first, last)
        if at_end:
            pool.tail = right or left or chunk.previous
            if right is None:
                pool.end = first


def _cut(pool: Pool, chunk: Chunk, first: int, last: int) -> tuple[Chunk | None, Chunk | None]:
    """Replace `chunk` by what lies before `first` and after `last`; the hole is never mapped again."""
    before, after = chunk.previous, chunk.next
    stop = chunk.address + chunk.size
    left = Chunk(chunk.address, first - chunk.address, pool, before) if first > chunk.address else None
    right = Chunk(last, stop - last, pool, None, after) if stop > last else None
    if before is not None:
        before.next = left
    if after is not None:
        after.previous = right
    for piece in (left, right):
        if piece is not None:
            pool.add(piece)
    return left, right

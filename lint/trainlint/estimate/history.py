# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What torch's caching allocator does in a step: every event with its address, as its own history has it.

The tape is replayed without workspaces, from before the first step to its last event.
"""

from __future__ import annotations

from typing import Final

from trainlint.estimate.replay.allocator import CachingAllocator, Chunk, rounded
from trainlint.estimate.replay.ledger import Ledger, Samples
from trainlint.lean import dataclass

SEGMENT: Final = "segment_alloc"
"""The event of memory that is reserved; torch's names, as those of the others."""
ALLOCATED: Final = "alloc"
FREED: Final = ("free_requested", "free_completed")


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """One event: bytes at an address on a stream; of no block (None) where a segment was reserved."""

    action: str
    address: int
    size: int
    stream: int
    block: int | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """Memory that was reserved in one piece."""

    address: int
    size: int
    stream: int


@dataclass(frozen=True, slots=True)
class SegmentPart:
    """A piece of a segment after the last event: `asked` bytes of a block, or free (None)."""

    address: int
    size: int
    block: int | None
    asked: int


class History:
    """One GPU's events in order; then its segments and their parts, each by address.

    `asked` and `born` have the bytes and the position in the program of every block that was allocated.
    """

    def __init__(self, book: Ledger, samples: Samples) -> None:
        sizes = [size.at(samples.batch, samples.total, samples.pool) for size in book.sizes]
        self._streams = [block.stream for block in book.blocks]
        self._allocator = CachingAllocator()
        self._live: dict[int, Chunk] = {}
        self.asked: dict[int, int] = {}
        self.born: dict[int, int] = {}
        self.entries: list[MemoryEvent] = []
        self.segments: list[Segment] = []
        for position, event in enumerate(book.program):
            if event >= 0 and (size := sizes[book.size_of[event]]) > 0:
                self.asked[event], self.born[event] = size, position
                self._allocate(event)
            elif ~event in self._live:
                self._free(~event)
        self.segments.sort(key=lambda segment: segment.address)
        self.parts = self._parts()

    def _allocate(self, index: int) -> None:
        stream, before = self._streams[index], self._allocator.reserved
        size = rounded(self.asked[index])
        chunk = self._allocator.malloc(size, self._allocator.pool(size, stream))
        if (whole := self._allocator.reserved - before) > 0:
            self.segments.append(Segment(chunk.address, whole, stream))
            self.entries.append(MemoryEvent(SEGMENT, chunk.address, whole, stream))
        self._live[index] = chunk
        self._note(ALLOCATED, index, chunk)

    def _free(self, index: int) -> None:
        chunk = self._live.pop(index)
        for action in FREED:
            self._note(action, index, chunk)
        self._allocator.free(chunk)

    def _note(self, action: str, index: int, chunk: Chunk) -> None:
        self.entries.append(
            MemoryEvent(action, chunk.address, self.asked[index], self._streams[index], index)
        )

    def _parts(self) -> list[SegmentPart]:
        used = {chunk.address: index for index, chunk in self._live.items()}
        chunks = [chunk for pool in self._allocator.pools.values() for chunk in pool.chunks.values()]
        found = [
            SegmentPart(chunk.address, chunk.size, index, chunk.size if index is None else self.asked[index])
            for chunk in (*chunks, *self._live.values())
            for index in (used.get(chunk.address),)
        ]
        return sorted(found, key=lambda part: part.address)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What torch's caching allocator does in a step: every event with its address, as its own history has it.

The tape is replayed without workspaces, from before the first step to its last event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from trainlint.estimate.replay.allocator import SMALL_SEGMENT, CachingAllocator, Chunk, rounded
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, ledger
from trainlint.estimate.tensors.tensor_kind import kinds
from trainlint.estimate.tensors.tensor_maker import makers
from trainlint.tape import Op, Tape

SEGMENT: Final = "segment_alloc"
"""The event of memory that is reserved; torch's names, as those of the others."""
ALLOCATED: Final = "alloc"
FREED: Final = ("free_requested", "free_completed")


class MemoryEvent(Struct, frozen=True):
    """One event: bytes at an address on a stream; of no block (None) where a segment was reserved."""

    action: str
    address: int
    size: int
    stream: int
    block: int | None = None


class Segment(Struct, frozen=True):
    """Memory that was reserved in one piece."""

    address: int
    size: int
    stream: int

    @property
    def small(self) -> bool:
        """Whether it is one of the pool of small tensors."""
        return self.size == SMALL_SEGMENT


class SegmentPart(Struct, frozen=True):
    """A piece of a segment after the last event: `asked` bytes of a block, or free (None)."""

    address: int
    size: int
    block: int | None
    asked: int


class BlockOrigin(Struct, frozen=True):
    """What a block is for, its module, the operator that made it, and the phase that this was in."""

    kind: str
    owner: str
    op: Op | None
    phase: str


class History(Struct, frozen=True):
    """One GPU's events in order; its segments and their parts after the last, each by address.

    `origins` has every block that an event or a part names.
    """

    entries: Sequence[MemoryEvent]
    segments: Sequence[Segment]
    parts: Sequence[SegmentPart]
    origins: Mapping[int, BlockOrigin]


def histories(tape: Tape, samples: Samples) -> tuple[History, ...]:
    """Return the history of each of a tape's GPUs."""
    return tuple(_history(ledger(tape, device), samples) for device in range(tape.devices))


def _history(book: Ledger, samples: Samples) -> History:
    played = _Replay(book, samples)
    kind, maker = kinds(book), makers(book)
    origins = {
        index: BlockOrigin(kind.of(index), book.blocks[index].owner, maker.get(index), book.phase(position))
        for index, position in played.born.items()
    }
    return History(played.entries, played.segments, played.parts(), origins)


class _Replay:
    """Plays one GPU's program; `asked` and `born` have the bytes and the position of every block's birth."""

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

    def parts(self) -> list[SegmentPart]:
        """Return the pieces of all segments as they are now, by address."""
        used = {chunk.address: index for index, chunk in self._live.items()}
        chunks = [chunk for pool in self._allocator.pools.values() for chunk in pool.chunks.values()]
        memory_parts = [
            SegmentPart(chunk.address, chunk.size, index, chunk.size if index is None else self.asked[index])
            for chunk in (*chunks, *self._live.values())
            for index in (used.get(chunk.address),)
        ]
        return sorted(memory_parts, key=lambda part: part.address)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""PyTorch's memory snapshot, made from a tape: what torch.cuda.memory._dump_snapshot would have pickled.

https://pytorch.org/memory_viz opens it. Format: torch/cuda/_memory_viz.py and the docstring of
torch.cuda.memory._snapshot (PyTorch 2.13); what the viewer reads of it: torch/utils/viz/MemoryViz.js
(pytorch/pytorch 00067369). The trace covers both steps of the tape, replayed through the caching allocator
without workspaces; frames say in place of a Python stack what made a tensor and what for.
"""

from __future__ import annotations

import pickle
from bisect import bisect_left
from typing import Any, Final

from trainlint.estimate.kind import kinds
from trainlint.estimate.maker import makers
from trainlint.estimate.replay.allocator import SMALL_SEGMENT, CachingAllocator, Chunk, rounded
from trainlint.estimate.replay.ledger import Ledger, Samples, ledger
from trainlint.report.kind_text import name_of
from trainlint.report.moment_text import operator_words, owner_words, phase_words
from trainlint.tape import Tape

BASE: Final = 0x7F_0000_0000
"""Where addresses start: the viewer takes 0 for "no address"."""
DEVICE_BITS: Final = 44
"""Two GPUs' addresses are so far apart: 16 TiB, and still whole numbers to the viewer (53 bits)."""
POOL: Final = (0, 0)
"""The memory pool that everything is of: torch's default one."""
PROTOCOL: Final = 4
"""Of pickle: the newest that the viewer's own unpickler reads."""
UNKNOWN: Final = "unknown"
"""A category that the viewer fails without once there are any: the segments are of it."""


def snapshot(tape: Tape, samples: Samples) -> bytes:
    """Return the pickle of a snapshot with one trace for each virtual GPU."""
    devices = [_Recorder(ledger(tape, device), samples, device) for device in range(tape.devices)]
    data = {
        "segments": [segment for device in devices for segment in device.segments()],
        "device_traces": [device.trace for device in devices],
        "allocator_settings": {},
        "external_annotations": [],
    }
    return pickle.dumps(data, protocol=PROTOCOL)


class _Recorder:
    """Replays one GPU of a tape and notes what torch's own history would."""

    def __init__(self, book: Ledger, samples: Samples, device: int) -> None:
        self.book, self.device = book, device
        self.base = BASE + (device << DEVICE_BITS)
        self.sizes = [size.at(samples.batch, samples.total, samples.pool) for size in book.sizes]
        self.allocator = CachingAllocator()
        self.live: dict[int, Chunk] = {}
        self.frames: dict[int, list[dict[str, Any]]] = {}
        self._told: dict[tuple[tuple[str, str], ...], list[dict[str, Any]]] = {}
        self.reserved: list[tuple[int, int, int]] = []
        self.trace: list[dict[str, Any]] = []
        for position, event in enumerate(book.program):
            if event >= 0 and self._asked(event) > 0:
                self._alloc(event, position)
            elif ~event in self.live:
                self._free(~event)

    def _asked(self, index: int) -> int:
        """Return the bytes that a block asks for, not yet rounded."""
        return self.sizes[self.book.size_of[index]]

    def _alloc(self, index: int, position: int) -> None:
        stream = self.book.blocks[index].stream
        before = self.allocator.reserved
        size = rounded(self._asked(index))
        chunk = self.allocator.malloc(size, self.allocator.pool(size, stream))
        if self.allocator.reserved > before:
            whole = self.allocator.reserved - before
            self.reserved.append((self.base + chunk.address, whole, stream))
            self._note("segment_alloc", chunk, whole, stream=stream, frames=[], category=UNKNOWN)
        self.live[index] = chunk
        self.frames[index] = self._frames(index, position)
        self._note_block("alloc", index, chunk)

    def _free(self, index: int) -> None:
        chunk = self.live.pop(index)
        for action in ("free_requested", "free_completed"):
            self._note_block(action, index, chunk)
        self.allocator.free(chunk)

    def _note_block(self, action: str, index: int, chunk: Chunk) -> None:
        kind = name_of(kinds(self.book).of(index))
        stream = self.book.blocks[index].stream
        self._note(action, chunk, self._asked(index), stream=stream, frames=self.frames[index], category=kind)

    def _note(self, action: str, chunk: Chunk, size: int, **more: Any) -> None:
        """Append an entry of the trace; `more` are its stream, frames and category."""
        entry = {"action": action, "addr": self.base + chunk.address, "size": size, "pool_id": POOL}
        self.trace.append({**entry, "time_us": len(self.trace), **more})

    def _frames(self, index: int, position: int) -> list[dict[str, Any]]:
        """Return a frame for each thing known of a tensor, as the viewer shows it: "file:line:name"."""
        block, maker = self.book.blocks[index], makers(self.book).get(index)
        words = {
            "operator": operator_words(maker) if maker else "",
            "module": owner_words(block.owner),
            "kind": name_of(kinds(self.book).of(index)),
            "made": phase_words(self.book.phase(position)),
        }
        told = tuple((what, name) for what, name in words.items() if name)
        if told not in self._told:  # pickle writes a list that it has seen as a number
            self._told[told] = [{"filename": what, "line": 0, "name": name} for what, name in told]
        return self._told[told]

    def segments(self) -> list[dict[str, Any]]:
        """Return the segments as they stand after the last event, with their blocks."""
        used = {chunk.address: index for index, chunk in self.live.items()}
        chunks = [chunk for pool in self.allocator.pools.values() for chunk in pool.chunks.values()]
        blocks = [self._block(chunk, used.get(chunk.address)) for chunk in (*chunks, *self.live.values())]
        blocks.sort(key=lambda block: int(block["address"]))
        starts = [block["address"] for block in blocks]
        return [
            self._segment(
                *segment, blocks[bisect_left(starts, segment[0]) : bisect_left(starts, sum(segment[:2]))]
            )
            for segment in self.reserved
        ]

    def _block(self, chunk: Chunk, index: int | None) -> dict[str, Any]:
        block = {"address": self.base + chunk.address, "size": chunk.size}
        if index is None:
            return {**block, "requested_size": chunk.size, "state": "inactive", "frames": []}
        asked = self._asked(index)
        return {
            **block, "requested_size": asked, "state": "active_allocated", "frames": self.frames[index],
        }  # fmt: skip

    def _segment(self, address: int, size: int, stream: int, blocks: list[dict[str, Any]]) -> dict[str, Any]:
        used = [block for block in blocks if block["state"] == "active_allocated"]
        active, requested = (sum(block[name] for block in used) for name in ("size", "requested_size"))
        return {
            "device": self.device, "address": address, "stream": stream, "blocks": blocks, "total_size": size,
            "allocated_size": active, "active_size": active, "requested_size": requested, "frames": [],
            "is_expandable": False, "segment_type": "small" if size == SMALL_SEGMENT else "large",
            "segment_pool_id": POOL,
        }  # fmt: skip

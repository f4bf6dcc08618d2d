"""PyTorch's memory snapshot, made from a tape: what torch.cuda.memory._dump_snapshot would have pickled.

https://pytorch.org/memory_viz opens it. Format: torch/cuda/_memory_viz.py and the docstring of
torch.cuda.memory._snapshot (PyTorch 2.13). The trace covers both steps of the tape, replayed through the
caching allocator; frames carry the module and the kind in place of a Python stack.
"""

from __future__ import annotations

import pickle
from bisect import bisect_left
from typing import Any

from trainlint.estimate.allocator import SMALL_SEGMENT, CachingAllocator, Chunk, rounded
from trainlint.estimate.ledger import Ledger, Samples, ledger
from trainlint.tape import Tape

BASE = 0x7F_0000_0000
"""Where addresses start: the viewer takes 0 for "no address"."""


def snapshot(tape: Tape, samples: Samples) -> bytes:
    """Return the pickle of a snapshot with one trace for each virtual GPU."""
    devices = [_Recorder(ledger(tape, device), samples, device) for device in range(tape.devices)]
    data = {
        "segments": [segment for device in devices for segment in device.segments()],
        "device_traces": [device.trace for device in devices],
        "allocator_settings": {},
        "external_annotations": [],
    }
    return pickle.dumps(data, protocol=4)


class _Recorder:
    """Replays one GPU of a tape and notes what torch's own history would."""

    def __init__(self, book: Ledger, samples: Samples, device: int) -> None:
        self.book, self.device = book, device
        self.sizes = book.bytes(samples)
        self.allocator = CachingAllocator()
        self.live: dict[int, Chunk] = {}
        self.reserved: list[tuple[int, int, int]] = []
        self.trace: list[dict[str, Any]] = []
        for position, event in enumerate(book.program):
            if event >= 0 and self.sizes[event]:
                self._alloc(event, position)
            elif ~event in self.live:
                self._free(~event)

    def _alloc(self, index: int, position: int) -> None:
        stream = self.book.blocks[index].stream
        before = self.allocator.reserved
        size = rounded(self.sizes[index])
        chunk = self.allocator.malloc(size, self.allocator.pool(size, stream))
        if self.allocator.reserved > before:
            whole = self.allocator.reserved - before
            self.reserved.append((BASE + chunk.address, whole, stream))
            self._note("segment_alloc", chunk.address, whole, stream, [])
        self.live[index] = chunk
        self._note("alloc", chunk.address, chunk.size, stream, self._frames(index, position))

    def _free(self, index: int) -> None:
        chunk, stream = self.live.pop(index), self.book.blocks[index].stream
        for action in ("free_requested", "free_completed"):
            self._note(action, chunk.address, chunk.size, stream, [])
        self.allocator.free(chunk)

    def _note(self, action: str, address: int, size: int, stream: int, frames: list[dict[str, Any]]) -> None:
        self.trace.append(
            {"action": action, "addr": BASE + address, "size": size, "stream": stream, "frames": frames,
             "time_us": len(self.trace)}
        )  # fmt: skip

    def _frames(self, index: int, position: int) -> list[dict[str, Any]]:
        """Return module, kind and phase as three frames, innermost first."""
        block = self.book.blocks[index]
        names = (block.owner or "(no module)", block.kind, self.book.phase(position))
        return [{"name": name, "filename": "trainlint", "line": 0} for name in names if name]

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
        frames = [] if index is None else self._frames(index, 0)
        state = "inactive" if index is None else "active_allocated"
        address = BASE + chunk.address
        return {
            "address": address,
            "size": chunk.size,
            "requested_size": chunk.size,
            "state": state,
            "frames": frames,
        }

    def _segment(self, address: int, size: int, stream: int, blocks: list[dict[str, Any]]) -> dict[str, Any]:
        active = sum(block["size"] for block in blocks if block["state"] == "active_allocated")
        return {
            "device": self.device, "address": address, "stream": stream, "blocks": blocks, "total_size": size,
            "allocated_size": active, "active_size": active, "requested_size": active, "frames": [],
            "is_expandable": False, "segment_type": "small" if size == SMALL_SEGMENT else "large",
            "segment_pool_id": (0, 0),
        }  # fmt: skip

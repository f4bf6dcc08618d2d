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
from collections.abc import Sequence
from typing import Any, Final

from trainlint.estimate.history import History, Segment, SegmentPart
from trainlint.estimate.kind import kinds
from trainlint.estimate.maker import makers
from trainlint.estimate.replay.allocator import SMALL_SEGMENT
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
    devices = [_Device(ledger(tape, device), samples, device) for device in range(tape.devices)]
    data = {
        "segments": [segment for device in devices for segment in device.segments()],
        "device_traces": [device.trace for device in devices],
        "allocator_settings": {},
        "external_annotations": [],
    }
    return pickle.dumps(data, protocol=PROTOCOL)


class _Device:
    """Writes one GPU's history as torch's own history would have it."""

    def __init__(self, book: Ledger, samples: Samples, device: int) -> None:
        self.book, self.device = book, device
        self.base = BASE + (device << DEVICE_BITS)
        self.history = History(book, samples)
        self._seen: dict[tuple[tuple[str, str], ...], list[dict[str, Any]]] = {}
        self.trace = [
            {
                "action": entry.action, "addr": self.base + entry.address, "size": entry.size,
                "pool_id": POOL, "time_us": time, "stream": entry.stream, "frames": self._frames(entry.block),
                "category": UNKNOWN if entry.block is None else name_of(kinds(book).of(entry.block)),
            }
            for time, entry in enumerate(self.history.entries)
        ]  # fmt: skip

    def _frames(self, index: int | None) -> list[dict[str, Any]]:
        """Return a frame for each thing known of a tensor, as the viewer shows it: "file:line:name"."""
        if index is None:
            return []
        block, maker = self.book.blocks[index], makers(self.book).get(index)
        words = {
            "operator": operator_words(maker) if maker else "",
            "module": owner_words(block.owner),
            "kind": name_of(kinds(self.book).of(index)),
            "made": phase_words(self.book.phase(self.history.born[index])),
        }
        known = tuple((what, name) for what, name in words.items() if name)
        if known not in self._seen:  # pickle writes a list that it has seen as a number
            self._seen[known] = [{"filename": what, "line": 0, "name": name} for what, name in known]
        return self._seen[known]

    def segments(self) -> list[dict[str, Any]]:
        """Return the segments as they are after the last event, with their blocks."""
        parts = self.history.parts
        starts = [part.address for part in parts]
        return [
            self._segment(
                segment,
                parts[
                    bisect_left(starts, segment.address) : bisect_left(starts, segment.address + segment.size)
                ],
            )
            for segment in self.history.segments
        ]

    def _segment(self, segment: Segment, parts: Sequence[SegmentPart]) -> dict[str, Any]:
        used = [part for part in parts if part.block is not None]
        active = sum(part.size for part in used)
        return {
            "device": self.device, "address": self.base + segment.address, "stream": segment.stream,
            "blocks": [self._block(part) for part in parts], "total_size": segment.size,
            "allocated_size": active, "active_size": active,
            "requested_size": sum(part.asked for part in used), "frames": [], "is_expandable": False,
            "segment_type": "small" if segment.size == SMALL_SEGMENT else "large", "segment_pool_id": POOL,
        }  # fmt: skip

    def _block(self, part: SegmentPart) -> dict[str, Any]:
        return {
            "address": self.base + part.address, "size": part.size, "requested_size": part.asked,
            "state": "inactive" if part.block is None else "active_allocated",
            "frames": self._frames(part.block),
        }  # fmt: skip

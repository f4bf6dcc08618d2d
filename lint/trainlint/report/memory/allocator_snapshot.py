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
from typing import TYPE_CHECKING, Any, Final

from trainlint.report.memory.kind_text import name_of
from trainlint.report.memory.moment_text import operator_words, owner_words, phase_words

if TYPE_CHECKING:
    from trainlint.estimate.explain.allocator_history import History, Segment, SegmentPart

BASE_ADDRESS: Final = 0x7F_0000_0000
"""Where addresses start: the viewer takes 0 for "no address"."""
DEVICE_BITS: Final = 44
"""Two GPUs' addresses are so far apart: 16 TiB, and still whole numbers to the viewer (53 bits)."""
POOL: Final = (0, 0)
"""The memory pool that everything is of: torch's default one."""
PROTOCOL: Final = 4
"""Of pickle: the newest that the viewer's own unpickler reads."""
UNKNOWN_CATEGORY: Final = "unknown"
"""A category that the viewer fails without once there are any: the segments are of it."""


def snapshot(histories: Sequence[History]) -> bytes:
    """Return the pickle of a snapshot with one trace for each virtual GPU."""
    devices = [_Device(history, device) for device, history in enumerate(histories)]
    data = {
        "segments": [segment for device in devices for segment in device.segments()],
        "device_traces": [device.trace for device in devices],
        "allocator_settings": {},
        "external_annotations": [],
    }
    return pickle.dumps(data, protocol=PROTOCOL)


class _Device:
    """Writes one GPU's history as torch's own history would have it."""

    def __init__(self, history: History, device: int) -> None:
        self.history, self.device = history, device
        self.base = BASE_ADDRESS + (device << DEVICE_BITS)
        self._seen: dict[tuple[tuple[str, str], ...], list[dict[str, Any]]] = {}
        self.trace = [
            {
                "action": entry.action, "addr": self.base + entry.address, "size": entry.size,
                "pool_id": POOL, "time_us": time, "stream": entry.stream, "frames": self._frames(entry.block),
                "category": UNKNOWN_CATEGORY
                if entry.block is None
                else name_of(history.origins[entry.block].kind),
            }
            for time, entry in enumerate(self.history.entries)
        ]  # fmt: skip

    def _frames(self, index: int | None) -> list[dict[str, Any]]:
        """Return a frame for each thing known of a tensor, as the viewer shows it: "file:line:name"."""
        if index is None:
            return []
        origin = self.history.origins[index]
        words = {
            "operator": operator_words(origin.op) if origin.op else "",
            "module": owner_words(origin.owner),
            "kind": name_of(origin.kind),
            "made": phase_words(origin.phase),
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
            "segment_type": "small" if segment.small else "large", "segment_pool_id": POOL,
        }  # fmt: skip

    def _block(self, part: SegmentPart) -> dict[str, Any]:
        return {
            "address": self.base + part.address, "size": part.size, "requested_size": part.asked,
            "state": "inactive" if part.block is None else "active_allocated",
            "frames": self._frames(part.block),
        }  # fmt: skip

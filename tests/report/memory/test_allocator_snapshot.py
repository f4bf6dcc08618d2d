# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""PyTorch's memory snapshot: torch's own tools read it, and the viewer's rules hold.

The viewer (torch/utils/viz/MemoryViz.js, pytorch/pytorch 00067369) unpickles with a reader of its own, walks
the trace backwards from the segments, and lays a segment's blocks side by side without looking at addresses.
"""

from __future__ import annotations

import pickle
import pickletools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimate.toy_tapes import tapes
from tests.report.text.test_explain_text import SAMPLES, gan
from trainlint.estimate.explain.allocator_history import histories
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.report.memory.allocator_snapshot import snapshot

OPCODES = {
    "APPEND", "APPENDS", "BINFLOAT", "BINGET", "BININT", "BININT1", "BININT2", "BINPUT", "BINUNICODE", "DICT",
    "EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "FRAME", "LIST", "LONG1", "LONG_BINGET", "LONG_BINPUT", "MARK",
    "MEMOIZE", "NEWFALSE", "NEWTRUE", "NONE", "PROTO", "SETITEM", "SETITEMS", "SHORT_BINUNICODE", "STOP",
    "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3",
}  # fmt: skip
"""What the viewer's unpickler knows; it throws at any other."""
LARGEST_LONG = 8
"""Bytes of an integer up to which it makes a number, not a BigInt, of it."""
FRAME_FIELDS = {"filename": str, "line": int, "name": str}
ENTRY_FIELDS = {"action": str, "addr": int, "size": int, "stream": int, "frames": list, "category": str}
BLOCK_FIELDS = {"address": int, "size": int, "requested_size": int, "state": str, "frames": list}
SEGMENT_FIELDS = {
    "device": int, "address": int, "total_size": int, "stream": int, "segment_type": str,
    "segment_pool_id": tuple, "allocated_size": int, "active_size": int, "requested_size": int,
    "blocks": list, "frames": list,
}  # fmt: skip


def made():
    return pickle.loads(snapshot(histories(gan(), SAMPLES)))  # noqa: S301 - ours


def assert_fields(thing, fields) -> None:
    assert {name: type(thing[name]) for name in fields} == fields


def test_the_viewers_unpickler_knows_every_opcode() -> None:
    text = snapshot(histories(gan(), SAMPLES))
    for opcode, argument, _ in pickletools.genops(text):
        assert opcode.name in OPCODES, opcode.name
        if opcode.name == "LONG1":
            assert argument.bit_length() < 8 * LARGEST_LONG
        if opcode.name == "PROTO":
            assert 2 <= argument <= 4


def test_every_field_that_is_read_is_there() -> None:
    data = made()
    assert len(data["device_traces"]) == 1
    for entry in data["device_traces"][0]:
        assert_fields(entry, ENTRY_FIELDS)
        assert entry["action"] in ("alloc", "free_requested", "free_completed", "segment_alloc")
    for segment in data["segments"]:
        assert_fields(segment, SEGMENT_FIELDS)
        for block in segment["blocks"]:
            assert_fields(block, BLOCK_FIELDS)
            assert block["state"] in ("active_allocated", "inactive")
            for frame in block["frames"]:
                assert_fields(frame, FRAME_FIELDS)
    assert "unknown" in {entry["category"] for entry in data["device_traces"][0]}


def test_frames_tell_operator_module_kind_and_phase() -> None:
    entries = made()["device_traces"][0]
    told = {tuple((f["filename"], f["name"]) for f in entry["frames"]) for entry in entries}
    assert (
        ("operator", "3x3 convolution"), ("module", "perceptual:vgg.conv1_1"), ("kind", "activations"),
        ("made", "in the losses"),
    ) in told  # fmt: skip
    freed = [entry for entry in entries if entry["action"] == "free_completed"]
    assert all(entry["frames"] for entry in freed)  # the viewer draws a block of the past with these


def at_the_end(data, device):
    """Return the blocks and segments of a device as they stand after the trace: address -> bytes."""
    blocks, segments = {}, {}
    for segment in data["segments"]:
        if segment["device"] != device:
            continue
        address = segment["address"]
        segments[address] = segment["total_size"]
        for block in segment["blocks"]:
            assert block["address"] == address  # the viewer adds sizes up and reads no address
            if block["state"] == "active_allocated":
                blocks[address] = block["requested_size"]
            address += block["size"]
        assert address == segment["address"] + segment["total_size"]
    return blocks, segments


def undo(entry, blocks, segments) -> None:
    """Take one entry of the trace back, as the viewer does."""
    match entry["action"]:
        case "free_completed":
            assert entry["addr"] not in blocks
            blocks[entry["addr"]] = entry["size"]
        case "free_requested":
            assert blocks[entry["addr"]] == entry["size"]
        case "alloc":
            assert blocks.pop(entry["addr"]) == entry["size"]
        case "segment_alloc":
            assert segments.pop(entry["addr"]) == entry["size"]


@settings(deadline=None, max_examples=20)
@given(tapes(), st.integers(1, 3))
def test_any_trace_can_be_undone_to_nothing(tape, batch) -> None:
    samples = Samples(batch, 2 * batch, 5)
    data = pickle.loads(snapshot(histories(tape, samples)))  # noqa: S301 - ours
    addresses = [segment["address"] for segment in data["segments"]]
    assert len(set(addresses)) == len(addresses)  # of both GPUs: the viewer counts an address's uses together
    for device in range(tape.devices):
        blocks, segments = at_the_end(data, device)
        for entry in reversed(data["device_traces"][device]):
            undo(entry, blocks, segments)
            for address, size in blocks.items():
                start = max(start for start in segments if start <= address)
                assert address + size <= start + segments[start]
        assert not blocks
        assert not segments


def test_the_timelines_peak_is_that_of_the_ledger_but_for_rounding() -> None:
    live = peak = 0
    for entry in made()["device_traces"][0]:
        live += {"alloc": entry["size"], "free_completed": -entry["size"]}.get(entry["action"], 0)
        peak = max(peak, live)
    allocated = ledger(gan()).peak(SAMPLES).allocated
    assert allocated - 512 * 20 < peak <= allocated


def test_torchs_own_tools_read_it(capsys) -> None:
    viz = pytest.importorskip("torch.cuda._memory_viz")
    data = made()
    assert "entries" in viz.trace(data)
    reserved = sum(segment["total_size"] for segment in data["segments"])
    assert f"segments: {len(data['segments'])}\ntotal_reserved: {viz.Bytes(reserved)}" in viz.segsum(data)
    active = Counter()
    for line in viz.memory(data, format_flamegraph=str).splitlines():
        stack, _, size = line.rpartition(" ")
        active[stack.split(";")[1]] += int(size)
    assert sum(active.values()) == reserved
    assert active["active_allocated"] == sum(segment["allocated_size"] for segment in data["segments"])
    assert "module:0:perceptual:vgg.conv1_1.weight" in viz.segments(data, format_flamegraph=str)
    assert viz.compare(data["segments"], data["segments"], format_flamegraph=str) == ""
    assert "only_before = []" in capsys.readouterr().out
    for page in (viz.trace_plot(data), viz.trace_plot(data, plot_segments=True), viz.segment_plot(data)):
        assert "add_local_files(local_files" in page
    left = viz.filter_alloc_free_pairs(made())["device_traces"][0]
    assert Counter(entry["action"] for entry in left)["alloc"] == len(
        [block for segment in data["segments"] for block in segment["blocks"] if block["state"] != "inactive"]
    )
    assert not capsys.readouterr().out  # a free that was not requested is complained of there

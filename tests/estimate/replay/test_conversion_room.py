# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Conversions of half-precision tensors: which there are, and a card on which they break a step."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.estimate.toy_tapes import MIB, Writer, tapes
from trainlint.estimate.memory.capacity import largest_batch
from trainlint.estimate.memory.card import Card, Share
from trainlint.estimate.memory.execution import gpu_memory
from trainlint.estimate.replay.allocator import CachingAllocator, OutOfMemory
from trainlint.estimate.replay.conversion_room import replay as replay_converted
from trainlint.estimate.replay.conversion_room import room_with_conversions
from trainlint.estimate.replay.conversions import conversions
from trainlint.estimate.replay.footprint import footprint, footprint_on
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.estimate.replay.replay_script import script
from trainlint.estimate.replay.workspace import CUBLAS, Libraries
from trainlint.tape import Size

PLAIN = Libraries(CUBLAS, benchmark=False)
ONE = Samples(1, 1)


def convolutions(**step):
    """Return a step with a half-precision convolution of each sort, and one of fp32."""
    w = Writer()
    w.op("conv", 6 * MIB, 10 * MIB, "forward k7x7 64o 3x224x224 s2 p3 d1 g1", dtype="float16")
    w.op("conv", 8 * MIB, 8 * MIB, "forward k1x1 64o 64x56x56 s1 p0 d1 g1", dtype="float16")
    w.op("conv-grouped", 8 * MIB, 16 * MIB, "backward-data k3x3 64o 64x56x56 s1 p1 d1 g8", dtype="bfloat16")
    w.op("conv-depthwise", 8 * MIB, 8 * MIB, "forward k3x3 64o 1x56x56 s1 p1 d1 g64", dtype="float16")
    w.op("conv", 8 * MIB, 8 * MIB, "forward k3x3 64o 64x56x56 s1 p1 d1 g1")
    w.op("matmul", 8 * MIB, 8 * MIB, dtype="float16")
    return ledger(w.tape(step={"recipe": "test", **step}, batches=(2, 3)))


def test_half_precision_convolutions_are_converted_the_first_is_not():
    assert conversions(convolutions()).rows == ((1, Size(0, 16 * MIB)), (2, Size(0, 24 * MIB)))


@pytest.mark.parametrize("step", [{"channels_last": True}, {"recipe": "neosr.image"}, {"recipe": "vae"}])
def test_what_is_channels_last_is_not_converted(step):
    assert conversions(convolutions(**step)) is None


def cut(workspace=100, small=2, large=100, dtype="float16"):
    """Return a step: a convolution, whose conversion takes `workspace` MiB, then two tensors that stay."""
    w = Writer()
    w.mark("step 1")
    w.mark("step 2")
    w.op("conv", workspace * MIB, 0, "forward k3x3 64o 64x56x56", const=0, dtype=dtype)
    w.alloc(small * MIB)
    w.alloc(0, large * MIB)
    tape = w.tape(batches=(1, 2))
    moved = Size(0, workspace * MIB)
    return dataclasses.replace(tape, ops=tuple(op._replace(read=moved) for op in tape.ops))


def test_a_conversion_that_finds_room_can_take_a_tensors_place():
    book = ledger(cut())
    need = footprint(book, ONE, PLAIN)
    assert need.segments == (20 + 100) * MIB  # the small one in a segment of 20, the large one in its own
    # the small one stands in what the conversion left, and pins it: the large one needs another 100
    assert room_with_conversions(book, ONE, PLAIN, 150 * MIB) == 200 * MIB
    replay_converted(book, ONE, PLAIN, 200 * MIB)
    with pytest.raises(OutOfMemory):
        replay_converted(book, ONE, PLAIN, 200 * MIB - 512)


def test_a_conversion_that_finds_no_room_breaks_nothing():
    book = ledger(cut(workspace=400))
    assert room_with_conversions(book, ONE, PLAIN, 150 * MIB) == 150 * MIB


def test_fp32_and_expandable_segments_have_no_crowd():
    assert room_with_conversions(ledger(cut(dtype="float32")), ONE, PLAIN, 150 * MIB) == 150 * MIB
    assert room_with_conversions(ledger(cut()), ONE, replace(PLAIN, expandable=True), 150 * MIB) == 150 * MIB


def test_a_card_on_which_conversions_break_the_step_is_too_small():
    book, plain = ledger(cut()), ledger(cut(dtype="float32"))
    card = Card(150 * MIB, 0, 8.6, PLAIN)
    need = footprint_on(book, ONE, PLAIN, card.capacity)
    assert need.segments == need.reserved == 200 * MIB
    gpu = gpu_memory(need, card)
    assert card.capacity < gpu.least <= gpu.expect <= gpu.worst
    assert footprint_on(plain, ONE, PLAIN, card.capacity) == footprint(plain, ONE, PLAIN)
    for small in (100 * MIB, 119 * MIB):  # too small without them: that figure stands
        assert footprint_on(book, ONE, PLAIN, small) == footprint(book, ONE, PLAIN)


def test_the_largest_batch_gets_through_the_crowd():
    card = Card(250 * MIB, 0, 8.6, PLAIN)
    assert largest_batch(cut(dtype="float32"), Share(1, 1), card) == 2
    assert largest_batch(cut(), Share(1, 1), card) == 1


def simple(book, samples, capacity):
    """Play the script on the allocator's own objects: (whether it gets through, what it missed)."""
    lines = script(book, PLAIN, cudnn=False, converted=True)
    sizes, allocator = lines.sizes(book, samples), CachingAllocator(capacity)
    live, refused = {}, set()
    for number, stretch in enumerate(lines.stretches):
        if number:
            allocator.empty_cache()
        for event in stretch:
            if event < 0:
                if ~event in live:
                    allocator.free(live.pop(~event))
            elif sizes[event] and event not in refused:
                try:
                    live[event] = allocator.malloc(
                        sizes[event], allocator.pool(sizes[event], lines.streams[event])
                    )
                except OutOfMemory as error:
                    if event < lines.optional:
                        return False, error.needed
                    refused.add(event)
    return True, None


@pytest.mark.rest
@settings(deadline=None, max_examples=100)
@given(tapes(), st.integers(1, 8), st.floats(0.5, 3.0))
def test_a_crowd_is_the_allocators_own(tape, batch, share):
    tape = dataclasses.replace(tape, ops=tuple(op._replace(dtype="float16") for op in tape.ops))
    book, samples = ledger(tape), Samples(batch, batch, 3)
    capacity = int(share * book.peak(samples).allocated) // 512 * 512
    ran, missed = simple(book, samples, capacity)
    if ran:
        replay_converted(book, samples, PLAIN, capacity)
        assert room_with_conversions(book, samples, PLAIN, capacity) == capacity
    else:
        with pytest.raises(OutOfMemory) as caught:
            replay_converted(book, samples, PLAIN, capacity)
        assert caught.value.needed == missed

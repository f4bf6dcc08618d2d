# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Replays of whole tapes: workspaces where they are first needed, flushes, and the smallest capacity."""

from __future__ import annotations

from array import array
from dataclasses import replace
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimate.toy_tapes import MIB, Writer, tapes, two_steps
from trainlint.estimate.memory.card import Card
from trainlint.estimate.memory.execution import gpu_memory
from trainlint.estimate.memory.overhead import overhead
from trainlint.estimate.replay.allocator import CachingAllocator, OutOfMemory
from trainlint.estimate.replay.course import Order, Works
from trainlint.estimate.replay.expandable import ExpandableAllocator
from trainlint.estimate.replay.footprint import ATTEMPTS, footprint, reserved, segments, suffices
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.estimate.replay.recalled_columns import KEPT_RESULTS
from trainlint.estimate.replay.replay_script import replay, script
from trainlint.estimate.replay.workspace import (
    BENCHMARK_RESERVE_SHARE,
    CUBLAS,
    CUBLAS_SM90,
    PARTIAL,
    TRIED_SHARE,
    Hold,
    Libraries,
    copies,
    emptied,
    first_matmuls,
    flushes,
    in_order,
    layouts,
    libraries,
    products,
    spike,
    unshared,
    weights,
)
from trainlint.estimate.tapes.stored_profiles import shipped_folder
from trainlint.model.facts import WORST_SHARE
from trainlint.tape import EMPTIED, GRADIENT_SUM, HELD, Event, Op, Size
from trainlint.tape.encoding import decode

PLAIN = Libraries(CUBLAS, benchmark=False)
BENCHMARK = Libraries(CUBLAS, benchmark=True)


def each(book, uses):
    """Return where each workspace is taken, and its bytes."""
    order, sizes = book.ops.order, dict(uses.rows)
    return [(uses.where[at], sizes[order.rows[at]]) for at in order.of(sizes)]


def succeeds(book, samples, used, capacity):
    """Tell whether the replay gets through with a fixed capacity."""
    try:
        lines = script(book, used, cudnn=False)
        replay(lines, lines.sizes(book, samples), CachingAllocator(capacity))
    except OutOfMemory:
        return False
    return True


class Slow:
    """The figures by the allocator's own objects, each from a replay that begins at the beginning."""

    def __init__(self, book, samples, used):
        self.book, self.samples, self.used = book, samples, used

    def ran(self, capacity=None, *, grow=False, cudnn=False):
        kind = ExpandableAllocator if self.used.expandable else CachingAllocator
        allocator = kind(capacity, grow=grow)
        lines = script(self.book, self.used, cudnn=cudnn)
        replay(lines, lines.sizes(self.book, self.samples), allocator)
        return allocator

    def peak(self):
        """Return the peak of live bytes in the second step, counted event by event."""
        sizes = self.book.bytes(self.samples)
        live = [0]
        for event in self.book.program:
            live.append(live[-1] + (sizes[event] if event >= 0 else -sizes[~event]))
        return max(live[self.book.start :])

    def segments(self):
        floor = self.peak()
        capacity = self.ran(floor, grow=True).capacity or floor
        for _ in range(ATTEMPTS if capacity > floor else 0):
            try:
                self.ran(capacity)
            except OutOfMemory as error:
                capacity = error.needed
            else:
                break
        return min(capacity, self.ran().peak_reserved)

    def check(self):
        least = self.segments()
        for capacity in (least - 512, least + 512, least):  # a room asks before the figures are known
            assert suffices(self.book, self.samples, self.used, capacity) == (capacity >= least)
        need = footprint(self.book, self.samples, self.used)
        assert need.live.allocated == self.peak()
        assert need.segments == least
        assert need.reserved == max(least, self.ran(cudnn=True).peak_reserved)
        assert reserved(self.book, self.samples, self.used) == self.ran().peak_reserved
        for capacity in (least - 512, least, least + 512, need.reserved):
            assert suffices(self.book, self.samples, self.used, capacity) == (capacity >= least)


@pytest.mark.rest
@settings(deadline=None, max_examples=100)
@given(tapes(), st.integers(1, 16), st.booleans(), st.booleans())
def test_every_figure_is_the_allocators_own(tape, batch, benchmark, expandable):
    for device in (0, 1):
        for samples in (Samples(batch, batch, 3), Samples(batch + 1, 2 * batch, 0)):
            Slow(ledger(tape, device), samples, Libraries(CUBLAS, benchmark, expandable)).check()


def figures(tape, batch):
    """Return the figures of both GPUs of a tape that is new to the caches."""
    samples, new = Samples(batch, 2 * batch, 3), replace(tape)
    return [footprint(ledger(new, device), samples, BENCHMARK) for device in (0, 1)]


@pytest.mark.rest
@settings(deadline=None, max_examples=25)
@given(tapes(), st.integers(1, 16), st.integers(1, 4))
def test_a_tape_with_the_events_of_another_has_figures_of_its_own(tape, batch, every):
    def grown(size, number):
        return size._replace(batch=size.batch + MIB * (number % every))

    blocks = [block._replace(size=grown(block.size, number)) for number, block in enumerate(tape.blocks)]
    ops = [op._replace(read=grown(op.read, number), key=GRADIENT_SUM) for number, op in enumerate(tape.ops)]
    others = (replace(tape, blocks=tuple(blocks)), replace(tape, ops=tuple(ops)))
    after = [figures(each, batch) for each in (tape, *others)][1:]
    for number, other in enumerate(others):
        for layers in range(1, KEPT_RESULTS + 2):  # nothing of the tape is left
            figures(two_steps(layers=layers).tape(), batch)
        assert figures(other, batch) == after[number]


@pytest.mark.parametrize(
    ("batch", "benchmark"),
    [
        (2, True),
        pytest.param(2, False, marks=pytest.mark.rest),
        pytest.param(3, True, marks=pytest.mark.rest),
        pytest.param(3, False, marks=pytest.mark.rest),
    ],
)
def test_every_figure_of_a_real_step_is_the_allocators_own(batch, benchmark):
    tapes = (decode(path.read_bytes()) for path in sorted(shipped_folder().glob("*.tape")))
    gan = next(tape for tape in tapes if tape.step["recipe"] == "basicsr.ESRGANModel")
    Slow(ledger(gan), Samples(batch, batch), Libraries(CUBLAS, benchmark)).check()


@settings(deadline=None, max_examples=25)
@given(tapes(), st.integers(1, 16), st.booleans())
def test_figures_are_ordered_and_least_is_enough(tape, batch, benchmark):
    used = Libraries(CUBLAS, benchmark)
    samples = Samples(batch, batch, 3)
    book = ledger(tape, 0)
    need = footprint(book, samples, used)
    assert need.live.allocated <= need.segments <= need.reserved
    assert need.segments == segments(book, samples, used)
    assert succeeds(book, samples, used, need.segments)
    if need.live.allocated:
        assert not succeeds(book, samples, used, need.live.allocated - 1)


@settings(deadline=None, max_examples=25)
@given(tapes(), st.integers(1, 16))
def test_a_tape_that_frees_everything_ends_with_nothing(tape, batch):
    book = ledger(tape, 0)
    allocator = CachingAllocator()
    freed = [*book.program, *(~index for index in reversed(book.live(len(book.program))))]
    book.program = array("i", freed)
    kept = [at for at, work in enumerate(book.ops) if work.op.kind != "matmul"]  # cuBLAS never gives back
    works = [number for at in kept for number in (book.ops.positions[at], book.ops.rows[at])]
    order = Order(array("i", works), bytes(book.ops.backward[at] for at in kept))
    book.ops = Works(tape.ops, order)
    lines = script.__wrapped__(book, PLAIN, cudnn=True)
    replay(lines, lines.sizes(book, Samples(batch, batch, 3)), allocator)
    assert allocator.allocated == 0
    allocator.empty_cache()
    assert allocator.reserved == 0


def test_a_plain_step_by_hand():
    need = footprint(ledger(two_steps().tape()), Samples(4, 4), PLAIN)
    # parameters, the batch's 20, four layers, gradients and a temporary; cuDNN's 64, which are
    # too small for the optimizer's 80 and serve its 40: those fit into none of the 32 that the backward
    # freed, because each is a segment of its own
    assert need.reserved == (40 + 20 + 4 * 32 + 40 + 32 + 64 + 80) * MIB
    assert need.live.allocated == 324 * MIB


def test_cublas_takes_a_workspace_for_each_handle_and_keeps_it():
    w = Writer()
    w.mark("generator forward")
    w.op("elementwise")
    w.op("matmul")
    w.op("matmul")
    w.mark("generator backward")
    w.op("matmul")
    book = ledger(w.tape())
    assert first_matmuls(book) == (0, 0)
    assert footprint(book, Samples(1, 1), PLAIN).reserved == 22 * MIB  # 2 x 8.125 in 20, cuBLASLt's in 2
    assert footprint(book, Samples(1, 1), libraries(9.0, benchmark=False)).reserved == 66 * MIB
    assert libraries(9.0, benchmark=False).cublas == CUBLAS_SM90
    assert libraries(8.9, benchmark=False).cublas == CUBLAS


def test_a_step_without_matrix_products_takes_none():
    w = Writer()
    w.op("conv", key="forward k3x3 ")
    assert footprint(ledger(w.tape()), Samples(1, 1), PLAIN).reserved == 0


def test_a_depthwise_convolution_is_cudnns_where_its_tensors_are_channels_last():
    w = Writer()
    w.op("conv-depthwise", key="forward k3x3 8o 8x9x9 s1 p1 d1 g8")
    w.op("conv-depthwise", key="forward k3x3 8o 8x9x9 s1 p1 d1 g8 nhwc")
    w.op("conv-depthwise", key="forward k3x3 8o 8x9x9 s1 p1 d1 g8 nhwc", dtype="float16")
    w.free(w.alloc(MIB))
    book = ledger(w.tape())
    assert len(flushes(book)) == 1
    assert weights(book).rows == layouts(book, benchmark=True).rows == ()  # channels last needs no copies


def test_benchmark_empties_the_cache_at_each_new_convolution_and_direction():
    w = Writer()
    w.op("conv", key="forward k3x3 a")
    w.free(w.alloc(100 * MIB))
    w.op("conv", key="forward k3x3 a")  # seen: nothing is emptied
    w.free(w.alloc(60 * MIB))
    w.op("conv-depthwise", key="forward k3x3 d")  # not cuDNN's
    w.op("conv-grouped", key="backward-data k3x3 a")  # new
    w.free(w.alloc(70 * MIB))
    book = ledger(w.tape())
    assert flushes(book) == (0, 4)
    assert footprint(book, Samples(1, 1), PLAIN).reserved == 100 * MIB
    allocator = CachingAllocator()
    lines = script(book, BENCHMARK, cudnn=True)
    replay(lines, lines.sizes(book, Samples(1, 1)), allocator)
    assert (allocator.peak_reserved, allocator.reserved) == (100 * MIB, 70 * MIB)


def test_what_a_program_empties_is_reserved_no_longer():
    w = Writer()
    w.mark("setup")
    w.free(w.alloc(100 * MIB))
    for number in (1, 2):
        w.mark(f"step {number}")
        w.op("copy", key=EMPTIED)
        w.free(w.alloc(60 * MIB))
        w.free(w.alloc(70 * MIB))
    book = ledger(w.tape())
    assert list(emptied(book)) == [2, 6]
    assert footprint(book, Samples(1, 1), PLAIN).reserved == (60 + 70) * MIB


def test_expandable_segments_leave_no_gaps_between_sizes():
    w = Writer()
    w.mark("step 2")
    for size in (100, 120, 140):
        w.free(w.alloc(size * MIB))
    book = ledger(w.tape())
    assert footprint(book, Samples(1, 1), PLAIN).reserved == 360 * MIB
    assert (
        footprint(book, Samples(1, 1), Libraries(CUBLAS, benchmark=False, expandable=True)).reserved
        == 140 * MIB
    )


def test_backward_convolutions_copy_what_they_move():
    w = Writer()
    w.op("conv", 100, 50, "forward k3x3 64o 48x24x24 s1 p1 d1 g1")
    w.op("conv", 120, 80, "backward-data k3x3 64o 48x24x24 s1 p1 d1 g1", const=7)
    w.alloc(MIB)
    w.op("conv-grouped", 40, 0, "backward-weight k3x3 64o 48x24x24 s1 p1 d1 g2")
    w.op("conv", 900, 900, "backward-data k1x1 64o 48x24x24 s1 p0 d1 g1")
    w.op("conv-depthwise", 800, 800, "backward-data k3x3 48o 48x24x24 s1 p1 d1 g48")
    w.op("conv", 700, 700, "backward-weight k7x7 64o 48x24x24 s2 p3 d1 g1 nhwc")  # as cuDNN wants it
    w.op("conv", 10, 10, "backward-data transposed k4x4 64o 48x24x24 s2 p1 d1 g1")
    book = ledger(w.tape())
    found = [(at, size.at(2, 2, 0)) for at, size in each(book, layouts(book, benchmark=True))]
    assert found == [(0, 2 * 200 + 7), (1, 2 * 40), (1, 2 * 20)]
    chosen = [(at, size.at(2, 2, 0)) for at, size in each(book, layouts(book, benchmark=False))]
    assert chosen == [(0, 2 * 200 + 7), (1, 2 * 40 + PARTIAL), (1, 2 * 20)]


@pytest.mark.parametrize(
    ("direction", "side", "dtype", "copied"),
    [
        ("backward-data", 109, "float32", True),
        ("backward-weight", 7, "float32", True),
        ("backward-weight", 14, "float32", False),
        ("backward-data", 109, "float16", False),  # as convolutions in half precision are: conversions.py
    ],
)
def test_a_1x1_convolution_copies_maps_that_tensor_cores_cannot_load(
    direction: str, side: int, dtype: str, copied: bool
):
    w = Writer()
    w.op("conv", 900, 500, f"{direction} k1x1 64o 48x{side}x{side} s1 p0 d1 g1", dtype=dtype)
    found = layouts(ledger(w.tape()), benchmark=False).rows
    assert found == (((0, Size(0, 1400)),) if copied else ())


def test_the_gradients_of_data_and_weight_share_a_block_where_the_fastest_are_chosen():
    w = Writer()
    for direction in ("data", "weight"):
        w.op("conv", 30 * MIB, 30 * MIB, f"backward-{direction} k3x3 64o 48x24x24 s1 p1 d1 g1")
    book = ledger(w.tape())
    assert footprint(book, Samples(8, 8), BENCHMARK).reserved == 480 * MIB  # the second takes the first's
    assert footprint(book, Samples(8, 8), PLAIN).reserved == 2 * 480 * MIB + PARTIAL


def test_a_weights_gradient_is_allocated_where_the_first_workspace_was():
    w = Writer()
    w.mark("step 2")
    w.alloc(0, 30 * MIB)  # the input's gradient
    w.alloc(12 * MIB)  # the weight's
    w.alloc(4096)  # the bias'
    for direction in ("data", "weight"):
        w.op("conv", 20 * MIB, 20 * MIB, f"backward-{direction} k3x3 64o 48x24x24 s1 p1 d1 g1")
    w.op("reduction", 10 * MIB, 4096)
    book = ledger(w.tape())
    assert [*in_order(book)[:2]] == [1, 3]
    assert flushes(book) == (1, 3)
    need = footprint(book, Samples(1, 1), PLAIN)
    assert (
        need.reserved == (30 + 40 + 48 + 2) * MIB
    )  # 28 of the first 40 are left: the second takes another, with partial sums


def test_an_operator_that_allocates_nothing_stays_where_it_is():
    w = Writer()
    w.free(w.alloc(MIB))
    for direction in ("data", "weight"):
        w.op("conv", MIB, MIB, f"backward-{direction} k3x3 64o 48x24x24 s1 p1 d1 g1")
    assert [*in_order(ledger(w.tape()))] == [2, 2]


def test_a_forward_convolution_copies_its_weight():
    w = Writer()
    w.op("conv", key="forward k3x5 64o 48x24x24 s1 p1 d1 g2")
    w.op("conv", key="forward transposed k4 64o 48x24 s2 p1 d1 g1", dtype="float16")
    w.op("conv", key="forward k1x1 64o 48x24x24 s1 p0 d1 g1")
    w.op("conv", key="forward k3x3 64o 48x24x24 s1 p1 d1 g1 nhwc")
    book = ledger(w.tape())
    assert each(book, weights(book)) == [(0, Size(15 * 64 * 24 * 4)), (0, Size(4 * 64 * 48 * 2))]


def test_a_tape_of_one_batch_keeps_its_workspaces():
    w = Writer()
    w.ops.append(Op("conv", Size(0), Size(300), Size(100), "backward-data k3x3 64o 48x24x24 s1 p1 d1 g1"))
    w.events.append((int(Event.OP), 0))
    assert layouts(ledger(w.tape(batches=(1,))), benchmark=True).rows == ((0, Size(400)),)


def test_a_copy_is_gone_before_the_next_operator_makes_its_own():
    w = Writer()
    for number in (1, 2):
        w.mark(f"step {number}")
        results = []
        for _ in range(3):
            w.op("copy", 40 * MIB, 40 * MIB, HELD)
            results.append(w.alloc(2 * MIB))
            w.op("norm", 40 * MIB, 2 * MIB)
        w.op("copy", 40 * MIB, 40 * MIB, HELD)
        w.op("in place", 40 * MIB, 0)
        w.free(*results)
    held = footprint(ledger(w.tape()), Samples(1, 1), PLAIN)
    assert held.segments == 60 * MIB


def test_a_copy_is_held_until_its_operator_has_run():
    w = Writer()
    w.mark("step 2")
    w.alloc(32 * MIB)
    w.op("copy", 40 * MIB, 40 * MIB, HELD)
    result = w.alloc(0, 24 * MIB)
    w.op("copy", 12 * MIB, 12 * MIB, HELD)
    w.op("norm", 40 * MIB, 24 * MIB)
    w.alloc(0, 36 * MIB)  # out of the first copy's
    w.free(result)
    book = ledger(w.tape())
    assert copies(book, 0) == (Hold(1, 2, Size(0, 40 * MIB)), Hold(2, 2, Size(0, 12 * MIB)))
    need = footprint(book, Samples(1, 1), PLAIN)
    assert (need.live.allocated, need.segments) == (92 * MIB, 108 * MIB)


def test_copies_of_one_size_are_two():
    w = Writer()
    w.mark("step 2")
    for _ in range(2):
        w.op("copy", 40 * MIB, 40 * MIB, HELD)
    w.op("norm", 40 * MIB, 24 * MIB)
    assert footprint(ledger(w.tape()), Samples(1, 1), PLAIN).reserved == 80 * MIB


def joined(*, key):
    """Return the ledger of a step where a third gradient joins the sum of two."""
    w = Writer()
    w.mark("step 2")
    first, second = w.alloc(40 * MIB), w.alloc(40 * MIB)
    total = w.alloc(40 * MIB)
    w.op("elementwise", 80 * MIB, 40 * MIB, key)
    w.free(first, second)
    third = w.alloc(44 * MIB)
    last = w.alloc(40 * MIB)
    w.op("elementwise", 80 * MIB, 40 * MIB, key)
    w.free(total, third, last)
    return ledger(w.tape())


def test_gradients_are_summed_in_place():
    need = footprint(joined(key=GRADIENT_SUM), Samples(1, 1), PLAIN)
    assert need.live.allocated == (40 + 44) * MIB
    assert footprint(joined(key=""), Samples(1, 1), PLAIN).live.allocated == (3 * 40 + 4) * MIB
    assert need.reserved == (40 + 40 + 44) * MIB
    assert footprint(joined(key=""), Samples(1, 1), PLAIN).reserved == (3 * 40 + 44) * MIB


def test_what_is_no_sum_in_place_stays():
    w = Writer()
    w.mark("step 2")
    first = w.alloc(40 * MIB)
    w.alloc(20 * MIB)
    w.op("elementwise", 80 * MIB, 40 * MIB, GRADIENT_SUM)  # the next to go is not of its size
    w.free(first)
    w.op("elementwise", 80 * MIB, 40 * MIB, GRADIENT_SUM)  # nothing comes after it
    assert footprint(ledger(w.tape()), Samples(1, 1), PLAIN).reserved == 60 * MIB


def test_cudnn_takes_its_workspace_in_the_free_run_only():
    w = Writer()
    w.mark("step 2")
    w.alloc(0, 40 * MIB)
    w.op("conv", 40 * MIB, 24 * MIB, "backward-data k3x3 64o 48x24x24 s1 p1 d1 g1")
    w.free(w.alloc(0, 30 * MIB))  # out of what the workspace left
    need = footprint(ledger(w.tape()), Samples(1, 1), PLAIN)
    assert (need.live.allocated, need.segments) == (70 * MIB, 70 * MIB)
    assert need.reserved == (40 + 64) * MIB


def test_benchmark_tries_more_than_it_keeps():
    w = Writer()
    w.op("conv", 100 * MIB, 60 * MIB, "forward k3x3 64o 48x24x24 s1 p1 d1 g1")
    w.op("conv", 300 * MIB, 300 * MIB, "forward k1x1 64o 48x24x24 s1 p0 d1 g1")
    book = ledger(w.tape())
    assert spike(book, Samples(2, 2), BENCHMARK) == (TRIED_SHARE - 1) * 320 * MIB
    assert spike(book, Samples(2, 2), PLAIN) == 0


def test_two_gradients_of_a_convolution_may_not_share_a_block():
    w = Writer()
    w.mark("step 2")
    w.alloc(0, 40 * MIB)
    w.op("conv", 900 * MIB, 100 * MIB, "forward k3x3 64o 48x24x24 s1 p1 d1 g1")
    w.op("conv", 40 * MIB, 24 * MIB, "backward-data k3x3 64o 48x24x24 s1 p1 d1 g1")
    w.op("conv", 400 * MIB, 400 * MIB, "backward-weight k1x1 64o 48x24x24 s1 p0 d1 g1")
    w.op("conv", 400 * MIB, 400 * MIB, "backward-weight k3x3 64o 48x24x24 s1 p1 d1 g1 nhwc")
    w.op("conv-grouped", 400 * MIB, 400 * MIB, "backward-weight k3x3 64o 48x24x24 s1 p1 d1 g2")
    book = ledger(w.tape())
    assert unshared(book, Samples(2, 2), BENCHMARK) == round(BENCHMARK_RESERVE_SHARE * 2 * 64 * MIB)
    assert unshared(book, Samples(2, 2), PLAIN) == 0
    assert footprint(book, Samples(2, 2), BENCHMARK).unshared == unshared(book, Samples(2, 2), BENCHMARK)


def test_what_two_gradients_take_is_expected_and_not_needed():
    w = Writer()
    w.mark("step 2")
    w.alloc(0, 1000 * MIB)
    w.op("conv", 40 * MIB, 60 * MIB, "backward-data k3x3 64o 48x24x24 s1 p1 d1 g1")
    card = Card(24_000 * MIB, 500 * MIB, 8.0, BENCHMARK)
    book = ledger(w.tape())
    need = footprint(book, Samples(1, 1), BENCHMARK)
    gpu = gpu_memory(need, card)
    assert gpu.least == card.context + need.segments
    assert gpu.expect == card.context + need.reserved + round(BENCHMARK_RESERVE_SHARE * 100 * MIB)
    assert gpu.worst == max(card.context + need.reserved + need.spike, ceil(gpu.expect * WORST_SHARE))
    between = overhead(book, Samples(1, 1), card)
    assert sum(between.values()) == gpu.expect - gpu.allocated


def test_a_softmax_multiplies_before_its_backward():
    w = Writer()
    w.mark("step 2")
    w.mark("generator forward")
    w.alloc(0, 64 * MIB)
    w.op("softmax", 64 * MIB, 64 * MIB)
    w.op("attention", 64 * MIB, 64 * MIB)
    w.mark("generator backward")
    w.op("attention", 64 * MIB, 64 * MIB)
    gradient = w.alloc(0, 64 * MIB)
    w.op("softmax", 128 * MIB, 64 * MIB)
    w.free(gradient)
    book = ledger(w.tape())
    assert products(book) == ((2, Size(0, 64 * MIB)),)
    need = footprint(book, Samples(2, 2), PLAIN)
    assert need.live.allocated == 256 * MIB
    assert need.segments == need.reserved == 384 * MIB  # no card does without


def test_the_log_softmax_of_a_loss_multiplies_nothing():
    w = Writer()
    w.mark("step 2")
    for _ in range(2):  # two batches that one update sums
        w.mark("model forward")
        w.op("softmax", 8 * MIB, 8 * MIB)
        w.op("matmul", 64 * MIB, 64 * MIB)
        w.op("softmax", 64 * MIB, 64 * MIB)
        w.mark("model backward")
        w.op("softmax", 128 * MIB, 64 * MIB)  # the loss's
        w.op("matmul", 64 * MIB, 64 * MIB)
        w.op("softmax", 16 * MIB, 8 * MIB)
    assert [use.size for use in products(ledger(w.tape()))] == [Size(0, 8 * MIB)] * 2


def test_the_smallest_capacity_flushes_where_running_freely_would_grow():
    w = Writer()
    w.mark("step 2")
    w.free(w.alloc(100 * MIB))
    first = w.alloc(60 * MIB)  # splits the 100
    w.alloc(60 * MIB)
    w.free(first)
    need = footprint(ledger(w.tape()), Samples(1, 1), PLAIN)
    assert need.reserved == 160 * MIB
    assert need.live.allocated == 120 * MIB
    assert need.segments == 160 * MIB  # the first 60 pins its 100
    w = Writer()
    w.mark("step 2")
    w.free(w.alloc(100 * MIB))
    w.alloc(110 * MIB)
    need = footprint(ledger(w.tape()), Samples(1, 1), PLAIN)
    assert (need.segments, need.reserved) == (110 * MIB, 210 * MIB)

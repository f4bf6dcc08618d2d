# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The ledger: peaks, parts and phases of hand-written tapes, and of any tape against a naive count."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimate.toy_tapes import MIB, Writer, tapes, two_steps
from trainlint.estimate.replay.allocator import ROUNDING
from trainlint.estimate.replay.course import has_validation
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, ledger
from trainlint.tape import Event


def naive_peak(tape, samples, device):
    """Return the most live bytes after the mark "step 2", counted block by block."""
    live, peak, second = {}, 0, False
    for kind, index in tape.events:
        if kind == Event.MARK and tape.marks[index] == "step 2":
            second = True
        if kind == Event.ALLOC and tape.blocks[index].device == device:
            size = tape.blocks[index].size.at(samples.batch, samples.total, samples.pool)
            live[index] = -(-size // ROUNDING) * ROUNDING
        if kind == Event.FREE:
            live.pop(index, None)
        if second:
            peak = max(peak, sum(live.values()))
    return peak


@pytest.mark.rest
@settings(deadline=None)
@given(tapes(), st.integers(1, 64), st.integers(0, 1))
def test_peak_is_the_naive_one_and_its_parts_sum_to_it(tape, batch, device):
    samples = Samples(batch, batch, 10)
    book = ledger(tape, device)
    moment = book.peak(samples)
    assert moment.allocated == naive_peak(tape, samples, device)
    for of in (lambda block: block.kind, lambda block: block.owner):
        assert sum(book.parts(samples, moment, of).values()) == moment.allocated


def test_a_plain_step_by_hand():
    book = ledger(two_steps().tape())
    samples = Samples(4, 4)
    moment = book.peak(samples)
    # parameters 40 and state 80; the batch of 4; four layers of 8 per sample; one temporary and the gradients
    assert moment.allocated == (40 + 80 + 4 + 4 * 32 + 32 + 40) * MIB
    assert book.parts(samples, moment, lambda block: block.kind) == {
        "activations": 160 * MIB,
        "optimizer": 80 * MIB,
        "parameters": 40 * MIB,
        "gradients": 40 * MIB,
        "inputs": 4 * MIB,
    }
    assert book.phase(moment.position - 1) == "generator backward"
    assert book.saved_per_sample == 32 * MIB


def test_the_first_step_does_not_count():
    w = Writer()
    w.mark("step 1")
    w.free(w.alloc(100 * MIB))
    w.mark("step 2")
    w.alloc(3)
    assert ledger(w.tape()).peak(Samples(1, 1)).allocated == 512


def test_what_is_alive_when_the_step_begins_counts():
    w = Writer()
    state = w.alloc(MIB)
    w.mark("step 2")
    w.free(state)
    assert ledger(w.tape()).peak(Samples(1, 1)).allocated == MIB


def test_sizes_are_rounded_after_the_affine_evaluation_and_nothing_takes_nothing():
    w = Writer()
    w.mark("step 2")
    w.alloc(100, 200)
    w.alloc(-200, 200)
    tape = w.tape()
    assert ledger(tape).peak(Samples(1, 1)).allocated == 512
    assert ledger(tape).peak(Samples(3, 3)).allocated == 1024 + 512


def test_total_and_pool_are_variables_of_their_own():
    w = Writer()
    w.mark("step 2")
    w.alloc(0, 0, total=MIB)
    w.alloc(0, 0, pool=MIB)
    assert ledger(w.tape()).peak(Samples(1, 5, 7)).allocated == 12 * MIB


def test_validation_stands_on_what_the_training_left():
    w = two_steps()
    w.mark("validation")
    w.free(w.alloc(900 * MIB))
    tape = w.tape()
    assert has_validation(tape)
    assert not has_validation(two_steps().tape())
    assert ledger(tape).peak(Samples(4, 4)) == ledger(two_steps().tape()).peak(Samples(4, 4))
    validation = ledger(tape, validation=True)
    assert validation.peak(Samples(4, 4)).allocated == (40 + 80 + 40 + 900) * MIB
    assert validation.phase(validation.peak(Samples(4, 4)).position) == "validation"


def test_a_ledger_is_made_once():
    tape = two_steps().tape()
    assert ledger(tape) is ledger(tape)
    assert ledger(tape) is not ledger(two_steps().tape())
    assert Ledger(tape).program == ledger(tape).program


@settings(deadline=None, max_examples=25)
@given(tapes(), st.integers(1, 16), st.integers(0, 2**28))
def test_the_first_moment_over_a_room_is_that_of_the_running_sum(tape, batch, room):
    book = ledger(tape, 0)
    samples = Samples(batch, batch, 3)
    sizes, live = book.bytes(samples), 0
    expected = None
    for at, event in enumerate(book.program):
        live += sizes[event] if event >= 0 else -sizes[~event]
        if live > room:
            expected = at
            break
    assert book.first_over(samples, room) == expected

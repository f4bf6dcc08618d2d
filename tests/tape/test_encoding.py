# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Profiles: what is written is what is read, small, and refused when it is not ours."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.estimate.toy_tapes import Writer, stored, tapes, two_steps
from trainlint.tape.encoding import decode, encode
from trainlint.tape.profile_header import StaleError, read_header
from trainlint.tape.step import key_of


@pytest.mark.rest
@settings(deadline=None)
@given(tapes())
def test_round_trip(tape):
    assert decode(encode(tape)) == tape


def test_a_block_born_out_of_order_survives():
    w = Writer()
    w.mark("step 1")
    w.mark("step 2")
    w.alloc(1)
    w.alloc(2)
    w.free(0, 1)
    tape = w.tape()
    tape = replace(tape, events=(*tape.events[:2], (0, 1), (0, 0), *tape.events[4:]))
    assert decode(encode(tape)) == tape


def test_the_first_line_can_be_read_without_the_rest():
    line, _, body = encode(stored(two_steps()).tape()).partition(b"\n")
    header = json.loads(line)
    assert header["key"] == key_of(header["step"])
    assert header["step"] == {"recipe": "test"}
    assert header["made_with"] == {"trainlint": "0", "torch": "0"}
    assert read_header(line) == header
    assert body


def test_a_long_tape_is_small():
    data = encode(stored(two_steps(layers=3000)).tape())
    assert len(data) < 25_000


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: b"", "not a trainlint tape"),
        (lambda data: b"[1]\nxx", "not a trainlint tape"),
        (lambda data: data.replace(b'"trainlint tape": ', b'"trainlint tape": 99', 1), "its format is 99"),
        (lambda data: data.replace(b'"semantics": ', b'"semantics": 9', 1), "traced by rules 9"),
        (lambda data: data[:-20], "damaged"),
        (lambda data: data.partition(b"\n")[0] + b"\nnot lzma", "damaged"),
    ],
)
def test_a_profile_that_is_not_ours_is_refused_with_the_reason(change, reason):
    with pytest.raises(StaleError, match=reason):
        decode(change(encode(stored(two_steps()).tape())))

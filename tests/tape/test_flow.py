# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The loops over a tape's events: in C as in Python, and columns that are read as what they stand for."""

from __future__ import annotations

import json
from array import array
from copy import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.tape import Block, Size, flow_codes, pure_flow
from trainlint.tape.columns import joined, split
from trainlint.tape.events import Blocks, Events
from trainlint.tape.flow import FASTEST, NO_EVENT, Flow

pytestmark = pytest.mark.skipif(FASTEST is pure_flow, reason="installed without a compiler")

BLOCKS = 6
SIZES = st.lists(st.integers(0, 2**70) | st.integers(0, 9), min_size=BLOCKS, max_size=BLOCKS)


def columns(least: int, most: int, **more: int) -> st.SearchStrategy[array[int]]:
    return st.lists(st.integers(least, most), **more).map(lambda numbers: array("i", numbers))


PROGRAMS = columns(-BLOCKS, BLOCKS - 1, max_size=40)
KINDS = columns(0, 3, min_size=BLOCKS, max_size=BLOCKS)


@st.composite
def orders(draw) -> tuple[bytes, list[list[int]]]:
    """Draw what a file has of some events: ranks may be of what does not live."""
    order = draw(st.lists(st.sampled_from("AFOM"), max_size=40))
    births = order.count("A")
    shuffled = draw(st.permutations(range(births)))
    allocs = (
        [index - at for at, index in enumerate(shuffled)] if any(shuffled) and draw(st.booleans()) else []
    )
    ranks = [draw(st.integers(0, 4)) for _ in range(order.count("F"))]
    others = [[draw(st.integers(0, 9)) for _ in range(order.count(letter))] for letter in "OM"]
    return "".join(order).encode(), [allocs, ranks, *others]


@given(st.data())
def test_loops_go_round_alike(data) -> None:
    order = "".join(data.draw(st.lists(st.sampled_from("AFOM"), max_size=12))).encode()
    parts = [array("i", [data.draw(st.integers(0, 3)) for _ in order]) for _ in range(3)]
    places, turns = st.lists(st.integers(0, len(order)), min_size=2, max_size=2), st.integers(0, 3)
    spans = array("i")
    for _ in range(data.draw(st.integers(0, 4))):
        spans.extend((*sorted(data.draw(places)), data.draw(turns)))
    rows, *growing = parts
    made = FASTEST.rounds(order, rows, growing, spans, (4, 13))
    assert made == pure_flow.rounds(order, rows, growing, spans, (4, 13))
    assert len(made.order) == sum(map(len, made[1:]))


@pytest.mark.rest
@given(orders())
def test_a_files_events_are_numbered_alike(given_: tuple[bytes, list[list[int]]]) -> None:
    order, parts = given_
    found = FASTEST.numbered(order, *parts)
    assert found == pure_flow.numbered(order, *parts)
    if found is not None:
        events = Events(order, found)
        again = split(events)
        assert joined(again) == events == tuple(events)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, BLOCKS - 1)), max_size=40), st.data())
def test_a_gpus_course_is_alike(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    events = Events.of(tuple(pairs))
    homes, cards = (data.draw(columns(-1, 1, min_size=BLOCKS, max_size=BLOCKS)) for _ in range(2))
    flow = Flow(events.order, events.numbers, homes, cards)
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(pairs))] * 2)))
    device, before = data.draw(st.integers(0, 1)), data.draw(st.integers(0, 5))
    found = FASTEST.course(flow, (first, last), device, before)
    assert found == pure_flow.course(flow, (first, last), device, before)


@given(PROGRAMS, KINDS, SIZES, st.integers(0, 99), st.integers(0, 20))
def test_programs_are_read_alike(program, kinds, sizes, initial: int, slots: int) -> None:
    assert FASTEST.living(program) == pure_flow.living(program)
    assert FASTEST.lives(program, BLOCKS) == pure_flow.lives(program, BLOCKS)
    assert FASTEST.slotted(program, kinds) == pure_flow.slotted(program, kinds)
    highest = FASTEST.highest(program, kinds, sizes, initial)
    assert highest == pure_flow.highest(program, kinds, sizes, initial)
    events = array("i", [*program, NO_EVENT, *program])
    assert FASTEST.paired(events, slots) == pure_flow.paired(events, slots)


@given(PROGRAMS, columns(0, BLOCKS - 1), columns(0, BLOCKS + 2), KINDS, columns(-1, 42))
def test_rows_and_sums_are_found_alike(program, rows, asked, kinds, positions) -> None:
    assert FASTEST.spread(kinds, rows) == pure_flow.spread(kinds, rows)
    assert FASTEST.distinct(rows) == pure_flow.distinct(rows)
    assert FASTEST.places(rows, asked) == pure_flow.places(rows, asked)
    assert FASTEST.summed(program, positions, kinds) == pure_flow.summed(program, positions, kinds)


@given(PROGRAMS, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 40)), max_size=30), st.data())
def test_operators_are_placed_alike(program, works, data: st.DataObject) -> None:
    rows = array("i", [row for row, _ in works])
    positions = array("i", sorted(min(position, len(program)) for _, position in works))
    roles, numbers = (data.draw(columns(least, 3, min_size=6, max_size=6)) for least in (0, -1))
    moments = data.draw(columns(-9, 9, max_size=9))
    moments = moments[: len(moments) // 3 * 3]
    for name, given_ in (
        ("gradients_first", (positions, rows, program, roles)),
        ("firsts", (rows, positions, numbers)),
        ("in_turn", (moments, [(rows, positions, numbers)] * 2)),
    ):
        assert getattr(FASTEST, name)(*given_) == getattr(pure_flow, name)(*given_)


def test_an_inputs_gradient_goes_before_the_memory_of_the_weights_and_the_bias() -> None:
    positions, rows, roles = array("i", [2, 2, 2]), array("i", range(3)), array("i", [1, 2, 3])
    for flow in (FASTEST, pure_flow):
        assert [*flow.gradients_first(positions, rows, array("i", [0, 1]), roles)] == [0, 2, 2]
        assert [*flow.gradients_first(positions, rows, array("i", [0, ~0]), roles)] == [2, 2, 2]
        assert [*flow.gradients_first(positions[:2], rows[:2], array("i", [0, 1]), roles)] == [1, 2]


def test_a_sum_is_where_its_first_term_was() -> None:
    program = array("i", [0, 1, ~0, ~1])  # 1 is 0 and more
    assert [*FASTEST.summed(program, array("i", [2]), array("i", [5, 5]))] == [0, ~1, ~1, ~0]
    assert FASTEST.summed(program, array("i", [2]), array("i", [5, 6])) == program


def test_a_sum_of_three_lives_until_the_last_one_goes() -> None:
    program = array("i", [0, 1, ~0, 2, ~1, ~2])  # 1 is 0 and more, 2 is 1 and more
    kinds = array("i", [5, 5, 5])
    for flow in (FASTEST, pure_flow):
        assert [*flow.summed(program, array("i", [2, 4]), kinds)] == [0, ~1, ~1, ~2, ~2, ~0]


MOMENTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5), st.integers(0, 4)), max_size=12)


@given(columns(-BLOCKS, BLOCKS - 1, min_size=9, max_size=20), MOMENTS, st.integers(0, 9), st.integers(0, 3))
def test_programs_are_cut_alike(program, moments, first: int, handles: int) -> None:
    flat = array("i", [number for moment in sorted(moments) for number in moment])
    found = FASTEST.cut(program, flat, first, handles)
    assert found == pure_flow.cut(program, flat, first, handles)
    assert len(found) == 1 + sum(what == flow_codes.FLUSH for _, what, _ in moments)


NUMBERS = st.lists(
    st.integers(-(2**31), 2**31 - 1) | st.integers(-(2**70), 2**70) | st.integers(-9, 9) | st.just(2**31)
)
LEAVES = st.text() | NUMBERS | st.lists(st.text()) | st.none() | st.lists(st.floats() | st.booleans())
BODIES = st.dictionaries(st.text(max_size=3), LEAVES | st.dictionaries(st.text(max_size=3), LEAVES))


def plain(value: Any) -> Any:
    """Return what JSON has, with a list for each column."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return [*value] if isinstance(value, array) else value


def test_a_last_number_of_more_than_32_bits_is_read() -> None:
    found = FASTEST.tables(b'{"a":[1,4294967296],"b":[4294967296],"c":[4294967296,1]}')
    assert found in (None, {"a": [1, 2**32], "b": [2**32], "c": [2**32, 1]})


@pytest.mark.rest
@given(BODIES)
def test_a_files_body_is_read_as_json(body: dict[str, Any]) -> None:
    text = json.dumps(body, separators=(",", ":"))
    found = FASTEST.tables(text.encode())
    assert found is None or repr(plain(found)) == repr(json.loads(text))


@pytest.mark.rest
@given(BODIES, st.integers(0, 99), st.binary(max_size=2))
def test_what_is_no_json_is_no_body(body: dict[str, Any], at: int, instead: bytes) -> None:
    text = json.dumps(body, separators=(",", ":")).encode()
    text = text[:at] + instead + text[at + 1 :]
    found = FASTEST.tables(text)
    assert found is None or repr(plain(found)) == repr(json.loads(text))


def test_a_body_as_it_is_written_is_read() -> None:
    body = {
        "births": [0, 1, -2],
        "sizes": {"const": [2**40, 0], "batch": []},
        "words": ["a b"],
        "order": "AF",
    }
    text = json.dumps(body, separators=(",", ":")).encode()
    found = FASTEST.tables(text)
    assert plain(found) == body
    assert found["births"] == array("i", [0, 1, -2])
    for wrong in (
        b"",
        b"{",
        text[:-1],
        text + b" ",
        b'{"a":[1,]}',
        b'{"a":[01]}',
        b'{"a":[-]}',
        b'{"a":{"b":{}}}',
    ):
        assert FASTEST.tables(wrong) is None


def test_a_number_of_no_row_is_refused() -> None:
    one = array("i", [1])
    for call in (
        lambda: FASTEST.slotted(one, one),
        lambda: FASTEST.lives(one, 1),
        lambda: FASTEST.highest(one, one, [1], 0),
        lambda: FASTEST.course(Flow(b"A", one, one, one), (0, 1), 0, 0),
        lambda: FASTEST.course(Flow(b"A", one, one, one), (0, 2), 0, 0),
        lambda: FASTEST.numbered(b"MM", [], [], [], [1]),
        lambda: FASTEST.rounds(b"A", one, (one, one), array("i", [0, 1, 0]), (2, 1)),
        lambda: FASTEST.rounds(b"A", one, (one, one), array("i", [0, 1, 0]), (1, 9)),
        lambda: FASTEST.rounds(b"F", one, (one, one), array("i", [0, 2, 0]), (9, 9)),
        lambda: FASTEST.spread(one, one),
        lambda: FASTEST.distinct(array("i", [-1])),
        lambda: FASTEST.summed(one, one, one),
        lambda: FASTEST.gradients_first(one, one, one, one),
        lambda: FASTEST.gradients_first(one, array("i"), one, one),
        lambda: FASTEST.gradients_first(array("i", [-1]), array("i", [0]), one, one),
        lambda: FASTEST.firsts(one, one, one),
        lambda: FASTEST.in_turn(one, []),
        lambda: FASTEST.in_turn(array("i"), [(one, one, one)]),
        lambda: FASTEST.cut(one, array("i", [2, 0, 0]), 0, 0),
        lambda: FASTEST.cut(one, array("i", [0, 0, 2**31 - 1]), 1, 0),
    ):
        with pytest.raises((IndexError, StopIteration)):
            call()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5))), st.integers(-3, 3), st.integers(-3, 9))
def test_events_are_a_sequence_of_pairs(pairs: list[tuple[int, int]], first: int, last: int) -> None:
    events = Events.of(pairs)
    assert events == tuple(pairs)
    assert list(events) == [events[at] for at in range(len(events))] == pairs
    assert events[first:last] == tuple(pairs[first:last])
    assert events[::-1] == tuple(pairs[::-1])
    for kind in range(4):
        assert [*events.of_kind(kind)] == [index for each, index in pairs if each == kind]
    assert [events.index(pair) for pair in pairs] == [pairs.index(pair) for pair in pairs]
    with pytest.raises(ValueError, match="does not happen"):
        events.index((3, 6))


def test_blocks_are_a_tuple_that_knows_its_rows() -> None:
    one, other = Block(Size(1), "queue"), Block(Size(1), "queue")
    blocks = Blocks.of((one, other, one))
    assert blocks == (one, other, one)
    assert list(blocks.births) == [0, 1, 0]
    assert Blocks.of(blocks) is blocks
    assert copy(blocks).births is blocks.births
    assert type(blocks[:2]) is tuple

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Crops next to a tape of theirs: the same at every side as crops alone, or a refusal."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.estimate.mutants import corrupted, opened, seal
from tests.estimate.tapes.test_crops import STEP, polynomial, tape
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.tape.crops.crop_side import NotPolynomialError, at_side, family_key
from trainlint.tape.crops.crop_tapes import OP, NotAlikeError, merged
from trainlint.tape.crops.side_rows import BlockRows, OpRows
from trainlint.tape.crops.sides_file import decode_sides
from trainlint.tape.profile_header import StaleError

NODES = (16, 96, 176)


def crops_of(sizes):
    return merged({side: tape(side, sizes) for side in NODES}, 8)


def saved(folder, sizes, own=64):
    """Store a tape and its crops; return the store and the path of the crops."""
    store = Store(folder, "shipped")
    store.save(tape(own, sizes))
    return store, store.save_sides(crops_of(sizes), tape(own, sizes))


@pytest.mark.rest
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.integers(0, 1000), min_size=1, max_size=3), min_size=1, max_size=5),
    st.sampled_from([16, 64, 96, 176]),
)
def test_every_side_is_as_the_crops_alone_have_it(tmp_path, coefficients, own):
    sizes = [polynomial(each) for each in coefficients]
    store, path = saved(tmp_path, sizes, own)
    assert path.name == f"{family_key(STEP, 8)[:24]}.sides"
    found = store.find_crops(family_key(STEP, 8), 7)
    assert found.sides == tuple(sorted({*NODES, own}))
    for side in (16, 24, 64, 72, 168, 176):
        assert found.at(side) == tape(side, sizes)


def test_what_is_alike_on_the_tape_and_not_elsewhere_is_told_apart(tmp_path):
    sizes = [lambda side: side * side, lambda side: 64 * side, lambda side: side * side]
    store, _ = saved(tmp_path, sizes)
    found = store.find_crops(family_key(STEP, 8), 7).at(32)
    assert [block.size.batch for block in found.blocks] == [1024, 2048, 1024]


def test_without_torch_a_crop_between_is_answered_by_what_is_shipped(tmp_path):
    sizes = [lambda side: side * side]
    store, _ = saved(tmp_path, sizes)
    found = TapeSource((store,), may_trace=False).tape(at_side(STEP, 72), 5)
    assert (found, found.source) == (tape(72, sizes), "shipped")


def test_a_project_s_are_not_read(tmp_path):
    saved(tmp_path, [lambda side: side])
    assert Store(tmp_path, "project").find_crops(family_key(STEP, 8), 7) is None


def test_another_tape_next_to_it_is_refused(tmp_path):
    store, path = saved(tmp_path, [lambda side: side])
    (own,) = tmp_path.glob("*.tape")
    store.save(tape(64, [lambda side: side + 1]))
    assert store.find_crops(family_key(STEP, 8), 7) is None
    assert "the tape next to it is a different one" in store.refused[path]
    own.unlink()
    assert store.find_crops(family_key(STEP, 8), 7) is None


def test_a_tape_of_another_step_has_no_such_sides(tmp_path):
    store = Store(tmp_path, "shipped")
    other = tape(64, [lambda side: side, lambda side: side])
    store.save(other)
    with pytest.raises(NotAlikeError):
        store.save_sides(crops_of([lambda side: side]), other)


@pytest.mark.parametrize("own", [8, 64])
def test_a_tape_that_is_off_the_polynomial_would_bend_it(tmp_path, own):
    sizes, bent = [lambda side: side * side], [lambda side: side * side + (side == own)]
    store = Store(tmp_path, "shipped")
    store.save(tape(own, bent))
    with pytest.raises(NotPolynomialError, match=f"at a side of {own} sizes are not as predicted"):
        store.save_sides(crops_of(sizes), tape(own, bent))
    assert [*tmp_path.glob("*.sides")] == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("tape", "../../secret"), ("key", "a" * 64), ("sides", [16]), ("trainlint sides", 2), ("semantics", 0)],
)
def test_a_header_that_does_not_go_with_it_is_refused(tmp_path, field, value):
    _, path = saved(tmp_path, [lambda side: side])
    header, body = opened(path.read_bytes())

    def read(name):
        assert name.endswith(".tape")
        return (tmp_path / name).read_bytes()

    assert decode_sides(path.read_bytes(), read)[0] == header["key"]
    with pytest.raises(StaleError):
        decode_sides(seal({**header, field: value}, body), read)


def test_nothing_is_believed_of_a_corrupted_file(tmp_path):
    _, path = saved(tmp_path, [lambda side: side * side, lambda side: 64 * side])
    whole = path.read_bytes()

    def read(name):
        return (tmp_path / name).read_bytes()

    for seed in range(300):
        spoiled = corrupted(whole, seed)
        if spoiled != whole:
            with pytest.raises(StaleError):
                decode_sides(spoiled, read)


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=5))
def test_rows_by_number_are_those_of_the_tapes(coefficients):
    sizes = [polynomial(each) for each in coefficients]
    whole = crops_of(sizes)
    blocks, ops = BlockRows.of(whole.blocks), OpRows.of(whole.ops)
    assert (blocks, ops) == (whole.blocks, whole.ops)
    assert blocks[:2] == [*whole.blocks[:2]]
    varying = [at for at, row in enumerate(whole.blocks) if len(set(row)) > 1]
    assert blocks.varying == varying


def test_what_a_file_adds_has_every_side_s_rows(tmp_path):
    sizes = [lambda side: side * side, lambda side: 64 * side, lambda _: 8, lambda side: side * side]
    store, _ = saved(tmp_path, sizes)
    found = store.find_crops(family_key(STEP, 8), 7)
    tapes = [tape(side, sizes) for side in found.sides]
    columns = (each.blocks for each in tapes)
    assert [found.blocks[row] for row in found.births] == list(zip(*columns, strict=True))
    (row,) = found.tape.events.of_kind(OP)
    assert found.ops[row] == tuple(each.ops[0] for each in tapes)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tapes at a few crops and those between them: whole-number polynomials, or a refusal."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimate.toy_tapes import Writer
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.tape.crops.crop_file import decode_crops, encode_crops
from trainlint.tape.crops.crop_side import NotPolynomialError, at_side, family_key
from trainlint.tape.crops.crop_tapes import NotAlikeError, check, merged
from trainlint.tape.events import Blocks
from trainlint.tape.profile_header import StaleError
from trainlint.tape.step import key_of

STEP = {"recipe": "test", "crop.lq": 16, "crop.hr": 64, "networks.generator.args": {"img_size": 48}}


def tape(side, sizes, step=STEP):
    """Return the tape of a step at a side, whose blocks have these sizes: functions of the side."""
    w = Writer()
    w.mark("setup")
    w.mark("step 1")
    for size in sizes:
        w.alloc(100, size(side))
    w.op("conv", sizes[0](side), sizes[-1](side), f"forward k3x3 8o 3x{side}x{2 * side} s1 p1 d1 g1")
    w.mark("step 2")
    found = at_side(step, side)
    return w.tape(step=found, key=key_of(found))


def polynomial(coefficients):
    return lambda side: sum(factor * side**power for power, factor in enumerate(coefficients))


@pytest.mark.rest
@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 1000), min_size=1, max_size=3), min_size=1, max_size=5),
    st.integers(0, 20),
)
def test_every_side_between_follows(coefficients, number):
    sizes = [polynomial(each) for each in coefficients]
    crops = merged({side: tape(side, sizes) for side in (176, 16, 96)}, 8)
    assert (crops.sides, crops.at(16)) == ((16, 96, 176), tape(16, sizes))
    side = 16 + 8 * number
    if side == 48:
        with pytest.raises(NotPolynomialError, match="have 48 pixels as an argument"):
            crops.at(side)
    else:
        check(crops, side, tape(side, sizes))
        assert crops.at(side) == tape(side, sizes)
    key = family_key(STEP, 8)
    assert decode_crops(encode_crops(crops, key)) == (key, crops)


def test_blocks_that_are_alike_at_one_side_are_told_apart():
    sizes = [lambda side: side * side, lambda side: 16 * side]
    crops = merged({side: tape(side, sizes) for side in (16, 24, 40)}, 8)
    assert [block.size.batch for block in crops.at(32).blocks] == [1024, 512]


def test_what_a_replay_asks_of_blocks_is_there_without_them():
    sizes = [lambda side: side * side, lambda _: 7, lambda side: 32 * side, lambda side: side * (side - 32)]
    found = merged({side: tape(side, sizes) for side in (16, 24, 40)}, 8).at(32).blocks
    made = Blocks(found.distinct, found.births)
    assert (found.sizes, found.devices(), found.streams()) == (made.sizes, made.devices(), made.streams())
    assert len(found.sizes[0]) == 3  # two meet at 32
    assert pickle.loads(pickle.dumps(found)) == found == tape(32, sizes).blocks  # noqa: S301 - made here


@pytest.mark.parametrize(
    ("side", "reason"),
    [(8, "not between"), (48 + 4, "not between"), (184, "not between"), (12, "not between")],
)
def test_what_was_not_between_is_refused(side, reason):
    crops = merged({each: tape(each, [lambda side: side]) for each in (16, 96, 176)}, 8)
    with pytest.raises(NotPolynomialError, match=reason):
        crops.at(side)


def test_another_degree_is_found_out():
    sizes = [lambda side: side**4]
    crops = merged({side: tape(side, sizes) for side in (16, 96, 176)}, 8)
    with pytest.raises(NotPolynomialError, match="not as predicted"):
        check(crops, 64, tape(64, sizes))
    crops = merged({side: tape(side, sizes) for side in (16, 24, 96, 136, 176)}, 8)
    check(crops, 64, tape(64, sizes))


def test_a_padded_side_is_found_out():
    sizes = [lambda side: (-(-side // 16) * 16) ** 2]
    crops = merged({side: tape(side, sizes) for side in (16, 88, 160)}, 8)
    with pytest.raises(NotPolynomialError):
        check(crops, 64, tape(64, sizes))


def test_a_size_that_is_no_whole_number_refutes_the_polynomial():
    sizes = [lambda side: {16: 1, 24: 2, 40: 4}.get(side, 0)]
    crops = merged({side: tape(side, sizes) for side in (16, 24, 40)}, 1)
    with pytest.raises(NotPolynomialError, match="no polynomial in whole numbers"):
        crops.at(17)


@pytest.mark.parametrize(
    "change",
    [
        {"events": ()},
        {"networks": ()},
        {"batches": (1,)},
        {"events": ((0, 0), (0, 1))},
        {"marks": ("setup", "step 1")},
    ],
)
def test_what_differs_in_more_than_sizes_is_refused(change):
    one, other = (tape(side, [lambda side: side]) for side in (16, 24))
    with pytest.raises(NotAlikeError):
        merged({16: one, 24: replace(other, **change)}, 8)


def test_crops_that_are_no_multiple_of_the_side_are_refused():
    with pytest.raises(NotPolynomialError, match="do not go with a side of 15"):
        at_side({"crop.lq": 16, "crop.hr": 40}, 15)


def test_a_stored_file_is_found_by_its_key_and_refused_where_it_is_damaged(tmp_path):
    crops = merged({side: tape(side, [lambda side: side]) for side in (16, 96, 176)}, 8)
    store = Store(tmp_path, "cache")  # of a project, it would be held against its step
    key = family_key(STEP, 8)
    path = store.save_crops(crops, key)
    assert path.name == f"{key[:24]}.crops"
    assert store.find_crops(key, 7) == crops
    assert store.find_crops("b" * 64, 7) is None
    assert store.find(key, 7) is None
    path.rename(tmp_path / f"{'b' * 24}.crops")
    assert store.find_crops("b" * 64, 7) is None
    assert "of another step" in store.refused[tmp_path / f"{'b' * 24}.crops"]
    with pytest.raises(StaleError, match="damaged"):
        decode_crops(encode_crops(crops, key)[:-9])
    with pytest.raises(StaleError, match="damaged"):
        decode_crops(encode_crops(crops, "k").replace(b'"sides"', b'"slides"', 1))

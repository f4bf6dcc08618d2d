# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Crops that are no squares grow as they are, and squares have the keys that they had."""

from __future__ import annotations

import pytest

from trainlint.tape.crops.crop_side import NotPolynomialError, at_side, family_key, grain_of
from trainlint.tape.step import key_of

SQUARE = {"recipe": "timm.train", "dialect": "timm", "crop.lq": 480, "crop.hr": 480}
WIDE = {**SQUARE, "crop.lq_width": 640, "crop.hr_width": 640}


def test_both_sides_grow_alike() -> None:
    assert at_side(WIDE, 240) == {
        **WIDE,
        "crop.lq": 240,
        "crop.hr": 240,
        "crop.lq_width": 320,
        "crop.hr_width": 320,
    }
    with pytest.raises(NotPolynomialError):
        at_side(WIDE, 241)


@pytest.mark.parametrize(("width", "grain"), [(480, 1), (640, 3), (960, 1), (720, 2), (481, 480)])
def test_the_grain_keeps_the_width_whole(width: int, grain: int) -> None:
    step = {"crop.lq": 480, "crop.lq_width": width}
    assert grain_of(step) == grain
    assert at_side(step, 480 + grain)["crop.lq_width"] * 480 == width * (480 + grain)


def test_a_square_has_the_key_that_it_had() -> None:
    rest = {name: value for name, value in SQUARE.items() if not name.startswith("crop.")}
    assert family_key(SQUARE, 8) == key_of({**rest, "crops": [1, 1], "side": [0, 8]})


def test_a_width_is_no_target_of_that_side() -> None:
    target, width = {"crop.lq": 64, "crop.hr": 256}, {"crop.lq": 64, "crop.lq_width": 256}
    assert family_key(target, 8) != family_key(width, 8)
    assert family_key(WIDE, 8) != family_key(SQUARE, 8)


def test_an_input_that_is_written_out_has_no_grain_of_its_own() -> None:
    assert grain_of({"crop.lq": 64, "options": {"input": [3, 64, 64]}}) == 1

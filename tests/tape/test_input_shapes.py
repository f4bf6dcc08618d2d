# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step whose inputs are written as shapes has a side: what follows it grows with it, or it says why not."""

from __future__ import annotations

import pytest

from trainlint.tape.crops.crop_side import (
    NotPolynomialError,
    at_side,
    family_key,
    grain_of,
    names_side,
    side_of,
)


def step(shape, target=None, **more):
    return {
        "recipe": "trainlint",
        "options": {"input": shape, **({"target": target} if target else {})},
        **more,
    }


@pytest.mark.parametrize(
    ("before", "side", "after"),
    [
        (step([3, 64, 64]), 96, step([3, 96, 96])),
        (step([3, 48, 64]), 96, step([3, 96, 128])),
        (step([3, 48, 64], [3, 192, 256]), 24, step([3, 24, 32], [3, 96, 128])),
        (step([3, 48, 64], [48, 64]), 24, step([3, 24, 32], [24, 32])),
        (step([3, 48, 64], [10]), 24, step([3, 24, 32], [10])),
        (step([3, 48, 64], [5, 4]), 24, step([3, 24, 32], [5, 4])),  # boxes, say
        (step([[3, 64, 96], [5], [1, 32, 48]]), 32, step([[3, 32, 48], [5], [1, 16, 24]])),
        (
            step([3, 64, 64], [[3, 64, 64], [7]], **{"crop.lq": 64, "crop.hr": 64}),
            32,
            step([3, 32, 32], [[3, 32, 32], [7]], **{"crop.lq": 32, "crop.hr": 32}),
        ),
    ],
)
def test_what_follows_the_height_is_resized_and_nothing_else(before, side, after) -> None:
    assert at_side(before, side) == after
    assert side_of(after) == side
    assert family_key(before, 1) == family_key(after, 1)
    assert at_side(after, side_of(before)) == before


def test_what_would_be_no_whole_number_of_pixels_is_refused() -> None:
    wide = step([[3, 64, 96], [1, 16, 24]])
    assert grain_of(wide) == 8
    with pytest.raises(
        NotPolynomialError, match=r"crops of \[16, 24, 64, 96\] pixels do not go with a side of 60"
    ):
        at_side(wide, 60)


@pytest.mark.parametrize(
    "shape", [[5], [3, 16, 64, 64], [[3, 64, 64], [3, 8, 64, 64]], "64", [3, True, 64], []]
)
def test_what_is_no_image_has_no_side(shape) -> None:
    assert side_of(step(shape)) == 0


def test_steps_of_other_shapes_are_another_family() -> None:
    keys = {
        family_key(step(shape, target), 1)
        for shape, target in (
            ([3, 64, 64], None), ([3, 64, 32], None), ([3, 32, 64], None), ([[3, 64, 64], [3, 32, 32]], None),
            ([3, 64, 64], [3, 64, 64]), ([3, 64, 64], [3, 128, 128]), ([1, 64, 64], None),
        )
    }  # fmt: skip
    assert len(keys) == 7


def test_an_argument_that_is_the_size_is_seen() -> None:
    assert names_side(step([3, 48, 64], **{"networks.generator.args": {"img_size": [48, 64]}}))
    assert not names_side(step([3, 48, 64], **{"networks.generator.args": {"img_size": 224}}))

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The search for the largest value that passes."""

from __future__ import annotations

import pytest

from trainlint.judge.fixes.number_search import largest


@pytest.mark.parametrize("guess", [1, 7, 17, 18, 19, 400])
@pytest.mark.parametrize("most", [1, 2, 17, 18, 97])
def test_it_finds_the_largest_from_anywhere(guess, most) -> None:
    assert largest(lambda at: at <= most, guess, 30) == (most, most + 1)


def test_where_nothing_passes_one_is_the_last_that_is_tried() -> None:
    tried = []

    def passes(at: int) -> bool:
        tried.append(at)
        return False

    assert largest(passes, 100, 30) == (0, 1)
    assert tried[-1] == 1
    assert len(tried) < 10


def test_it_stops_after_its_tries() -> None:
    assert largest(lambda _at: True, 1, 5) == (16, None)


@pytest.mark.parametrize("most", [124, 173, 222])
@pytest.mark.parametrize("guess", [32, 64, 200])
@pytest.mark.parametrize("share", [0.0, 0.4])
def test_where_the_need_meets_what_there_is_few_are_tried(most, guess, share) -> None:
    """Attention's need grows with the fourth power of a side, convolutions' with the second."""

    def need(at: int) -> float:
        return share + (1 - share) * ((at / (most + 0.5)) ** 4 + (at / (most + 0.5)) ** 2) / 2

    assert largest(lambda at: need(at) <= 1, guess, 10, need) == (most, most + 1)


@pytest.mark.parametrize("most", [4, 9, 23, 61])
@pytest.mark.parametrize("weights", [0.02, 0.1])
def test_attention_over_all_pixels_is_met_from_a_number_that_needs_hundreds_of_cards(most, weights) -> None:
    """Its need grows with the fourth power alone; only the present value's is known before."""

    def need(at: int) -> float:
        return weights + (1 - weights) * (at / (most + 0.5)) ** 4

    assert largest(lambda at: need(at) <= 1, 79, 10, need, bad=80) == (most, most + 1)


def test_a_number_that_something_else_forbids_says_nothing_of_the_need() -> None:
    assert largest(lambda at: at <= 124, 64, 14, lambda at: at / 1000) == (124, 125)


@pytest.mark.parametrize("most", [0, 1, 21, 250, 509])
def test_what_is_far_away_is_met_by_halving(most) -> None:
    """A length of 32,768 tokens that has to come down to 2,688 is one of 510 values, and ten are tried."""
    assert largest(lambda at: at <= most, 510, 10, bad=511, halving=True) == (most, most + 1)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What repeats from layer to layer, and what is no repetition."""

from __future__ import annotations

import pytest

from trainlint.tape.blueprints.layer_loops import (
    Even,
    Loop,
    NotRepeatedError,
    even_number,
    loops_between,
    unrolled,
)


def _tokens(text: str) -> list[tuple[object, ...]]:
    return [(letter,) for letter in text]


def _unrolled(text: str, loops: list[Loop], layers: int) -> str:
    return "".join(text[at] for stretch, _ in unrolled(len(text), loops, layers) for at in stretch)


@pytest.mark.parametrize(
    ("fewer", "more", "much_more"),
    [
        pytest.param("PabcabcQ", "PabcabcabcQ", "PabcabcabcabcabcQ", id="one"),
        pytest.param("PabababQcdcdcdR", "PababababQcdcdcdcdR", "PababababababQcdcdcdcdcdcdR", id="two"),
        pytest.param("PabcabcabX", "PabcabcabcabX", "PabcabcabcabcabcabX", id="ends like a round"),
        pytest.param("aaabbb", "aaaabbbb", "aaaaaabbbbbb", id="short and close together"),
    ],
)
def test_loops_are_found_and_go_on(fewer: str, more: str, much_more: str) -> None:
    loops = loops_between(_tokens(fewer), _tokens(more))
    assert _unrolled(fewer, loops, 0) == fewer
    assert _unrolled(fewer, loops, 1) == more
    assert _unrolled(fewer, loops, 3) == much_more


def test_what_comes_in_once_is_no_loop() -> None:
    with pytest.raises(NotRepeatedError, match="repeats nothing"):
        loops_between(_tokens("PabQ"), _tokens("PabxQ"))


def test_a_number_grows_evenly_or_is_refused() -> None:
    """A storage's rank by layers and by rounds, as the backward's last layer and its loop have it."""
    made = even_number([(0, 0, 5), (1, 0, 7), (1, 1, 6), (2, 0, 9), (2, 1, 8), (2, 2, 7)])
    assert made == Even(5, 2, -1)
    assert made.at(30, 30) == 35
    with pytest.raises(NotRepeatedError, match="grow evenly"):
        even_number([(0, 0, 1), (1, 0, 2), (2, 0, 4)])

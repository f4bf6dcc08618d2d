# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Formulas of sizes: found where they are, refused where they are not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from trainlint.tape.blueprints.shape_formulas import LAYERS, TRAINED, Formula, NoFormulaError, formulas_of

SHAPES = [
    {
        "hidden": hidden, "intermediate": inner, "vocabulary": words, "queries": heads * 64,
        "keys": groups * 64, "heads": heads, "groups": groups, "head": 64, "rank": rank, "tokens": tokens,
        "tokens by 32": -(-tokens // 32) * 32, "tokens by 64": -(-tokens // 64) * 64,
        "tokens by 128": -(-tokens // 128) * 128, LAYERS: layers, TRAINED: 997 * rank * hidden * layers + 31,
    }
    for hidden, inner, words, heads, groups, rank, tokens, layers in (
        (512, 1408, 32000, 8, 2, 8, 256, 3), (512, 1408, 32000, 8, 2, 8, 256, 4),
        (768, 2304, 32768, 12, 3, 9, 264, 3), (640, 1792, 33024, 15, 5, 10, 392, 3),
        (896, 1536, 33536, 14, 7, 11, 136, 3), (1152, 2816, 34048, 9, 1, 12, 520, 3),
        (1024, 3072, 34304, 22, 11, 13, 648, 3),
    )
]  # fmt: skip


def _row(*terms: tuple[Fraction | int, tuple[str, ...]]) -> tuple[int, ...]:
    return tuple(
        Formula(tuple((Fraction(number), product) for number, product in terms)).at(shape) for shape in SHAPES
    )


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(_row((2, ("hidden", "tokens"))), id="activation"),
        pytest.param(_row((Fraction(1, 2), ("hidden", "intermediate"))), id="four bits"),
        pytest.param(_row((4, ("heads", "tokens by 32"))), id="sums of attention"),
        pytest.param(_row((2, ("heads", "tokens", "tokens")), (6, ("queries", "tokens"))), id="two terms"),
        pytest.param(
            _row((2, ("hidden", "vocabulary")), (2, ("vocabulary", "tokens"))),
            id="with a length, a width that is known beside another",
        ),
        pytest.param(
            _row((12, (LAYERS, "hidden", "rank")), (4, (LAYERS, "keys", "rank"))), id="of all layers"
        ),
        pytest.param(_row((16, ())), id="constant"),
        pytest.param(_row((9, (LAYERS,)), (3, ())), id="tensors"),
        pytest.param(_row((12, (TRAINED,)), (72, (LAYERS,)), (24, ())), id="values and tensors"),
        pytest.param((0,) * len(SHAPES), id="nothing"),
    ],
)
def test_what_is_found_holds_at_another_shape(row: tuple[int, ...]) -> None:
    """Found at six of the shapes, held against the seventh, which was not among them."""
    known = [_row((2, ("hidden", "tokens"))), _row((6, ("queries", "tokens"))), _row((4, ("hidden", "rank")))]
    known += [
        _row((2, ("hidden", "vocabulary"))),
        _row((4, ("keys", "rank"))),
        _row((2, ("tokens", "tokens"))),
        _row((1, ("heads",))),
    ]
    rows = [each[:-1] for each in (*known, row)]
    assert formulas_of(rows, SHAPES[:-1])[row[:-1]].at(SHAPES[-1]) == row[-1]


def test_what_follows_nothing_is_refused() -> None:
    with pytest.raises(NoFormulaError, match="follow no formula"):
        formulas_of([(1, 1, 3, 5, 7, 11, 13)], SHAPES)


def test_half_a_byte_is_no_size() -> None:
    with pytest.raises(NoFormulaError, match="not a whole number"):
        Formula(((Fraction(1, 2), ("groups",)),)).at({"groups": 3})

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The constants of the accuracy page: what a fit finds, and that no family is fitted on itself."""

from __future__ import annotations

import pytest

from bench.accuracy.fit import MIB, NO_SHARE, fit, held_out, least_annoying, with_margin
from bench.accuracy.runs import RTX3090

CONTEXT, SHARE = 1700, 0.7


def run(family, number, *, share=SHARE):
    """Return a run whose measurement is what the model says, with `share` of its largest gradient."""
    reserved, largest = 3000 * number * MIB, 200 * number * number * MIB
    names = {"model": f"{family}{number}", "family": family, "kind": "cnn", "flags": "", "batch": number}
    sizes = {"segments": reserved, "reserved": reserved, "largest": largest, "spike": 3 * largest}
    return names | sizes | {"measured": CONTEXT * MIB + reserved + round(share * largest), "expect": 0}


RUNS = [run(family, number) for family in "abc" for number in (1, 2, 3)]


def test_the_fit_finds_context_and_share():
    assert fit(RUNS) == (CONTEXT * MIB, SHARE)
    assert fit(RUNS, shares=NO_SHARE)[1] == 0


def test_a_family_is_not_fitted_on_itself():
    odd = [run("d", number, share=1.5) for number in (1, 2, 3)]
    fits, found = held_out([*RUNS, *odd])
    assert fits[-1] == (CONTEXT * MIB, SHARE)
    wrong = {each.family for each in found if abs(each.error) > 0.02}
    assert wrong == {"d"}


def test_families_that_are_unseen_are_in_no_fit():
    odd = [run(family, number, share=1.5) for family in "de" for number in (1, 2, 3)]
    fits, found = held_out([*RUNS, *odd], unseen=frozenset("de"))
    assert set(fits) == {(CONTEXT * MIB, SHARE)}
    assert [each.error for each in found if each.family in "abc"] == pytest.approx([0] * 9, abs=1e-9)


def bracket(fits, fails):
    """Return a bracket whose segments take these shares of the card."""
    return {"ends": [{"segments": RTX3090.capacity * share} for share in (fits, fails)]}


def test_a_margin_trades_one_wrong_verdict_for_the_other():
    rows = [bracket(0.7, 0.83), bracket(0.85, 1.3), bracket(0.5, 1.2), {"ends": [None, None]}]
    assert with_margin(rows, 0, 0.0) == (1, 0)
    assert with_margin(rows, 0, 0.3) == (0, 1)
    assert least_annoying(rows, 1 / 4) == (1, 0)
    assert least_annoying(rows, 0.0) == (0, 1)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Values that are worked out when they are first asked for."""

from __future__ import annotations

import copy
import pickle

from trainlint.expressions.cel import plain
from trainlint.postponed import Postponed


def test_a_value_is_worked_out_once_and_only_if_it_is_asked_for() -> None:
    calls: list[int] = []
    postponed = Postponed(lambda: calls.append(1) or len(calls))
    assert calls == []
    assert (postponed.value, postponed.value, calls) == (1, 1, [1])


def test_another_process_gets_the_value() -> None:
    assert copy.deepcopy(Postponed(lambda: {"batch": 3})).value == {"batch": 3}
    assert b"batch" in pickle.dumps(Postponed(lambda: {"batch": 3}))


def test_they_are_compared_by_value_and_in_order_so_that_a_difference_before_them_asks_for_none() -> None:
    assert Postponed(lambda: 3) == Postponed(lambda: 3)
    never = Postponed(lambda: 1 // 0)
    assert (1, never) != (2, never)


def test_an_expression_sees_the_value() -> None:
    assert plain(Postponed(lambda: (1, 2))) == [1, 2]

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The loops over a tape's events: in C where trainlint was installed with a compiler, else in Python."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from trainlint.tape.flow_codes import NO_EVENT, Column, Flow

__all__ = [
    "NO_EVENT", "Column", "Flow", "course", "cut", "distinct", "firsts", "gradients_first", "highest",
    "in_turn", "lives", "living", "numbered", "paired", "places", "rounds", "slotted", "spread", "summed",
    "tables",
]  # fmt: skip


def _fastest() -> ModuleType:
    try:
        from trainlint.tape import native_flow  # noqa: PLC0415 - may not be there
    except ImportError:
        from trainlint.tape import pure_flow  # noqa: PLC0415 - mostly not needed

        return pure_flow
    return native_flow


if TYPE_CHECKING:
    from trainlint.tape.pure_flow import (
        course,
        cut,
        distinct,
        firsts,
        gradients_first,
        highest,
        in_turn,
        lives,
        living,
        numbered,
        paired,
        places,
        rounds,
        slotted,
        spread,
        summed,
        tables,
    )
else:
    FASTEST = _fastest()
    course, highest = FASTEST.course, FASTEST.highest
    lives, living = FASTEST.lives, FASTEST.living
    numbered, paired, slotted = FASTEST.numbered, FASTEST.paired, FASTEST.slotted
    rounds = FASTEST.rounds
    spread, distinct, places = FASTEST.spread, FASTEST.distinct, FASTEST.places
    summed, cut, tables = FASTEST.summed, FASTEST.cut, FASTEST.tables
    gradients_first, firsts, in_turn = FASTEST.gradients_first, FASTEST.firsts, FASTEST.in_turn

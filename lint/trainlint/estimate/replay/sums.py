# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Sums of gradients in place: where two gradients meet, autograd adds the second to the first."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.estimate.replay.course import Order
from trainlint.estimate.replay.ledger import Ledger, kept
from trainlint.estimate.replay.recalled import recalled
from trainlint.tape import SUM
from trainlint.tape.flow import Column


@kept
def joined(ledger: Ledger) -> Column:
    """Return a ledger's program in which the result of every such sum is its first term.

    The result is born just before the operator and the term goes just after it. Both events become a free of
    the result, which lives nowhere: nothing happens, and the events behind keep their places.
    """
    sums = tuple(row for row, op in ledger.ops.distinct.items() if op.key == SUM)
    return _joined(ledger.program, ledger.ops.order, sums, ledger.size_of)


@recalled
def _joined(events: Column, order: Order, sums: Sequence[int], size_of: Column) -> Column:
    program = events[:]
    place: dict[int, int] = {}
    for position in map(order.positions.__getitem__, order.of(sums)):
        if 0 < position < len(program):
            result, term = events[position - 1], ~events[position]
            if result >= 0 <= term and size_of[result] == size_of[term]:
                place[result] = place.get(term, term)
                program[position - 1] = program[position] = ~result
    gone = {~result: ~term for result, term in place.items()}
    for at in [at for at, event in enumerate(events) if event in gone] if gone else ():
        program[at] = gone[events[at]]
    return program

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Sums of gradients in place: where two gradients meet, autograd adds the second to the first."""

from __future__ import annotations

from trainlint.estimate.replay.gpu_ledger import Ledger, kept
from trainlint.tape import GRADIENT_SUM
from trainlint.tape.flow import Column, spread, summed


@kept
def joined(ledger: Ledger) -> Column:
    """Return a ledger's program in which the result of every such sum is its first term.

    The result is born just before the operator and the term goes just after it. Both events become a free of
    the result, which lives nowhere: nothing happens, and the events behind keep their places.
    """
    ops = ledger.ops
    sums = ops.of(row for row, op in ops.distinct.items() if op.key == GRADIENT_SUM)
    return summed(ledger.program, spread(ops.positions, sums), ledger.size_of) if sums else ledger.program

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Sums of gradients in place: where two gradients meet, autograd adds the second to the first."""

from __future__ import annotations

from trainlint.estimate.replay.gpu_ledger import Ledger, kept
from trainlint.tape.flow import Column, summed


@kept
def joined(ledger: Ledger) -> Column:
    """Return a ledger's program in which the result of every such sum is its first term.

    The result is born just before the operator and the term goes just after it. Both events become a free of
    the result, which lives nowhere: nothing happens, and the events behind keep their places.
    """
    return summed(ledger.program, ledger.sums, ledger.size_of) if ledger.sums else ledger.program

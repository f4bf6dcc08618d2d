# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the loops over a tape's events take, in C and in Python: a flow, and numbers with a meaning."""

from __future__ import annotations

from array import array
from typing import Final, NamedTuple, TypeAlias

Column: TypeAlias = "array[int]"
"""Numbers of 32 bits."""
NO_EVENT: Final = -(2**31)
"""Represents an event that does not happen, so that those behind it keep their places."""
TAKE, FLUSH, PASS, GIVE, HOLD, RETURN = range(6)
"""What happens at a moment, in this order: a handle's workspace or an operator's last copies are taken, the
cache is emptied, a workspace is taken and given back at once, the operator's copies are given back; the next
one's are taken, and given back where it allocates nothing."""
OF_DATA, OF_WEIGHT, OF_BIAS = range(1, 4)
"""Which of a convolution's gradients an operator computes."""
CUBLASLT: Final = 0
"""The number of cuBLASLt's workspace; the cuBLAS handles' follow it, then the others."""


class Flow(NamedTuple):
    """A tape's events: a letter and a number each, and the virtual GPUs of what these name.

    `homes` are the blocks', -1 for what is nowhere, `cards` those of the operators' rows.
    """

    order: bytes
    numbers: Column
    homes: Column
    cards: Column


class Rounds(NamedTuple):
    """The events of loops that went round: their letters, and what is said of those of each kind.

    `ranks` of deaths, rows of `work` and of marks (`moments`), and of `births` the layer times the number of
    rows, plus the row.
    """

    order: bytes
    ranks: Column
    work: Column
    moments: Column
    births: Column

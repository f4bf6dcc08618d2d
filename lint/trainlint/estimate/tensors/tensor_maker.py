# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which operator made a storage, read from a tape's order: its births come right before it.

The recorder writes an operator's new storages and then the operator. One that allocates without running a
kernel (torch.empty) has none, and what follows it is recognised by the bytes that it writes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from trainlint.estimate.replay.gpu_ledger import Ledger, kept
from trainlint.tape import Op, Size
from trainlint.tape.flow import Column, lives

MADE_LABELS: Final = frozenset({"activations", "gradients", "optimizer", "other"})
"""Labels of what operators make; the rest is put on the GPU as it is."""


@kept
def lives_of(book: Ledger) -> tuple[Column, Column]:
    """Return where in a ledger's program each block is allocated and where it is freed; -1 for nowhere."""
    return lives(book.program, len(book.blocks))


class Makers:
    """The operators that made a ledger's blocks, by the block's index; few of the blocks are asked for."""

    def __init__(self, book: Ledger) -> None:
        self._book = book
        self._born, _ = lives_of(book)
        self._marks = [position for position, _ in book.marks]
        self._found: dict[int, Op | None] = {}

    def get(self, index: int) -> Op | None:
        """Return the operator that made a block; None where there is none."""
        if index not in self._found:
            known_kind = self._book.blocks[index].kind in MADE_LABELS and self._born[index] >= 0
            self._found[index] = self._maker(index) if known_kind else None
        return self._found[index]

    def _maker(self, index: int) -> Op | None:
        """Return what runs next, unless something is freed or marked before."""
        ops, after = self._book.ops, self._born[index] + 1
        next_op = bisect_left(ops.positions, after)
        if next_op == len(ops):
            return None
        ran = ops.positions[next_op]
        if bisect_left(self._marks, after) < bisect_left(self._marks, ran):
            return None
        if any(event < 0 for event in self._book.program[after:ran]):
            return None
        last = bisect_right(ops.positions, ran, next_op)
        return _writer([ops.distinct[row] for row in ops.rows[next_op:last]], self._book.blocks[index].size)


@kept
def makers(book: Ledger) -> Makers:
    """Return what finds the operators that made a ledger's blocks."""
    return Makers(book)


def _writer(ops: Sequence[Op], size: Size) -> Op | None:
    """Return the operator that writes just this size, else the first that writes it among other results."""
    for op in ops:  # ten thousand blocks a tape: generators would take half of the time
        if op.written == size:
            return op
    for op in ops:
        if _covers(op.written, size):
            return op
    return None


def _covers(written: Size, size: Size) -> bool:
    return (
        written.const >= size.const
        and written.batch >= size.batch
        and written.total >= size.total
        and written.pool >= size.pool
    )

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which operator made a storage, read from a tape's order: its births come right before it.

The recorder writes an operator's new storages and then the operator. One that allocates without running a
kernel (torch.empty) has none, and what follows it is recognised by the bytes that it writes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from trainlint.estimate.replay.ledger import Ledger, kept
from trainlint.tape import Op, Size

MADE: Final = frozenset({"activations", "gradients", "optimizer", "other"})
"""Labels of what operators make; the rest is put on the GPU as it is."""


@kept
def makers(book: Ledger) -> Mapping[int, Op]:
    """Return the operator that made each block of a ledger, by the block's index, where there is one."""
    ran: dict[int, list[Op]] = defaultdict(list)
    for position, op, _ in book.ops:
        ran[position].append(op)
    marked = {position for position, _ in book.marks}
    found: dict[int, Op] = {}
    group: list[int] = []
    for position, event in enumerate(book.program, start=1):
        if event < 0 or position - 1 in marked:
            group.clear()
        if event >= 0 and book.blocks[event].kind in MADE:
            group.append(event)
        if position in ran:
            for index in group:
                writer = _writer(ran[position], book.blocks[index].size)
                if writer is not None:
                    found[index] = writer
            group.clear()
    return found


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

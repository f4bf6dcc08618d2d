# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What DistributedDataParallel starts next to a step's own operators, counted in PyTorch's source.

Source: torch/csrc/distributed/c10d/reducer.cpp (mark_variable_ready_dense, all_reduce_bucket,
copy_bucket_to_grad) and comm.cpp (broadcast_coalesced), torch 2.13. Each gradient is divided into its bucket
and copied back, each bucket is reduced, and before a forward the buffers are sent as one tensor and copied
back.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import Final

from msgspec import Struct

from trainlint.estimate.replay.course import Identity
from trainlint.estimate.tapes.trains import BUCKETS, GRADIENTS
from trainlint.tape import SECOND_STEP, Event, Tape

COPIES: Final = 2
"""Of a gradient: into its bucket and back, each of which reads and writes it."""


class Launches(Struct, frozen=True):
    """How many kernels a step has of it, and the bytes that those read and write."""

    count: int = 0
    moved: int = 0


def ddp_launches(tape: Tape) -> Launches:
    """Return what DistributedDataParallel starts in a step; buffers are taken to be sent once.

    A tape that was recorded of a program has torch's own reducer on it, and is not said to be in parallel.
    """
    return _launches(Identity(tape)) if tape.step.get("parallel") == "ddp" else Launches()


@lru_cache(maxsize=4)
def _launches(of: Identity) -> Launches:
    tape = of.tape
    second = tape.marks.index(SECOND_STEP)
    before = takewhile(lambda event: event != (Event.MARK, second), map(tuple, tape.events))
    made = [tape.blocks[index] for kind, index in before if kind == Event.ALLOC]
    buckets = [block for block in made if block.owner.endswith(BUCKETS)]
    roles = {block.owner.partition(":")[0] for block in buckets}
    mine = [block for block in made if block.owner.partition(":")[0] in roles and block not in buckets]
    gradients = sum(block.kind == GRADIENTS for block in mine)
    buffers = sum(block.kind == "buffers" for block in mine)
    sent = len({block.owner.partition(":")[0] for block in mine if block.kind == "buffers"})
    return Launches(
        COPIES * gradients + len(buckets) + buffers + sent,
        2 * COPIES * sum(block.size.const for block in buckets),
    )

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What DistributedDataParallel starts next to a step's own operators, counted in PyTorch's source.

Source: torch/csrc/distributed/c10d/reducer.cpp (mark_variable_ready_dense, all_reduce_bucket,
copy_bucket_to_grad) and comm.cpp (broadcast_coalesced), torch 2.13. Each gradient is divided into its bucket
and copied back, each bucket is reduced, and before a forward the buffers are sent as one tensor and copied
back.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Final

from msgspec import Struct

from trainlint.estimate.replay.course import Identity
from trainlint.estimate.tapes.trains import BUCKETS, GRADIENTS
from trainlint.tape import SECOND_STEP, Event, Tape
from trainlint.tape.events import Blocks, Events
from trainlint.tape.tape import Block

GRADIENT_COPIES: Final = 2
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
    events, blocks = Events.of(tape.events), Blocks.of(tape.blocks)
    first_step = events[: events.index((Event.MARK, tape.marks.index(SECOND_STEP)))]
    rows = Counter(map(blocks.births.__getitem__, first_step.of_kind(Event.ALLOC)))
    made = [(blocks.distinct[row], count) for row, count in rows.items()]
    buckets = [(block, count) for block, count in made if block.owner.endswith(BUCKETS)]
    roles = {_role(block) for block, _ in buckets}
    wrapped = [
        (block, count) for block, count in made if _role(block) in roles and (block, count) not in buckets
    ]
    gradients = sum(count for block, count in wrapped if block.kind == GRADIENTS)
    buffers = [(_role(block), count) for block, count in wrapped if block.kind == "buffers"]
    copied = GRADIENT_COPIES * gradients + sum(count for _, count in buffers)
    reduced = sum(count for _, count in buckets)
    sent = len({role for role, _ in buffers})
    return Launches(
        copied + reduced + sent,
        2 * GRADIENT_COPIES * sum(block.size.const * count for block, count in buckets),
    )


def _role(block: Block) -> str:
    return block.owner.partition(":")[0]

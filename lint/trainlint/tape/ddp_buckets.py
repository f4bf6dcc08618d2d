# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The step of a process under DistributedDataParallel, from the step alone: what it has more are buckets.

Source: torch/csrc/distributed/c10d/reducer.cpp (torch 2.13), as trace/parallel/distributed.py plays it. The
copy of the buffers before each forward is left out: a language model has a few hundred bytes of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from trainlint.tape.events import LETTERS, Blocks, Events
from trainlint.tape.step import DDP_ONLY, key_of
from trainlint.tape.tape import SECOND_STEP, Block, Event, Size, Tape

FIRST_BUCKET_BYTES: Final = 2**20
BUCKET_BYTES: Final = 25 * 2**20
"""Bytes of the first bucket and of the others (bucket_cap_mb)."""
FIRST_STEP: Final = "step 1"
FLOAT_BYTES: Final = (2, 4)
"""Bytes of a gradient's number."""


def alone(step: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a process's step without the wrapper; None where that does more than keep buckets."""
    if step.get("parallel") != "ddp" or DDP_ONLY.intersection(step.get("options") or ()):
        return None
    return {name: value for name, value in step.items() if name != "parallel"}


def with_buckets(tape: Tape, step: Mapping[str, Any]) -> Tape | None:
    """Return the tape of `step` from that of one process alone; None where gradients are missing."""
    events, blocks = Events.of(tape.events), Blocks.of(tape.blocks)
    begin, end = (events.index((Event.MARK, tape.marks.index(name))) for name in (FIRST_STEP, SECOND_STEP))
    born_there = map(blocks.__getitem__, events[begin:end].of_kind(Event.ALLOC))
    gradients = [block.size.const for block in born_there if block.kind == "gradients"]
    trained = sum(network.trainable for network in tape.networks)
    if not trained or sum(gradients) not in {trained * size for size in FLOAT_BYTES}:
        return None
    buckets = [
        Block(Size(sum(group)), "gradients", f"{tape.networks[0].role}:DDP buckets")
        for group in _groups(gradients)
    ]
    first = sum(1 for _ in events[:begin].of_kind(Event.ALLOC))
    more, rows = len(buckets), len(blocks.distinct)
    born, block_letters = blocks.births, LETTERS[: Event.FREE + 1].encode()
    later = array(
        "i",
        (
            number + more if letter in block_letters and number >= first else number
            for letter, number in zip(events.order[begin:], events.numbers[begin:], strict=True)
        ),
    )
    made = array("i", range(first, first + more))
    return replace(
        tape,
        key=key_of(step),
        step=dict(step),
        events=Events(
            events.order[:begin] + LETTERS[:1].encode() * more + events.order[begin:],
            events.numbers[:begin] + made + later,
        ),
        blocks=Blocks(
            [*blocks.distinct, *buckets],
            born[:first] + array("i", range(rows, rows + more)) + born[first:],
        ),
    )


def _groups(sizes: Iterable[int]) -> Sequence[list[int]]:
    """Group gradients until a bucket is full, as compute_bucket_assignment_by_size does."""
    groups: list[list[int]] = [[]]
    for size in sizes:
        groups[-1].append(size)
        if sum(groups[-1]) >= (BUCKET_BYTES if len(groups) > 1 else FIRST_BUCKET_BYTES):
            groups.append([])
    return [group for group in groups if group]

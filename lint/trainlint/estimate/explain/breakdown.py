# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where the bytes of a GPU's peak are: by network and kind, the largest tensors, and the moment itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from trainlint.estimate.replay.gpu_ledger import Ledger, Samples
from trainlint.estimate.tensors.convolution_shape import shape_of
from trainlint.estimate.tensors.tensor_kind import MADE_BACKWARD, PARAMETERS, kinds, role_of
from trainlint.estimate.tensors.tensor_maker import makers
from trainlint.tape import Op

MOST_NAMED_TENSORS = 10
"""Tensors that are named."""


class Moment(Struct, frozen=True):
    """A place in the step: the phase it falls in ("generator backward", "" before the first).

    `module` runs then ("generator:body.0"), `op` is what it runs, where they are known; `backward`: autograd
    runs it. `before`: it was in the step before, or before the first one where `phase` is "setup".
    """

    phase: str
    module: str = ""
    op: Op | None = None
    backward: bool = False
    before: bool = False


class LiveTensor(Struct, frozen=True):
    """A tensor alive at the peak: rounded bytes, what it is for, the module that made it, and its life.

    `shape` is of the whole batch, where a convolution's is known. `freed` is None for what outlives the step.
    """

    size: int
    kind: str
    owner: str
    made: Moment
    freed: Moment | None
    op: Op | None
    backward: bool = False
    shape: tuple[int, ...] = ()
    per_sample: int = 0

    @property
    def is_replica(self) -> bool:
        """Say whether it is DataParallel's copies of the parameters, which it makes in one piece."""
        return self.kind == PARAMETERS and not self.owner


class Breakdown(Struct, frozen=True):
    """One GPU's peak: live bytes, the moment, and what they are."""

    allocated: int
    moment: Moment
    by_network: Mapping[str, Mapping[str, int]]
    """Network's role -> kind -> bytes; both largest first."""
    largest: tuple[LiveTensor, ...]


def breakdown(book: Ledger, samples: Samples) -> Breakdown:
    """Take the peak of a ledger apart: of its second step, or of its validation."""
    peak = book.peak(samples)
    sizes = book.bytes(samples)
    alive = book.live(peak.position)
    largest = sorted(alive, key=lambda index: (-sizes[index], index))[:MOST_NAMED_TENSORS]
    return Breakdown(
        allocated=peak.allocated,
        moment=_moment(book, peak.position),
        by_network=_by_network(book, {index: sizes[index] for index in alive}),
        largest=tuple(_tensor(book, samples, index, peak.position) for index in largest),
    )


def _by_network(book: Ledger, alive: Mapping[int, int]) -> Mapping[str, Mapping[str, int]]:
    kind = kinds(book)
    grid: dict[str, Counter[str]] = {}
    for index, size in alive.items():
        grid.setdefault(role_of(book.blocks[index].owner), Counter())[kind.of(index)] += size
    ranked = sorted(grid.items(), key=lambda item: -item[1].total())
    return {network: dict(parts.most_common()) for network, parts in ranked}


def _moment(book: Ledger, position: int) -> Moment:
    """Say what happens just before `position`: whose tensor was the last to be made."""
    phase = book.phase(position)
    if position <= book.settled:
        return Moment(phase, before=True)
    index = next(event for event in reversed(book.program[:position]) if event >= 0)
    block = book.blocks[index]
    return Moment(phase, block.owner, makers(book).get(index), backward=block.kind in MADE_BACKWARD)


def _tensor(book: Ledger, samples: Samples, index: int, position: int) -> LiveTensor:
    block, op = book.blocks[index], makers(book).get(index)
    born = book.program.index(index)
    died = next(
        (
            index_freed
            for index_freed in range(position, len(book.program))
            if book.program[index_freed] == ~index
        ),
        None,
    )
    return LiveTensor(
        size=samples.bytes(block.size),
        kind=kinds(book).of(index),
        owner=block.owner,
        made=Moment(book.phase(born), before=born < book.settled),
        freed=None if died is None else Moment(book.phase(died)),
        op=op,
        backward=block.kind in MADE_BACKWARD,
        shape=shape_of(op, block.size.at(samples.batch, samples.total, samples.pool)) if op else (),
        per_sample=block.size.batch + block.size.total,
    )

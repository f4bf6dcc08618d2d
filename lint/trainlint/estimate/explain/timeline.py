# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step as a curve of live tensors, by kind, moved by another batch: a few hundred moments of thousands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Final

from msgspec import Struct

from trainlint.estimate.memory.workload import Workload
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples
from trainlint.estimate.tensors.convolution_shape import shape_of
from trainlint.estimate.tensors.tensor_kind import MADE_BACKWARD, kinds
from trainlint.estimate.tensors.tensor_maker import makers
from trainlint.tape import EVERY_BATCH, Op

STEP_PARTS: Final = 300
"""Parts of the step of which the highest moment is kept: about one for two pixels of a wide screen."""
NO_TENSOR: Final = -1
"""Represents no tensor."""
TIMES_ITS_BATCH: Final = 4
"""How many times the config's batch is of interest at least."""
BEYOND_LARGEST: Final = 1.25
"""How far beyond the largest batch that fits the furthest one lies, so that its end is seen."""
LARGEST_BATCH: Final = 4096
"""The largest batch that is of interest: of a network so small more is not looked for."""


class BatchLine(Struct, frozen=True):
    """Bytes at a batch: `const + per_sample x batch`, exact at the workload's, to 512 a tensor elsewhere."""

    const: int
    per_sample: int

    def at(self, batch: int) -> int:
        """Return the bytes at a batch per GPU."""
        return self.const + self.per_sample * batch


class NamedBlock(Struct, frozen=True):
    """A tensor that is named: its bytes, its module, the operator that made it, and the shape.

    `shape` is of the workload's whole batch, () where not known. `backward`: autograd runs the operator.
    """

    line: BatchLine
    owner: str
    op: Op | None
    backward: bool = False
    shape: tuple[int, ...] = ()


class Band(Struct, frozen=True):
    """One kind of memory over the moments; `largest` is its largest tensor's block then, NOTHING for none."""

    kind: str
    lines: tuple[BatchLine, ...]
    largest: tuple[int, ...]


class Timeline(Struct, frozen=True):
    """The moments (positions in the ledger's program), the bands, and what is needed to name tensors.

    `made` is the block that was made last before each moment. `phases` are (index of a moment, mark).
    `blocks` holds all blocks that are named. `batches` are those that it speaks for (none: every one from
    `lowest` on), `batch` is the workload's own, `furthest` the largest one that is of interest.
    """

    moments: tuple[int, ...]
    bands: tuple[Band, ...]
    made: tuple[int, ...]
    phases: tuple[tuple[int, str], ...]
    blocks: dict[int, NamedBlock]
    batch: int
    batches: tuple[int, ...]
    lowest: int
    furthest: int


class _Alive:
    """The tensors of one kind that are alive, summed as they come and go."""

    def __init__(self) -> None:
        self.blocks: set[int] = set()
        self._const = self._per_sample = self._added = 0
        self._largest_first: list[tuple[int, int, int]] = []  # some of them freed

    def add(self, block: int, line: BatchLine, batch: int) -> None:
        """Add a tensor, whose size at `batch` decides which is the largest."""
        self.blocks.add(block)
        self._const += line.const
        self._per_sample += line.per_sample
        self._added += 1
        heappush(self._largest_first, (-line.at(batch), self._added, block))

    def remove(self, block: int, line: BatchLine) -> None:
        """Remove a tensor, if it is there."""
        if block in self.blocks:
            self.blocks.remove(block)
            self._const -= line.const
            self._per_sample -= line.per_sample

    def sum(self) -> tuple[BatchLine, int]:
        """Return their bytes and the largest, of equals the oldest."""
        while self._largest_first[0][-1] not in self.blocks:
            heappop(self._largest_first)
        return BatchLine(self._const, self._per_sample), self._largest_first[0][-1]


def timeline(workload: Workload, most: Iterable[int] = ()) -> Timeline:
    """Return a workload's timeline; peaks at its own, lowest and furthest batch are among the moments.

    `most` are the largest batches that fit on the cards of interest: the furthest is beyond them.
    """
    book, samples = workload.book, workload.samples
    lines = _lines(book, samples)
    own = workload.tape.batches or (() if samples.batch >= EVERY_BATCH else (samples.batch,))
    furthest = _furthest(samples.batch, most)
    ends = () if own else (EVERY_BATCH, furthest)
    moments = _moments(book, lines, dict.fromkeys((samples.batch, *ends)))
    bands, last_tensors = _bands(book, lines, moments, samples.batch)
    named = {block for band in bands for block in band.largest} | set(last_tensors)
    phases = tuple(
        (_first(moments, position), name) for position, name in book.marks if position >= book.start
    )
    blocks = {block: _named(book, samples, block, lines[block]) for block in sorted(named - {NO_TENSOR})}
    return Timeline(moments, bands, last_tensors, phases, blocks, samples.batch, own, EVERY_BATCH, furthest)


def _furthest(batch: int, most: Iterable[int]) -> int:
    return min(
        LARGEST_BATCH, max([batch * TIMES_ITS_BATCH, *(round(limit * BEYOND_LARGEST) for limit in most)])
    )


def _named(book: Ledger, samples: Samples, index: int, line: BatchLine) -> NamedBlock:
    block, op = book.blocks[index], makers(book).get(index)
    shape = shape_of(op, block.size.at(samples.batch, samples.total, samples.pool)) if op else ()
    return NamedBlock(line, block.owner, op, backward=block.kind in MADE_BACKWARD, shape=shape)


def _lines(book: Ledger, samples: Samples) -> list[BatchLine]:
    """Return every block's bytes as a function of the batch per GPU; the pool stays as it is."""
    replicas = max(1, round(samples.total / samples.batch))
    exact = book.bytes(samples)
    slopes = [size.batch + size.total * replicas for size in book.sizes]
    if book.batches or samples.batch < EVERY_BATCH:
        slopes = [0] * len(slopes)
    return [
        BatchLine(exact[index] - slopes[number] * samples.batch, slopes[number])
        for index, number in enumerate(book.size_of)
    ]


def _moments(book: Ledger, lines: Sequence[BatchLine], batches: dict[int, None]) -> tuple[int, ...]:
    """Return the positions to keep: the highest of each stretch at each batch, and both ends."""
    first, last = book.start, len(book.program)
    length = max(1, -(-(last - first) // STEP_PARTS))
    kept = {first, last}
    for batch in batches:
        live = sum(lines[block].at(batch) for block in book.live(first))
        best: dict[int, tuple[int, int]] = {}
        for position in range(first, last + 1):
            stretch = (position - first) // length
            if stretch not in best or live > best[stretch][0]:
                best[stretch] = (live, position)
            if position < last:
                event = book.program[position]
                live += lines[event].at(batch) if event >= 0 else -lines[~event].at(batch)
        kept |= {position for _, position in best.values()}
    return tuple(sorted(kept))


def _bands(
    book: Ledger, lines: Sequence[BatchLine], moments: Sequence[int], batch: int
) -> tuple[tuple[Band, ...], tuple[int, ...]]:
    """Return the bands at the moments, and the block that was made last before each."""
    kind = kinds(book)
    alive: dict[str, _Alive] = defaultdict(_Alive)
    for block in book.live(book.start):
        alive[kind.of(block)].add(block, lines[block], batch)
    sums_by_moment: list[dict[str, tuple[BatchLine, int]]] = []
    last_tensors = []
    last = NO_TENSOR
    wanted = iter(moments)
    moment = next(wanted, None)
    for position in range(book.start, len(book.program) + 1):
        if position == moment:
            sums_by_moment.append({name: those.sum() for name, those in alive.items() if those.blocks})
            last_tensors.append(last)
            moment = next(wanted, None)
        if position < len(book.program):
            event = book.program[position]
            if event >= 0:
                alive[kind.of(event)].add(event, lines[event], batch)
                last = event
            else:
                alive[kind.of(~event)].remove(~event, lines[~event])
    names = dict.fromkeys(name for sums in sums_by_moment for name in sums)
    none = (BatchLine(0, 0), NO_TENSOR)
    return tuple(_band(name, [sums.get(name, none) for sums in sums_by_moment]) for name in names), tuple(
        last_tensors
    )


def _band(name: str, sums: Sequence[tuple[BatchLine, int]]) -> Band:
    return Band(name, tuple(line for line, _ in sums), tuple(block for _, block in sums))


def _first(moments: Sequence[int], position: int) -> int:
    """Return the index of the first moment at or after a position."""
    return next((index for index, moment in enumerate(moments) if moment >= position), len(moments) - 1)


def highest(curve: Timeline, batch: int) -> Iterator[int]:
    """Yield the bytes of all bands together at each moment, for a batch."""
    for index in range(len(curve.moments)):
        yield sum(band.lines[index].at(batch) for band in curve.bands)

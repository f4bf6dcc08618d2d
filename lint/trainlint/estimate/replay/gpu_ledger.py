# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The ledger: one GPU of a tape as flat lists, so that another batch is arithmetic in milliseconds."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, wraps
from itertools import accumulate
from operator import itemgetter
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from msgspec import Struct

from trainlint.estimate.replay.allocator import ROUNDING
from trainlint.estimate.replay.course import (
    BACKWARD,
    Identity,
    course_of,
    training_of,
    validation_at,
)
from trainlint.estimate.replay.recalled_columns import recalled
from trainlint.tape import EVERY_BATCH, GRADIENT_SUM, SECOND_STEP, Block, Op, Size, Tape
from trainlint.tape.events import Blocks
from trainlint.tape.flow import Column, highest, living, spread

SLACK_BYTES: Final = 2**16
"""Bytes by which a step may grow and still count as closed: counters, log entries."""
LEDGERS: Final = 16
"""Ledgers that are kept, the last ones used: with all that is worked out of it one takes up to 10 MB. A job
has two GPUs' in every reading, and as many with its validation and at each crop that `fit` tries: of a GAN
step on all targets 8 made 57 ledgers for 41."""
READING: Final = 2
EVENTS: Final = 1_000_000
"""Events of these ledgers' tapes above which no more are kept than one reading has, as one with its replays
takes up to 250 bytes an event. With 500,000 that `fit` made 57 ledgers, too, in 106 MiB of 111."""

Rest = ParamSpec("Rest")
Result = TypeVar("Result")
Found = TypeVar("Found")


class Samples(Struct, frozen=True):
    """The variables of a tape: samples per GPU, per process, and in the training pool."""

    batch: int
    total: int
    pool: int = 0

    def bytes(self, size: Size) -> int:
        """Return the rounded bytes of an affine size."""
        return self.rounded((size,))[0]

    def rounded(self, sizes: Iterable[Size]) -> list[int]:
        """Return the rounded bytes of affine sizes.

        The allocator rounds up, but an empty tensor takes nothing (torch never asks for it).
        """
        batch, total, pool = self.batch, self.total, self.pool
        asked = [
            const + per_sample * batch + all_ * total + kept * pool for const, per_sample, all_, kept in sizes
        ]
        return [(size + ROUNDING - 1) & -ROUNDING if size > 0 else 0 for size in asked]


class Peak(Struct, frozen=True):
    """The peak of live bytes: where in the ledger's program it is, and how much."""

    position: int
    allocated: int


class Ledger:
    """One virtual GPU of a tape.

    `program` lists its events: a block's index where it is allocated, `~index` where it is freed. `marks` are
    (position in the program before which they happen, name). `start` is where the second step begins. The
    training's ledger ends with that step; the validation's begins with what is alive then. What is before
    program[`settled`] was there already, `recent` of it since the last step. `kept` is what was worked out of
    it (`kept` below).
    """

    def __init__(self, tape: Tape, device: int = 0, *, validation: bool = False) -> None:
        self.step = tape.step
        self.blocks = Blocks.of(tape.blocks)
        self.batches = tape.batches
        self.sizes, self.size_of_row, self.size_of = _sizes(Identity(tape))
        self.kept: dict[Any, Any] = {}
        self._peaks: dict[Samples, Peak] = {}
        self._alive: dict[int, Column] = {}
        self.validation = validation
        self.recent: frozenset[int] = frozenset()
        self.program, self.ops, self.marks = training_of(Identity(tape), device)
        self.start = self.settled = next(
            (position for position, name in self.marks if name == SECOND_STEP), 0
        )
        if validation:
            trained, tested = validation_at(tape)
            self.program = self.program + course_of(tape, device, (trained, tested)).program
            self.recent = frozenset(self.program[self.start :])
            alive = self.live(len(self.program))
            self.start, self.settled = 0, len(alive)
            rest = (tested, len(tape.events))
            self.program, self.ops, self.marks = course_of(tape, device, rest, alive)

    def operators(
        self, of: Callable[[Op], Found | None], positions: Sequence[int] | None = None
    ) -> Iterator[tuple[int, Found, bool]]:
        """Yield position, what `of` says of the operator there, and whether it is of the backward pass.

        Those of which it says None are left out; `positions` are others than the operators' own.
        """
        ops = self.ops
        answers = {row: answer for row, op in ops.distinct.items() if (answer := of(op)) is not None}
        where = ops.positions if positions is None else positions
        for index in ops.of(answers):
            yield where[index], answers[ops.rows[index]], bool(ops.backward[index])

    def moved(self, op: Op) -> Size:
        """Return what an operator moves without its weights, which a tape of one batch cannot show."""
        const = op.read.const + op.written.const if self.batches else 0
        return Size(const, op.read.batch + op.written.batch, op.read.total + op.written.total)

    def bytes(self, samples: Samples) -> list[int]:
        """Return the rounded bytes of every block."""
        return list(map(samples.rounded(self.sizes).__getitem__, self.size_of))

    def peak(self, samples: Samples) -> Peak:
        """Return the peak of live bytes in the second step (what is alive when it begins counts)."""
        if samples not in self._peaks:
            self._peaks[samples] = self._peak(samples)
        return self._peaks[samples]

    def _peak(self, samples: Samples) -> Peak:
        return self.peak_of(self.size_of, samples.rounded(self.sizes), self._standing)

    def peak_of(self, size_of: Column, sizes: Sequence[int], standing: Mapping[int, int]) -> Peak:
        """Return the peak with other bytes, by number: `standing` counts what is alive when it begins."""
        before = sum(sizes[number] * count for number, count in standing.items())
        after, allocated = highest(self._second, size_of, sizes, before)
        return Peak(self.start + after, allocated)

    @cached_property
    def sums(self) -> Column:
        """Where gradients are summed in place."""
        ops = self.ops
        return spread(
            ops.positions, ops.of(row for row, op in ops.distinct.items() if op.key == GRADIENT_SUM)
        )

    @cached_property
    def in_place(self) -> Column:
        """The program in which the first term of a sum in place goes before the sum is born."""
        return _terms_first(self.program, self.sums, self.size_of) if self.sums else self.program

    @cached_property
    def _second(self) -> Column:
        return self.in_place[self.start :]

    @cached_property
    def _standing(self) -> Mapping[int, int]:
        return self.standing(self.size_of)

    def standing(self, size_of: Column) -> Mapping[int, int]:
        """Return how many blocks of each number are alive where the second step begins."""
        return Counter(spread(size_of, self.live(self.start)))

    def first_over(self, samples: Samples, room: int) -> int | None:
        """Return the first position of the program whose event leaves more than `room` bytes alive."""
        sizes, size_of = samples.rounded(self.sizes), self.size_of
        program = self.in_place
        if self.peak(samples).allocated <= room and highest(program, size_of, sizes, 0)[1] <= room:
            return None  # as on most cards
        changes = (sizes[size_of[entry]] if entry >= 0 else -sizes[size_of[~entry]] for entry in program)
        return next((position for position, size in enumerate(accumulate(changes)) if size > room), None)

    def live(self, position: int) -> Column:
        """Return the indices of the blocks alive before `program[position]`, in the order of their birth."""
        if position not in self._alive:
            self._alive[position] = living(self.program[:position])
        return self._alive[position]

    def growth(self, samples: Samples) -> int:
        """Return how much more is alive after the second step than before it: 0 where it closes."""
        sizes = samples.rounded(self.sizes)
        before, after = (
            sum(map(sizes.__getitem__, spread(self.size_of, self.live(position))))
            for position in (self.start, len(self.program))
        )
        return after - before

    def parts(self, samples: Samples, moment: Peak, of: Callable[[Block], str]) -> Mapping[str, int]:
        """Return the live bytes at `moment` by what `of` says of each block, largest first."""
        sizes, distinct = samples.rounded(self.sizes), self.blocks.distinct
        alive = Counter(spread(self.blocks.births, self.live(moment.position)))
        rows = ((of(distinct[row]), count * sizes[self.size_of_row[row]]) for row, count in alive.items())
        return _largest_first(rows)

    def parts_by_index(self, samples: Samples, moment: Peak, of: Callable[[int], str]) -> Mapping[str, int]:
        """Return the live bytes at `moment` by what `of` says of each block's index, largest first."""
        alive = self.live(moment.position)
        return _largest_first(zip(map(of, alive), self.bytes_of(samples, alive), strict=True))

    def bytes_of(self, samples: Samples, blocks: Column) -> list[int]:
        """Return the rounded bytes of some blocks."""
        return list(map(samples.rounded(self.sizes).__getitem__, spread(self.size_of, blocks)))

    def phase(self, position: int) -> str:
        """Return the name of the last mark before `program[position]` ("" before the first)."""
        after = bisect_right(self.marks, position, key=lambda mark: mark[0])
        return self.marks[after - 1][1] if after else ""

    @cached_property
    def saved_per_sample(self) -> int:
        """The bytes that each sample keeps alive for the first backward pass of the second step."""
        backward_start = next(
            (position for position, name in self.marks if position >= self.start and BACKWARD in name), None
        )
        if backward_start is None:
            return 0
        blocks, rows = self.blocks, self.blocks.having(lambda kind, _: kind == "activations")
        alive = Counter(spread(blocks.births, self.live(backward_start)))
        saved = [(blocks.row(row).size, count) for row, count in alive.items() if row in rows]
        if self.batches:  # a tape of one batch knows no slope: its mean is taken
            return sum((size.const + size.total) * count for size, count in saved) // self.batches[0]
        return sum((size.batch + size.total) * count for size, count in saved)


def _largest_first(named: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """Return the sums of bytes by name, largest first."""
    parts: dict[str, int] = {}
    for name, size in named:
        parts[name] = parts.get(name, 0) + size
    return dict(sorted(parts.items(), key=itemgetter(1), reverse=True))


@recalled
def _terms_first(program: Column, sums: Column, size_of: Column) -> Column:
    """Return a program in which the first term of each sum goes before the sum of its size is born."""
    moved = program[:]
    for position in sums:
        if 0 < position < len(moved):
            result, term = moved[position - 1], ~moved[position]
            if result >= 0 <= term and size_of[result] == size_of[term]:
                moved[position - 1], moved[position] = ~term, result
    return moved


@lru_cache(maxsize=2)  # a tape's ledgers are made one after the other
def _sizes(identity: Identity) -> tuple[Sequence[Size], Column, Column]:
    """Return the sizes of a tape's blocks, each once, its number by row, and by block."""
    blocks = Blocks.of(identity.tape.blocks)
    sizes, rows = blocks.sizes
    return sizes, rows, spread(rows, blocks.births)


def kept(work: Callable[Concatenate[Ledger, Rest], Result]) -> Callable[Concatenate[Ledger, Rest], Result]:
    """Keep what a function works out of a ledger with that ledger: it goes when the ledger goes."""

    @wraps(work)
    def looked_up(ledger: Ledger, /, *args: Rest.args, **options: Rest.kwargs) -> Result:
        key = (work, args, *sorted(options.items()))
        if key not in ledger.kept:
            ledger.kept[key] = work(ledger, *args, **options)
        result: Result = ledger.kept[key]
        return result

    return looked_up


_LEDGERS: Final[dict[tuple[Identity, int, bool], Ledger]] = {}
"""The ledgers that are kept, the one used last at the end."""


def ledger(tape: Tape, device: int = 0, *, validation: bool = False) -> Ledger:
    """Return the tape's ledger of one virtual GPU, made once.

    One that goes loses what was worked out of it, which refers to it: such circles wait for the collector,
    and over 129 files they came to 200 MB.
    """
    key = (Identity(tape), device, validation)
    kept_ledger = _LEDGERS.pop(key, None) or Ledger(tape, device, validation=validation)
    _LEDGERS[key] = kept_ledger
    events = sum(len(identity.tape.events) for identity, *_ in _LEDGERS)
    while len(_LEDGERS) > LEDGERS or (events > EVENTS and len(_LEDGERS) > READING):
        oldest = next(iter(_LEDGERS))
        events -= len(oldest[0].tape.events)
        _LEDGERS.pop(oldest).kept.clear()
    return kept_ledger


class OpenTapeError(RuntimeError):
    """A tape whose memory grows from step to step: the tracer's fault, and no figure can be had from it."""


def check_closed(tape: Tape) -> None:
    """Raise OpenTapeError unless the second step ends with as much memory as it began with."""
    batch = tape.batches[0] if tape.batches else EVERY_BATCH
    for device in range(tape.devices):
        growth = ledger(tape, device).growth(Samples(batch, batch * tape.devices, batch))
        if growth > SLACK_BYTES:
            raise OpenTapeError(f"the traced step does not close: {growth} bytes more after every step")

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What happens on each virtual GPU of a tape, in order, and where its training and its validation begin."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple, overload

from trainlint.estimate.replay.recalled_columns import recalled
from trainlint.tape import VALIDATION, Event, Op, Size, Tape
from trainlint.tape.events import Blocks, Events
from trainlint.tape.flow import Column, Flow, course, distinct, places, spread

BACKWARD: Final = "backward"
NO_BYTES: Final = Size(0)


class Work(NamedTuple):
    """An operator, where in the program it runs, and whether autograd's own thread runs it."""

    position: int
    op: Op
    backward: bool


class Identity:
    """A tape as a key of the cache: the object itself, since its mappings have no hash."""

    __slots__ = ("tape",)

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    def __hash__(self) -> int:
        return id(self.tape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.tape is self.tape


class Order:
    """When the operators of a GPU run: their positions, rows of the tape's, whether they run backward."""

    def __init__(self, works: Column, backward: bytes) -> None:
        self.positions, self.rows = works[::2], works[1::2]
        self.backward = backward
        self.distinct = tuple(distinct(self.rows))
        self._of: dict[tuple[int, ...], Column] = {}

    def by_row(self, numbers: Mapping[int, int], default: int = -1) -> Column:
        """Return numbers by row of the tape's, as far as these operators' go; `default` for those of none."""
        column = array("i", [default]) * (1 + max(self.distinct, default=-1))
        for row, number in numbers.items():
            column[row] = number
        return column

    def of(self, rows: Iterable[int]) -> Column:
        """Return where among the operators those of some rows are, in order."""
        asked = tuple(rows)
        if asked not in self._of:
            self._of[asked] = places(self.rows, asked)
        return self._of[asked]


class Works(Sequence[Work]):
    """The operators of a GPU in their order; tapes of equal events share that."""

    def __init__(self, ops: Sequence[Op], order: Order) -> None:
        self.order = order
        self.positions, self.rows, self.backward, self.of = (
            order.positions,
            order.rows,
            order.backward,
            order.of,
        )
        self.distinct: Mapping[int, Op] = {row: ops[row] for row in order.distinct}

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Work]:
        ops = map(self.distinct.__getitem__, self.rows)
        new_work: Callable[[tuple[int, Op, bool]], Work] = partial(
            tuple.__new__, Work
        )  # its own is Python, slow
        return map(new_work, zip(self.positions, ops, map(bool, self.backward), strict=True))

    @overload
    def __getitem__(self, index: int) -> Work: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Work]: ...
    def __getitem__(self, index: int | slice) -> Work | Sequence[Work]:
        """Return one operator, or those of a slice."""
        if isinstance(index, slice):
            return [self[index_in_slice] for index_in_slice in range(*index.indices(len(self)))]
        return Work(self.positions[index], self.distinct[self.rows[index]], bool(self.backward[index]))


class Course(NamedTuple):
    """What happens on one virtual GPU: a Ledger's program, operators and marks."""

    program: Column
    ops: Works
    marks: list[tuple[int, str]]


def course_of(tape: Tape, device: int, span: tuple[int, int], before: Sequence[int] = ()) -> Course:
    """Return what happens on a virtual GPU from one event up to another.

    Its program begins with `before`. Blocks that are empty at every batch are left out.
    """
    program, order, marks = _way(_flow(Identity(tape)), span, device, before, tape.marks)
    return Course(program, Works(tape.ops, order), marks)


@recalled
def _way(
    flow: Flow, span: tuple[int, int], device: int, before: Sequence[int], names: Sequence[str]
) -> tuple[Column, Order, list[tuple[int, str]]]:
    program, works, moments = course(flow, span, device, len(before))
    marks, backward, turned = [], bytearray(), b"\0"
    for position, ran, number in zip(moments[::3], moments[1::3], moments[2::3], strict=True):
        marks.append((position, names[number]))
        backward += turned * (ran - len(backward))
        turned = b"\1" if BACKWARD in names[number] else b"\0"
    backward += turned * (len(works) // 2 - len(backward))
    return array("i", before) + program, Order(works, bytes(backward)), marks


@lru_cache(maxsize=2)  # a job's step, and the same with its validation
def _flow(identity: Identity) -> Flow:
    """Return a tape's events as columns, with the virtual GPUs of what they name."""
    tape = identity.tape
    events, blocks = Events.of(tape.events), Blocks.of(tape.blocks)
    sizes, size_of = blocks.sizes
    homes = blocks.devices()
    if NO_BYTES in sizes:
        empty = sizes.index(NO_BYTES)
        homes = array("i", [-1 if size == empty else home for size, home in zip(size_of, homes, strict=True)])
    cards = array("i", [op.device for op in tape.ops])
    return Flow(events.order, events.numbers, spread(homes, blocks.births), cards)


@lru_cache(maxsize=4)  # a job's step, and the same with its validation, on two GPUs
def training_of(identity: Identity, device: int) -> Course:
    """Return the training's two steps, which every ledger of a tape begins with."""
    return course_of(identity.tape, device, (0, validation_at(identity.tape)[0]))


def validation_at(tape: Tape) -> tuple[int, int]:
    """Return where in the events training ends, and where the validation image has taken the batch's place.

    Both are the events' end where no validation was traced. A recipe marks "validation" again when the image
    is handed over: the two batches that live side by side for that moment are less than a training step.
    """
    if VALIDATION not in tape.marks:
        return len(tape.events), len(tape.events)
    mark = (int(Event.MARK), tape.marks.index(VALIDATION))
    events = Events.of(tape.events)
    last = len(events) - 1 - events[::-1].index(mark)
    return events.index(mark), last


def first_mark(tape: Tape, mark: str) -> int:
    """Return where in the events a mark is first; their end where it is not."""
    if mark not in tape.marks:
        return len(tape.events)
    return Events.of(tape.events).index((int(Event.MARK), tape.marks.index(mark)))


def has_validation(tape: Tape) -> bool:
    """Return whether a validation step was traced after the training steps."""
    return VALIDATION in tape.marks


def before_validation(tape: Tape, key: str, step: Mapping[str, Any]) -> Tape:
    """Return the tape of `step`, which has no validation, from that of the same step with one."""
    if not has_validation(tape):
        return replace(tape, key=key, step=dict(step))
    events = tape.events[: validation_at(tape)[0]]
    born, ran = (
        1 + max((index for kind, index in events if kind == named), default=-1)
        for named in (Event.ALLOC, Event.OP)
    )
    marks = tape.marks[: tape.marks.index(VALIDATION)]
    trained = replace(tape, key=key, step=dict(step), events=events, marks=marks)
    return replace(trained, blocks=tape.blocks[:born], ops=tape.ops[:ran])

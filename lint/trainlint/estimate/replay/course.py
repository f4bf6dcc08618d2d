# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What happens on each virtual GPU of a tape, in order, and where its training and its validation begin."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from trainlint.tape import VALIDATION, Event, Op, Size, Tape

BACKWARD: Final = "backward"
NOTHING: Final = Size(0)


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


class Course(NamedTuple):
    """What happens on one virtual GPU: a Ledger's program, operators and marks."""

    program: list[int]
    ops: list[Work]
    marks: list[tuple[int, str]]


def courses(tape: Tape, events: Sequence[tuple[int, int]], before: Sequence[int] = ()) -> Sequence[Course]:
    """Return what happens on each virtual GPU; blocks that are empty at every batch are left out.

    `before` is what a GPU's program begins with. A tape has up to a million events, so that this one loop
    serves all GPUs.
    """
    found = [Course([*before], [], []) for _ in range(tape.devices)]
    nowhere: deque[int] = deque(maxlen=0)
    puts = [
        (nowhere if block.size == NOTHING else found[block.device].program).append for block in tape.blocks
    ]
    alloc, free, ran = (int(kind) for kind in (Event.ALLOC, Event.FREE, Event.OP))
    work: Callable[[tuple[int, Op, bool]], Work] = partial(tuple.__new__, Work)  # its own is Python, and slow
    backward = False
    for kind, index in events:
        if kind == alloc:
            puts[index](index)
        elif kind == free:
            puts[index](~index)
        elif kind == ran:
            op = tape.ops[index]
            course = found[op.device]
            course.ops.append(work((len(course.program), op, backward)))
        else:
            for course in found:
                course.marks.append((len(course.program), tape.marks[index]))
            backward = BACKWARD in tape.marks[index]
    return found


@lru_cache(maxsize=2)  # a job's step, and the same with its validation
def training_of(identity: Identity) -> Sequence[Course]:
    """Return the training's two steps, which every ledger of a tape begins with."""
    tape = identity.tape
    return courses(tape, tape.events[: validation_at(tape)[0]])


def validation_at(tape: Tape) -> tuple[int, int]:
    """Return where in the events training ends, and where the validation image has taken the batch's place.

    Both are the events' end where no validation was traced. A recipe marks "validation" again when the image
    is handed over: the two batches that live side by side for that moment are less than a training step.
    """
    if VALIDATION not in tape.marks:
        return len(tape.events), len(tape.events)
    mark = (int(Event.MARK), tape.marks.index(VALIDATION))
    last = len(tape.events) - 1 - tape.events[::-1].index(mark)
    return first_mark(tape, VALIDATION), last


def first_mark(tape: Tape, mark: str) -> int:
    """Return where in the events a mark is first; their end where it is not."""
    if mark not in tape.marks:
        return len(tape.events)
    return tape.events.index((int(Event.MARK), tape.marks.index(mark)))


def has_validation(tape: Tape) -> bool:
    """Return whether a validation step was traced after the training steps."""
    return VALIDATION in tape.marks


def before_validation(tape: Tape, key: str, step: Mapping[str, Any]) -> Tape:
    """Return the tape of `step`, which has no validation, from that of the same step with one."""
    if not has_validation(tape):
        return replace(tape, key=key, step=dict(step))
    events = tape.events[: validation_at(tape)[0]]
    born = 1 + max(index for kind, index in events if kind == Event.ALLOC)
    marks = tape.marks[: tape.marks.index(VALIDATION)]
    return replace(tape, key=key, step=dict(step), events=events, blocks=tape.blocks[:born], marks=marks)

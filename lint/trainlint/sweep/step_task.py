# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The estimates of a sweep as tasks that any process may do: one step at all of its batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.card import Share
from trainlint.estimate.several_batches import Several, several
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.spec import TrainSpec
from trainlint.model.target import Target
from trainlint.repository.trainer.library_pins import Pin
from trainlint.settings.settings import Settings
from trainlint.tape.crops.crop_side import family_key, side_of
from trainlint.tape.step import step_of

if TYPE_CHECKING:
    from trainlint.repository.trainer.own_classes import Own

Tapes = Callable[..., TapeSource]
"""Makes a source of tapes, given `progress` and `may_trace`; another process makes its own."""
FEW_STEPS: Final = 400
"""Steps that are judged sooner here than another process has started."""


class Task(Struct, frozen=True):
    """A placed spec, whose step is judged at each of these shares of the samples."""

    spec: TrainSpec
    target: Target
    settings: Settings
    shares: tuple[Share, ...]
    known: tuple[tuple[Pin, ...], Own | None]

    def judged(self, tapes: TapeSource) -> Several:
        """Judge it."""
        return several(self.spec, self.target, tapes, self.settings, self.shares, known=self.known)

    @property
    def family(self) -> str:
        """What its step has in common with those at other crops: some are traced, the rest follows."""
        step = step_of(self.spec)
        return family_key(step, 1) if side_of(step) else repr(step)


class Done(Struct, frozen=True):
    """What came of some tasks, in their order; the steps that had to be traced, and their seconds."""

    results: tuple[Several, ...]
    traced: int = 0
    seconds: float = 0.0


class _Clock:
    """Counts what is traced, and how long that takes."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self.traced, self.seconds, self._since, self._progress = 0, 0.0, 0.0, progress

    def __call__(self, text: str) -> None:
        if text:
            self.traced, self._since = self.traced + 1, perf_counter()
        else:
            self.seconds += perf_counter() - self._since
        self._progress(text)


def _silent(_text: str) -> None:
    """Say nothing: another process has no terminal."""


def perform(tasks: Sequence[Task], tapes: Tapes, progress: Callable[[str], None] = _silent) -> Done:
    """Do tasks one after another."""
    clock = _Clock(progress)
    source = tapes(progress=clock)
    results = tuple(
        several(task.spec, task.target, source, task.settings, task.shares, known=task.known)
        for task in tasks
    )
    return Done(results, clock.traced, clock.seconds)


def parts_of(tasks: Sequence[Task], tapes: Tapes, workers: int) -> Iterator[list[int]]:
    """Yield the numbers of tasks that are best done together: crops of one step share what is traced.

    Where all of that is stored they are divided further, so that every worker has some.
    """
    families: dict[str, list[int]] = {}
    for index, task in enumerate(tasks):
        families.setdefault(task.family, []).append(index)
    stored = tapes(progress=_silent, may_trace=False)
    for members in families.values():
        pieces = workers if len(members) > 1 and _is_stored(tasks[members[-1]], stored) else 1
        size = -(-len(members) // pieces)
        yield from (members[start : start + size] for start in range(0, len(members), size))


def _is_stored(task: Task, stored: TapeSource) -> bool:
    try:
        stored.tape(step_of(task.spec), task.shares[-1].batch)
    except CannotTraceError:
        return False
    return True

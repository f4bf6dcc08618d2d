# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where blueprints come from: stored ones, and those that are drawn from a few small traces.

One is drawn where a step of its kind is asked for: that takes less than the step of a whole model, and serves
its other lengths, ranks and sizes, and other models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.crop_source import NoRoomError
from trainlint.estimate.tapes.stored_profiles import Store, speaks_for
from trainlint.tape import EVERY_BATCH, Tape
from trainlint.tape.blueprints.layer_loops import NotRepeatedError
from trainlint.tape.blueprints.model_shape import drawn_from, has_kind, kind_of
from trainlint.tape.blueprints.shape_formulas import NoFormulaError
from trainlint.tape.ddp_buckets import alone, with_buckets
from trainlint.trace.collection import uncollected

if TYPE_CHECKING:
    from trainlint.tape.blueprints.blueprint import Blueprint

Step = Mapping[str, Any]
Stored = TypeVar("Stored")


class Tapes(Protocol):
    """What blueprints are found by: estimate/tapes/tape_source.py's TapeSource."""

    save_to: Store | None

    def can_trace(self) -> bool:
        """Return whether what is not stored can be traced."""

    def stored(self, find: Callable[[Store, bool], Stored | None]) -> list[Stored]:
        """Return what the stores have of a step, the first to be taken."""

    def small(self, step: Step, batch: int, *, alone: int | None = None) -> Tape:
        """Trace a step that a blueprint is drawn from: of several samples at `alone`, if that is given."""

    def recalled(self, tapes: Iterable[Tape]) -> None:
        """Take as much room for edits as to trace these again would take."""


class BlueprintSource:
    """The blueprints of steps, stored or drawn."""

    def __init__(self, tapes: Tapes) -> None:
        self._tapes = tapes
        self._found: dict[tuple[str, int], Blueprint | None] = {}

    def tape(self, step: Step, batch: int) -> Tape | None:
        """Return a step's tape that follows from a blueprint; None where there is none."""
        if (tape := self._of_kind(step, batch)) is not None or self._tapes.can_trace():
            return tape
        own = alone(step)
        tape = None if own is None else self._of_kind(own, batch)
        return None if tape is None else with_buckets(tape, step)

    def _of_kind(self, step: Step, batch: int) -> Tape | None:
        """Return a step's tape by its own kind's blueprint."""
        if not has_kind(step):
            return None
        key = kind_of(step, batch), min(batch, EVERY_BATCH)
        if key not in self._found:
            self._found[key] = self._recalled(step, *key) or self._drawn(step, key[1])
        blueprint = self._found[key]
        try:
            return None if blueprint is None or not speaks_for(blueprint, batch) else blueprint.at(step)
        except NoFormulaError:
            return None

    def _recalled(self, step: Step, kind: str, batch: int) -> Blueprint | None:
        blueprint = self._stored(kind, batch)
        if blueprint is not None:
            with suppress(NoFormulaError):
                self._tapes.recalled(_drawn_into(blueprint, step, batch))
        return blueprint

    def _stored(self, kind: str, batch: int) -> Blueprint | None:
        def find(store: Store, strict: bool) -> Blueprint | None:
            return store.find_blueprint(kind, batch, strict=strict)

        return next(iter(self._tapes.stored(find)), None)

    def _drawn(self, step: Step, batch: int) -> Blueprint | None:
        if not self._tapes.can_trace():
            return None
        try:
            with uncollected():
                made = self._by(*drawn_from(step, batch), batch=batch)
        except NoRoomError:
            raise
        except (NotRepeatedError, NoFormulaError, CannotTraceError):
            return None
        if self._tapes.save_to is not None:
            with suppress(OSError):  # a cache that cannot be written is no reason to stop
                self._tapes.save_to.save_blueprint(made)
        return made

    def _by(self, first: Step, *others: Step, batch: int) -> Blueprint:
        """Draw a blueprint by the first step at every batch, and the others at one where that does."""
        from trainlint.tape.blueprints.batch_parts import NotPartedError, affine  # noqa: PLC0415 - most are stored

        tape = self._tapes.small(first, batch)
        tapes = [self._tapes.small(similar, batch, alone=EVERY_BATCH) for similar in others]
        try:
            return _by_saved([tape, *tapes])
        except (NotPartedError, NoFormulaError):
            if batch < EVERY_BATCH:
                raise
        more = [self._tapes.small(similar, batch, alone=EVERY_BATCH + 1) for similar in others]
        try:
            return _by_saved([tape, *map(affine, tapes, more)])
        except NotPartedError as error:
            raise NotRepeatedError(str(error)) from error


def _by_saved(tapes: Iterable[Tape]) -> Blueprint:
    """Draw a blueprint by tapes, with the files that are saved."""
    from trainlint.tape.blueprints.drawing import drawn  # noqa: PLC0415 - most are stored

    return drawn([replace(tape, files=tape.saved) for tape in tapes])


def _drawn_into(blueprint: Blueprint, step: Step, batch: int) -> Iterator[Tape]:
    """Yield the tapes that a blueprint was drawn from, which are seldom asked for."""
    yield from map(blueprint.at, drawn_from(step, batch))

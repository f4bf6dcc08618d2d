"""Where tapes come from: memory, stored profiles, and at last torch."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

from trainlint.errors import CannotTraceError
from trainlint.estimate.crop_source import CropSource
from trainlint.estimate.known import check_allowed, check_known
from trainlint.estimate.profiles import Store, speaks_for
from trainlint.estimate.replay.ledger import Samples, before_validation, ledger
from trainlint.estimate.step import key_of
from trainlint.tape import Tape
from trainlint.trace.imports import library

Step = Mapping[str, Any]
Trace = Callable[..., Tape]
"""trainlint.trace's `trace(step, *, batches, validation)`, or what does its work elsewhere."""

EVERY_BATCH: Final = 2
"""From here on one tape holds for every batch; a single sample's strides differ for half of all networks."""
SLACK: Final = 2**16
"""Bytes by which a step may grow and still count as closed: counters, log entries."""
NO_TORCH = "no torch and no stored profile of this step: pip install 'trainlint[torch]'"
NO_PROFILE = "no stored profile of this step, and tracing is switched off"


MOST_PATHS: Final = 3
"""Refused profiles that are named; the rest is counted."""


class OpenTapeError(RuntimeError):
    """A tape whose memory grows from step to step: the tracer's fault, and no figure can be had from it."""


def check_closed(tape: Tape) -> None:
    """Raise OpenTapeError unless the second step ends with as much memory as it began with."""
    batch = tape.batches[0] if tape.batches else EVERY_BATCH
    for device in range(tape.devices):
        growth = ledger(tape, device).growth(Samples(batch, batch * tape.devices, batch))
        if growth > SLACK:
            raise OpenTapeError(f"the traced step does not close: {growth} bytes more after every step")


class TapeSource:
    """Finds the tape of a step, or has it traced and keeps it.

    `stores` are looked through in order; what had to be traced is saved to `save_to`. Without `may_trace`
    torch is never started. `progress` is told what is being traced, and "" when it is done. `trace` stands in
    for torch in tests and for the user's own interpreter.
    """

    def __init__(
        self,
        stores: Sequence[Store] = (),
        *,
        save_to: Store | None = None,
        may_trace: bool = True,
        progress: Callable[[str], None] | None = None,
        trace: Trace | None = None,
    ) -> None:
        self.stores = tuple(stores)
        self.save_to = save_to
        self.may_trace = may_trace
        self.progress = progress or (lambda _text: None)
        self.trace = trace
        self._tapes: dict[str, list[Tape]] = {}
        self._failures: dict[tuple[str, int], CannotTraceError] = {}
        self.crops = CropSource(self.tape, self.stores, save_to)

    def tape(self, step: Step, batch: int = EVERY_BATCH) -> Tape:
        """Return the tape of `step` that speaks for `batch` samples per GPU; CannotTraceError says why not.

        A step with "validation" (height and width) has the validation step on its tape.
        """
        key = key_of(step)
        if (key, batch) in self._failures:
            raise self._failures[key, batch]
        found = self._known(key, batch)
        if found is None:
            found = self._stored(key, batch) or self._between(step, batch) or self._traced(step, key, batch)
            self._tapes.setdefault(key, []).append(found)
        return found

    def both(self, step: Step, validated: Step, batch: int = EVERY_BATCH) -> Tape:
        """Return the tape of `step`, cut from the one with its validation where it was not traced before."""
        key = key_of(step)
        if (known := self._known(key, batch)) is not None:
            return known
        found = self._stored(key, batch)
        if found is None:
            with contextlib.suppress(CannotTraceError):
                found = before_validation(self.tape(validated, batch), key, step)
        if found is None:
            return self.tape(step, batch)
        self._tapes.setdefault(key, []).append(found)
        return found

    def used(self) -> tuple[Tape, ...]:
        """Return every tape that was asked for."""
        return tuple(tape for tapes in self._tapes.values() for tape in tapes)

    def refused(self) -> tuple[str, ...]:
        """Say which stored profiles were looked at and not used, a line for each reason.

        The cache (`save_to`) is left out: what is stale there is traced anew and replaced.
        """
        found: dict[str, list[str]] = {}
        for store in self.stores:
            for path, why in store.refused.items() if store is not self.save_to else ():
                found.setdefault(why, []).append(str(path))
        return tuple(f"profile not used, {why}: {_few(paths)}" for why, paths in found.items())

    def _known(self, key: str, batch: int) -> Tape | None:
        tapes = [tape for tape in self._tapes.get(key, ()) if speaks_for(tape, batch)]
        exact = [tape for tape in tapes if tape.batches]
        return next(iter(exact if batch < EVERY_BATCH else tapes), None)

    def _stored(self, key: str, batch: int) -> Tape | None:
        """Look through the stores; without torch one sample has to be content with every batch's tape."""
        found = [tape for store in self.stores if (tape := store.find(key, batch)) is not None]
        if batch < EVERY_BATCH and self._can_trace():
            found = [tape for tape in found if tape.batches]
        return found[0] if found else None

    def _between(self, step: Step, batch: int) -> Tape | None:
        """Work a tape out from those at other crops; where torch is, one sample's only from one sample's."""
        found = self.crops.tape(step, batch, may_trace=self._can_trace())
        exact = found is None or found.batches or batch >= EVERY_BATCH
        return found if exact or not self._can_trace() else None

    def _traced(self, step: Step, key: str, batch: int) -> Tape:
        try:
            trace = self._tracer(step)
            self.progress(f"tracing {step.get('networks.generator.arch', step.get('recipe', 'a step'))}")
            try:
                tape = self._perform(trace, step, batch)
            finally:
                self.progress("")
            check_closed(tape)
        except CannotTraceError as error:
            self._failures[key, batch] = error
            raise
        if self.save_to is not None:
            with contextlib.suppress(OSError):  # a cache that cannot be written is no reason to stop
                self.save_to.save(tape)
        return tape

    def _perform(self, trace: Trace, step: Step, batch: int) -> Tape:
        size = step.get("validation")
        options = {"validation": (int(size[0]), int(size[1]))} if size else {}
        if batch >= EVERY_BATCH:
            tape = trace(step, **options)
            if speaks_for(tape, batch):
                return tape
        return trace(step, batches=(batch,), **options)

    def _can_trace(self) -> bool:
        return self.trace is not None or (self.may_trace and find_spec("torch") is not None)

    def _tracer(self, step: Step) -> Trace:
        if self.trace is not None:
            return self.trace
        check_allowed(step)
        if not self._can_trace():
            check_known(step)
        refused = [
            f"{path.name} was refused: {why}" for store in self.stores for path, why in store.refused.items()
        ]
        if not self.may_trace:
            raise CannotTraceError("; ".join([NO_PROFILE, *refused]))
        library("torch", "; ".join([NO_TORCH, *refused]))
        from trainlint.trace.trace import trace  # noqa: PLC0415 - imports torch

        return trace


def _few(paths: Sequence[str]) -> str:
    """List paths, or the first of many and how many more there are."""
    more = len(paths) - MOST_PATHS
    return ", ".join(paths[:MOST_PATHS]) + (f" and {more} more" if more > 0 else "")

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where tapes come from: memory, stored profiles, and at last torch."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.course import before_validation
from trainlint.estimate.replay.gpu_ledger import check_closed
from trainlint.estimate.tapes.kept_tapes import KeptTapes
from trainlint.estimate.tapes.stored_profiles import Store, speaks_for
from trainlint.estimate.tapes.trace_here import library_of, no_torch, trace_here
from trainlint.tape import EVERY_BATCH, Tape
from trainlint.tape.step import MODEL_CONFIG, built, key_of

if TYPE_CHECKING:
    from trainlint.estimate.tapes.blueprint_source import BlueprintSource
    from trainlint.estimate.tapes.crop_source import CropSource

Step = Mapping[str, Any]
Stored = TypeVar("Stored")


class Room(Protocol):
    """What is left to trace."""

    left: int
    """Events."""


Trace = Callable[..., Tape]
"""trainlint.trace's `trace(step, *, batches, validation)`, or what does its work elsewhere."""
Elsewhere = Callable[..., Tape]
"""Called with what traces here, the step and `Trace`'s options: has it traced there, or here after all."""
Noted = list[tuple[int, str, dict[Path, str]]]
"""Number of the store, `refused` or `doubtful`, and what was noted there."""

NO_PROFILE = "no stored profile of this step, and tracing is switched off"
KEPT_JOBS: Final = 24
"""Jobs whose facts are kept (estimate.py) for where the next is equal: one has up to three readings. So is
their memory, which is the same on all machines with such a card."""
KEYS: Final = 64
"""Steps whose keys are kept: one file's readings and edits have a few, of 3 kB each."""
Recent = deque[tuple[Any, Any, Any]]
"""What was worked out last: of which spec, what else it depends on, and the result."""
MOST_PATHS: Final = 1
"""Refused profiles that are named; the rest is counted."""


class TapeSource:
    """Finds the tape of a step, or has it traced and keeps it.

    `stores` are looked through in order; what had to be traced is saved to `save_to`. Without `may_trace`
    torch is never started. `progress` gets what is being traced, and "" when it is done. `trace` stands in
    for torch in tests and for the user's own interpreter. With `own_code` networks are the user's, whose
    defaults are not known: a step is then taken as it is written.

    Where torch is, a profile of other sources than these is not used. Without it, it is, with a note:
    SEMANTICS is raised whenever a change records another tape, so such a difference is most often one of
    words, and to refuse it would hide what is known.

    `elsewhere`, set afterwards, gets what is traced with this process's torch, and what would trace it here.

    `most`: how many of the tapes that are stored or follow from others are kept, for a run over any number of
    steps; None: all that were asked for. `used` gets each tape that was asked for, as soon as it is there.

    `room`, while edits are tried: the events that may still be traced for them (`within`).
    """

    was_recorded = False
    """Whether its tapes are of the job's own run: then they say what is trained, known by its name or not."""

    def __init__(
        self,
        stores: Sequence[Store] = (),
        *,
        save_to: Store | None = None,
        may_trace: bool = True,
        progress: Callable[[str], None] | None = None,
        trace: Trace | None = None,
        own_code: bool = False,
        most: int | None = None,
        used: Callable[[Tape], object] | None = None,
    ) -> None:
        self.stores = tuple(stores)
        self.save_to = save_to
        self.may_trace = may_trace
        self.progress = progress or (lambda _text: None)
        self.trace = trace
        self.form: Callable[[Step], Step] = dict if own_code else built
        self._kept = KeptTapes(most)
        self.asked: Recent = deque(maxlen=KEPT_JOBS)
        self.remembered: Recent = deque(maxlen=KEPT_JOBS)
        self._failures: dict[tuple[str, int], CannotTraceError] = {}
        self._keys: dict[str, tuple[Step, str]] = {}
        self.on_use = used or (lambda _tape: None)
        self._said: set[tuple[int, str, Path]] = set()
        self.elsewhere: Elsewhere | None = None
        self.room: int | None = None

    @contextlib.contextmanager
    def within(self, room: Room) -> Iterator[None]:
        """Let tracing end with NoRoomError once `room` is used up, which gets what is left."""
        self.room = room.left
        try:
            yield
        finally:
            room.left = room.left if self.room is None else self.room
            self.room = None

    @cached_property
    def crops(self) -> CropSource:
        """The crops of steps: asked for what is stored at no crop of its own."""
        from trainlint.estimate.tapes.crop_source import CropSource  # noqa: PLC0415 - most steps are stored

        return CropSource(self)

    @cached_property
    def blueprints(self) -> BlueprintSource:
        """The blueprints of language models' steps."""
        from trainlint.estimate.tapes.blueprint_source import BlueprintSource  # noqa: PLC0415 - of language models

        return BlueprintSource(self)

    def tape(self, step: Step, batch: int = EVERY_BATCH) -> Tape:
        """Return the tape of `step` that speaks for `batch` samples per GPU; CannotTraceError says why not.

        A step with "validation" (height and width) has the validation step on its tape.
        """
        step, key = self._keyed(step)
        if (key, batch) in self._failures:
            raise _copied(self._failures[key, batch])
        tape = self._kept.get(key, batch)
        if tape is None:
            tape = self._stored(step, key, batch)
            if tape is not None:
                self.recalled((tape,))
            tape = tape or self._of_kind(step, batch) or self._between(step, batch)
            tape = self._keep(key, tape or self._traced(step, key, batch), again=tape is not None)
        return tape

    def has_own(self, step: Step, batch: int, *, shipped: bool = True) -> bool:
        """Return whether a tape of this very step is known or may be stored: it goes before other crops'.

        Without `shipped` those in the wheel do not count: the crops there are what they follow from, too.
        """
        _, key = self._keyed(step)
        known = (key, batch) in self._failures or self._kept.get(key, batch) is not None
        stores = (store for store in self.stores if shipped or store.source != "shipped")
        return known or any(store.has(key, batch) for store in stores)

    def both(self, step: Step, validated: Step, batch: int = EVERY_BATCH) -> Tape:
        """Return the tape of `step`, cut from the one with its validation where it was not traced before."""
        step, key = self._keyed(step)
        if (known := self._kept.get(key, batch)) is not None:
            return known
        tape = self._stored(step, key, batch)
        if tape is None:
            with contextlib.suppress(CannotTraceError):
                tape = before_validation(self.tape(validated, batch), key, step)
        if tape is None:
            return self.tape(step, batch)
        return self._keep(key, tape, again=True)

    def _keyed(self, step: Step) -> tuple[Step, str]:
        """Return a step as it is traced, and its key; an estimate asks for one several times."""
        words = repr(step)  # in which 1 is not 1.0
        if words not in self._keys:
            if len(self._keys) == KEYS:
                self._keys.clear()
            formed = self.form(step)
            self._keys[words] = formed, key_of(formed)
        return self._keys[words]

    def _keep(self, key: str, tape: Tape, *, again: bool) -> Tape:
        self._kept.add(key, tape, again=again)
        self.on_use(tape)
        return tape

    def used(self) -> tuple[Tape, ...]:
        """Return every tape that was asked for."""
        return tuple(self._kept)

    def refused(self) -> tuple[str, ...]:
        """Say which stored profiles were not used, or only for want of torch, a line for each reason.

        What is stale in the cache (`save_to`) is traced again and replaced without a word, as is what is
        shipped.
        """
        paths_by_reason: dict[str, list[str]] = {}
        for store in self.stores:
            own = store.source == "shipped"
            refused = {} if store is self.save_to or (own and self.can_trace()) else store.refused
            for path, why in refused.items():
                paths_by_reason.setdefault(f"profile not used, {why}", []).append(str(path))
            for path, why in store.doubtful.items():
                reason = f"stored profile used, as torch is not installed, though {why}"
                paths_by_reason.setdefault(reason, []).append(str(path))
        return tuple(f"{why}: {_few(paths)}" for why, paths in paths_by_reason.items())

    def noted(self) -> Noted:
        """Return what was noted of stored profiles since this was last asked (`refused` says it)."""
        notes: Noted = []
        for index, store in enumerate(self.stores):
            for kind, why in (("refused", store.refused), ("doubtful", store.doubtful)):
                new = {path: why[path] for path in why if (index, kind, path) not in self._said}
                self._said.update((index, kind, path) for path in new)
                notes += [(index, kind, new)] if new else []
        return notes

    def has_refused(self) -> bool:
        """Say whether stored profiles were refused: a step without one then names them as the reason."""
        return any(store.refused for store in self.stores)

    def note(self, noted: Noted) -> None:
        """Take over what another process noted."""
        for index, kind, why in noted:
            known = getattr(self.stores[index], kind)
            known.update({path: reason for path, reason in why.items() if path not in known})

    def _stored(self, step: Step, key: str, batch: int) -> Tape | None:
        """Look through the stores; without torch one sample has to be content with every batch's tape."""
        tapes = self.stored(lambda store, strict: store.find(key, batch, strict=strict))
        if batch < EVERY_BATCH and self.can_trace(step):
            tapes = [tape for tape in tapes if tape.batches]
        elif batch < EVERY_BATCH and tapes and not tapes[0].batches:
            self._kept.note_no_single(key)  # it is known by then that there is none of one sample
        return tapes[0] if tapes else None

    def stored(self, find: Callable[[Store, bool], Stored | None]) -> list[Stored]:
        """Return what the stores have of a step: what is outdated without torch, and where none is newer."""
        for strict in (True, False):
            stored = [entry for store in self.stores if (entry := find(store, strict)) is not None]
            if stored or self.can_trace() or not any(store.refused for store in self.stores):
                return stored
        return []

    def _between(self, step: Step, batch: int) -> Tape | None:
        """Work a tape out from those at other crops; where torch is, one sample's only from one sample's."""
        able = self.can_trace(step)
        tape = self.crops.tape(step, batch, may_trace=able)
        exact = tape is None or tape.batches or batch >= EVERY_BATCH
        return tape if exact or not able else None

    def _of_kind(self, step: Step, batch: int) -> Tape | None:
        """Return the tape that follows from the blueprint of a language model's step."""
        return self.blueprints.tape(step, batch) if MODEL_CONFIG in step and self.trace is None else None

    def small(self, step: Step, batch: int, *, alone: int | None = None) -> Tape:
        """Trace a step that a blueprint is drawn from, which is checked by its other steps and not kept.

        Where one tape would speak for every batch, it is traced at `alone` if that is given.
        """
        self._check_room()
        self.progress("tracing a few layers")
        try:
            single = batch if batch < EVERY_BATCH else alone
            batches = {} if single is None else {"batches": (single,)}
            tape = self._tracer(step)(step, verify=False, **batches)
        finally:
            self.progress("")
        self._take_room(tape)
        return tape

    def recalled(self, tapes: Iterable[Tape]) -> None:
        """Take as much room for tapes that an earlier run traced and kept: its answer is to be this one's."""
        if self.room is None or not self.can_trace():
            return
        for tape in tapes:
            if tape.source == "cache":
                self._check_room()
                self._take_room(tape)

    def _take_room(self, tape: Tape) -> None:
        if self.room is not None:
            self.room -= len(tape.events)

    def _check_room(self) -> None:
        if self.room is not None and self.room <= 0:
            from trainlint.estimate.tapes.crop_source import NoRoomError  # noqa: PLC0415 - most steps are stored

            raise NoRoomError

    def _traced(self, step: Step, key: str, batch: int) -> Tape:
        self._check_room()
        try:
            trace = self._tracer(step)
            tokens = f" of {step['sequence.length']:,} tokens" if "sequence.length" in step else ""
            what = step.get("networks.generator.arch", step.get("recipe", "a step"))
            self.progress(f"tracing {what}{tokens}")
            try:
                tape = self._perform(trace, step, batch)
            finally:
                self.progress("")
            check_closed(tape)
        except CannotTraceError as error:
            self._failures[key, batch] = _copied(error)  # without the frames that it came through
            raise
        self._take_room(tape)
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

    def can_trace(self, step: Step | None = None) -> bool:
        """Return whether what is not stored can be traced; of a step, whether its library is here as well."""
        if self.trace is not None:
            return True
        library = library_of(step) if step is not None else None
        return self.may_trace and all(find_spec(name) for name in ("torch", library) if name)

    def _tracer(self, step: Step) -> Trace:
        if self.trace is not None:
            return self.trace
        from trainlint.estimate.tapes.untraceable import (  # noqa: PLC0415 - not for what is stored
            check_allowed,
            check_countable,
            check_exists,
            check_known,
        )

        check_known(step)
        check_allowed(step)
        check_countable(step)
        if not self.can_trace(step):
            check_exists(step)
        refused = [
            f"{path.name} was refused: {why}" for store in self.stores for path, why in store.refused.items()
        ]
        if not self.may_trace:
            raise CannotTraceError("; ".join([NO_PROFILE, *refused]))
        here = partial(trace_here, "; ".join([no_torch(step), *refused]))
        return here if self.elsewhere is None else partial(self.elsewhere, here)


def _copied(error: CannotTraceError) -> CannotTraceError:
    """Return the same error without its frames, whatever its class is made from."""
    copied = type(error).__new__(type(error), *error.args)
    vars(copied).update(vars(error))
    return copied


def _few(paths: Sequence[str]) -> str:
    """List paths, or the first of many and how many more there are."""
    more = len(paths) - MOST_PATHS
    return ", ".join(paths[:MOST_PATHS]) + (f" and {more} more" if more > 0 else "")

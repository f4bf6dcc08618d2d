# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A document on its way to jobs: recognized, normalised, and placed on a target in every reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from trainlint.environment import environment_for
from trainlint.errors import UnreadableError
from trainlint.hardware import Target
from trainlint.job import Job
from trainlint.lean import dataclass
from trainlint.normalise import Dialect, held_to_its_loader, normalise, recognise, trainer_of
from trainlint.normalise.commands import Checkout
from trainlint.read import load_source, read
from trainlint.read.document import Document
from trainlint.readings import Wishes, on_target, readings
from trainlint.start import Start
from trainlint.trainer import Named, Trainer


def _no_wishes(_path: str) -> Wishes:
    return Wishes()


@dataclass(frozen=True, kw_only=True)
class Intake:
    """What turns a document into jobs, and places them on a target."""

    dialects: tuple[Dialect, ...]
    trainer: Named | None = None
    repo: Path | None = None
    """Where the user says that the trainer's source lies."""
    wishes: Callable[[str], Wishes] = _no_wishes
    """What the user says of the questions that a file leaves open, by its path."""
    checkout: Checkout | None = None
    """Where the commands are looked for that start an option file; None: nowhere."""

    def jobs(
        self, document: Document, starts: Sequence[Start | None] | None = None, *, of: Job | None = None
    ) -> tuple[Job, ...]:
        """Return a document's jobs, one for each way to read it; none in an unknown dialect.

        `starts` are the commands to judge it under, in place of those that the checkout has for it. `of` is
        the job of the document before it was edited: what lies around its file is looked for once.
        """
        dialect = recognise(document, self.dialects, prefer=self.trainer.id if self.trainer else None)
        if dialect is None:
            return self._script(document)
        trainer = self._known_trainer(document, dialect, of)
        if trainer is None:
            trainer = trainer_of(document, dialect, self.trainer, self.repo)
        held_to_its_loader(document, dialect, trainer)
        known = self._starts(document, dialect) if starts is None else starts
        return tuple(
            job for start in known or (None,) for job in normalise(document, dialect, trainer, start)
        )

    @staticmethod
    def _known_trainer(document: Document, dialect: Dialect, of: Job | None) -> Trainer | None:
        """Return the trainer that was identified for a job, where an edited document has the same."""
        if of is None or of.dialect is not dialect:
            return None
        files = [(one.source.path, one.meta.get("script")) for one in (document, of.document)]
        return of.trainer if files[0] == files[1] else None

    def _script(self, document: Document) -> tuple[Job, ...]:
        """Return the job of a script that no dialect knows, where its own parser says what it takes."""
        from trainlint.normalise.script import script_dialect, unknown_step  # noqa: PLC0415 - seldom one

        dialect = script_dialect(document, self.repo)
        if dialect is None:
            return ()
        jobs = normalise(document, dialect, trainer_of(document, dialect, self.trainer, self.repo))
        return tuple(replace(job, own=unknown_step(document)) for job in jobs)

    def _starts(self, document: Document, dialect: Dialect) -> tuple[Start, ...]:
        """Return the commands in the checkout that start a document's job, unless the user says how it is."""
        path = document.source.path
        if self.checkout is None or dialect.launching is None or document.meta.get("fragment"):
            return ()
        return () if self.wishes(path).launcher is not None else self.checkout.starts(path)

    def started(self, start: Start, path: str) -> Iterator[tuple[Job, ...]]:
        """Yield the jobs of an option file under the command that names it; none where it cannot be read."""
        with suppress(UnreadableError):
            for document in read(load_source(path)):
                if document.broken is None:
                    yield self.jobs(document, (Checkout.paired(start, path),))

    def readings(self, jobs: Sequence[Job], target: Target | None) -> tuple[Job, ...]:
        """Place one document's jobs on a target, in every reading that its text and the user leave open."""
        path = jobs[0].document.source.path
        wishes = self.wishes(path)
        if target is not None and (eager := environment_for(jobs[0].document).eager_torch):
            target = replace(target, eager=eager)
        return readings(jobs, on_target(target, wishes), wishes)

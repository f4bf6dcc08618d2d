# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From a document to its jobs: recognized, and normalised under each command that starts it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.dialects import Dialect, held_to_its_loader, normalise, recognise, trainer_of
from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError
from trainlint.files.text_source import load_source
from trainlint.model.document import COMMAND, Document
from trainlint.model.job import Job
from trainlint.model.start import Start
from trainlint.model.trainer import Named, Trainer
from trainlint.pipeline.checkout_commands import Checkout
from trainlint.pipeline.placer import Wishes, no_wishes

NAMES_MODEL: Final = "model_name_or_path"
"""What a file of arguments of transformers' own parser has, whatever else."""


class JobReader(Struct, frozen=True, kw_only=True):
    """What turns a document into jobs."""

    dialects: tuple[Dialect, ...]
    trainer: Named | None = None
    repo: Path | None = None
    """Where the user says that the trainer's source lies."""
    python: Path | None = None
    """The interpreter that the user trains with, which may have the trainer installed."""
    wishes: Callable[[str], Wishes] = no_wishes
    """What the user says of a file's launcher and the like, by its path."""
    checkout: Checkout | None = None
    """Where the commands are looked for that start an option file; None: nowhere."""

    def jobs(
        self, document: Document, starts: Sequence[Start | None] | None = None, *, of: Sequence[Job] = ()
    ) -> tuple[Job, ...]:
        """Return a document's jobs, one for each way to read it; none in an unknown dialect.

        `starts` are the commands to judge it under, in place of those that the checkout has for it. `of` are
        the jobs of the document before it was edited: what lies around its file is looked for once.
        """
        named = self.trainer.id if self.trainer else None
        dialect = recognise(document, self.dialects, prefer=named)
        if dialect is None:
            from trainlint.dialects.extract.sparse_commands import sparse_dialect  # noqa: PLC0415 - of what is not claimed

            dialect = sparse_dialect(document, self.dialects, named, self.repo)
        dialect = dialect or self._as_started(document, starts)
        if dialect is not None and not dialect.trainer.forks and self._is_another(document, dialect):
            dialect = None
        if dialect is None:
            return self._script(document)
        known = self._starts(document, dialect) if starts is None else starts
        jobs = self._normalised(document, dialect, known or (None,), of)
        if (
            starts is None and known and any(job.unknown for job in jobs)
        ):  # which says nothing of the file by itself
            return (*jobs, *self._normalised(document, dialect, (None,), of))
        return jobs

    def _normalised(
        self, document: Document, dialect: Dialect, starts: Sequence[Start | None], of: Sequence[Job]
    ) -> tuple[Job, ...]:
        runs = self._runs(document, dialect, starts, of)
        return tuple(job for start, trainer in runs for job in normalise(document, dialect, trainer, start))

    def _runs(
        self, document: Document, dialect: Dialect, starts: Sequence[Start | None], of: Sequence[Job]
    ) -> list[tuple[Start | None, Trainer]]:
        """Return the starts that are not the same run of the same trainer, with the trainer of each.

        Raises UnreadableError where none of these trainers' loaders can read the document.
        """
        by_effect: dict[tuple[object, ...], tuple[Start | None, Trainer]] = {}
        refused: list[UnreadableError] = []
        for start in starts:
            trainer = self._trainer(document, dialect, start, of)
            try:
                held_to_its_loader(document, dialect, trainer)
            except UnreadableError as error:
                refused.append(error)
            else:
                by_effect.setdefault((start and start.effect, trainer), (start, trainer))
        if refused and not by_effect:
            raise refused[0]
        return list(by_effect.values())

    def _trainer(
        self, document: Document, dialect: Dialect, start: Start | None, of: Sequence[Job]
    ) -> Trainer:
        """Return the trainer of a document under a start; an edit's is that of its job in `of`."""
        file = document.source.path, document.meta.get("script")
        for job in of:
            same = file == (job.document.source.path, job.document.meta.get("script"))
            if same and job.dialect is dialect and job.start == start and job.trainer is not None:
                return job.trainer
        if start is None and self._launched(document):  # which says nothing of the script
            named = self._named(document, dialect)
            start = named[0] if len({start_named.runs for start_named in named}) == 1 else None
        trainer = trainer_of(document, dialect, self.trainer, self.repo, start)
        if self.python is None or trainer.named or trainer.source is not None:
            return trainer
        from trainlint.repository.trainer.installed_trainer import held_to, installed_trainer  # noqa: PLC0415 - with --python alone

        installed = installed_trainer(self.python, dialect.trainer)
        if installed is None:
            return trainer
        if installed.checkout is not None and trainer.root is None:
            return trainer_of(document, dialect, self.trainer, installed.checkout, start)
        return held_to(trainer, installed, document.source.path)

    def _is_another(self, document: Document, dialect: Dialect) -> bool:
        """Return whether a command's script is there, and another than the one that has its name."""
        from trainlint.dialects.check.own_parser import parser_around  # noqa: PLC0415 - of scripts without forks alone

        parser = parser_around(document, self.repo)
        flags = {flag["dest"] for flag in parser["flags"]} if parser is not None else set()
        return len(flags & dialect.schema["properties"].keys()) * 2 < len(flags)

    def _script(self, document: Document) -> tuple[Job, ...]:
        """Return the job of a script that no dialect knows, where its own parser says what it takes."""
        from trainlint.dialects.extract.unknown_script import script_dialect, unknown_step  # noqa: PLC0415 - seldom one

        dialect = script_dialect(document, self.repo)
        if dialect is None:
            return ()
        jobs = normalise(document, dialect, trainer_of(document, dialect, self.trainer, self.repo))
        return tuple(replace(job, own=unknown_step(document)) for job in jobs)

    def _starts(self, document: Document, dialect: Dialect) -> tuple[Start, ...]:
        """Return the commands in the checkout that start a document's job, unless the user says how it is."""
        return () if self._launched(document) else self._named(document, dialect)

    def _as_started(self, document: Document, starts: Sequence[Start | None] | None) -> Dialect | None:
        """Return the dialect of a file of arguments whose keys nobody knows: `trl sft` says it."""
        if not isinstance(document.value, Mapping) or NAMES_MODEL not in document.value:
            return None
        if document.format == COMMAND or document.meta.get("fragment"):
            return None
        looked = self.checkout.starts(document.source.path) if self.checkout and starts is None else ()
        scripts = {start.script for start in (looked if starts is None else starts) if start is not None}
        own = [
            dialect
            for dialect in self.dialects
            if document.format in dialect.formats
            and scripts
            and all(" " in script and script in dialect.recognition.scripts for script in scripts)
        ]
        return own[0] if len(own) == 1 else None

    def _launched(self, document: Document) -> bool:
        return self.wishes(document.source.path).launcher is not None

    def _named(self, document: Document, dialect: Dialect) -> tuple[Start, ...]:
        if self.checkout is None or dialect.launching is None or document.meta.get("fragment"):
            return ()
        return self.checkout.starts(document.source.path)

    def started(self, start: Start, path: str) -> Iterator[tuple[Job, ...]]:
        """Yield the jobs of an option file under the command that names it; none where it cannot be read."""
        with suppress(UnreadableError):
            for document in read(load_source(path)):
                if document.broken is None:
                    yield self.jobs(document, (start,))

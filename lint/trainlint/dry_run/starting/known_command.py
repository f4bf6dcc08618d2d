# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The command that trains a config, as its dialect knows it: `trainlint dry-run CONFIG`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from trainlint.commands.launch import in_container
from trainlint.commands.shell.shell_raw import Word
from trainlint.commands.training_command import environment_of
from trainlint.dialects.extract.recognise import scope_of
from trainlint.dialects.schema.dialect import TrainingCommand
from trainlint.dialects.schema.document_expression import evaluate
from trainlint.documents.file_format import read
from trainlint.errors import UsageError
from trainlint.files.enclosing_folders import folders_above
from trainlint.files.safe_open import is_file
from trainlint.files.text_source import load_source
from trainlint.model.document import Document
from trainlint.model.job import Job
from trainlint.model.trainer import Trainer
from trainlint.pipeline.not_judged import why_unknown
from trainlint.pipeline.pipeline import Pipeline


def command_for(config: str, pipeline: Pipeline) -> tuple[tuple[str, ...], Path]:
    """Return the command for a config and its folder; UsageError that says what to do without one.

    What the dialect knows of the trainer is run; a command that the repository's pages have is only named.
    """
    documents = read(load_source(config))
    job = next((jobs[0] for document in documents if (jobs := pipeline.jobs(document))), None)
    if job is None:
        raise UsageError(
            f"{config}: {why_unknown(documents)}, or name the command: trainlint dry-run -- COMMAND"
        )
    command = next(_commands(job, config), None)
    if command is not None:
        return command
    raise UsageError(f"{config}: {unknown_command(job)}")


def unknown_command(job: Job) -> str:
    """Say that it is not known which script trains a config, and which one its repository's pages name."""
    start = job.start
    if start is not None:
        said = (
            f"{start.place} has a command for it, which is yours to start: trainlint dry-run -- {start.text}"
        )
    else:
        said = "name the command: trainlint dry-run -- python train.py ..."
    return f"no training script of {job.dialect.title} lies around it; {said}"


def _commands(job: Job, config: str) -> Iterator[tuple[tuple[str, ...], Path]]:
    """Yield the commands whose script lies around a config, its own folder first; last, installed ones.

    A trainer that builds on a published one has its script under its own package's name.
    """
    root = job.trainer.root if job.trainer is not None else None
    scope = scope_of(job.document)
    meant = [
        known for known in job.dialect.commands if known.when is None or evaluate(known.when, scope) is True
    ]
    for folder in [*([root] if root is not None else []), *folders_above(config)]:
        for known in meant:
            if is_file(folder / known.script):
                yield (*_started(known.script), *_words(known, config, Path(folder))), Path(folder)
    folder = Path(root or os.curdir)
    for known in meant:
        if (script := _of_trainer(job.trainer, os.path.basename(known.script))) is not None:
            yield (*_started(script), *_words(known, config, folder)), folder
    for known in meant:
        if known.is_installed:
            yield (known.script, *_words(known, config, folder)), folder


def _started(script: str) -> tuple[str, ...]:
    """Return the words that start a script from the root of its repository.

    One in a package imports that, which is installed or on Python's path: its own, if the user sets none.
    """
    around = os.path.dirname(script) and not os.environ.get("PYTHONPATH")
    return (*(("env", "PYTHONPATH=.") if around else ()), "python", script)


def _of_trainer(trainer: Trainer | None, name: str) -> str | None:
    """Return the script of this name that starts a trainer, or that its package has, from its root on."""
    if trainer is None or trainer.root is None:
        return None
    if trainer.path is not None and os.path.basename(trainer.path) == name:
        return os.path.relpath(trainer.path, trainer.root)
    script = os.path.join(trainer.package, name)
    return script if trainer.package and is_file(trainer.root / script) else None


def _words(known: TrainingCommand, config: str, folder: Path) -> list[str]:
    path = os.path.relpath(config, folder)
    return [word.replace("{config}", path) for word in shlex.split(known.words)]


def dry_run_of(job: Job, targets: Sequence[str] = ()) -> str | None:
    """Return the dry-run command that would say what a job needs, on the machine that it is placed on.

    `targets` are those of a job that is not placed yet. None where no command is known.
    """
    document = job.document
    if job.placing is not None and job.placing.target is not None:
        targets = (job.placing.target.name,)
    on = "".join(f" -t {target}" for target in targets)
    if document.format == "command":
        return f"{_there(job)}trainlint dry-run --store{on} -- {in_container(typed(document))}"
    if next(_commands(job, document.source.path), None) is not None:
        return f"trainlint dry-run --store{on} {document.source.path}"
    if job.start is not None:
        return f"trainlint dry-run --store{on} -- {job.start.text}"
    return None


def typed(document: Document) -> str:
    """Return a command as one would type it: with the values that its script gives to variables.

    What only a run knows is as it is written. Of variables that were exported before it those are in front
    that its words do not have already.
    """
    parsed = document.meta["parsed"]
    text = parsed.excerpt.text
    words = {
        (start, end): _word(text[start:end], list(same))
        for (start, end), same in groupby(parsed.command.words, key=lambda word: (word.start, word.end))
    }
    given = (f"{name}={shlex.quote(value)}" for name, value in environment_of(document).items())
    return " ".join([*given, *words.values()])


def _word(written: str, words: Sequence[Word]) -> str:
    if "$" not in written or not all(word.resolved for word in words):
        return written
    return " ".join(shlex.quote(word.text) for word in words)


def _there(job: Job) -> str:
    """Return the `cd` to the folder that a command's script is named from, where that is another one."""
    script, trainer = job.document.meta["script"], job.trainer
    path = str(trainer.path) if trainer is not None and trainer.path is not None else ""
    if not script or is_file(script) or not path.endswith(f"/{script}"):
        return ""
    return f"cd {shlex.quote(os.path.relpath(path.removesuffix(f'/{script}')))} && "

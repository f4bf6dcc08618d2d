# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Results for what is not judged: files that cannot be read, and those that no dialect knows."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainlint.documents.file_format import is_option_file
from trainlint.errors import (
    BinaryFileError,
    EncodingError,
    LinkedOutError,
    TemplateError,
    TooLargeError,
    UnreadableError,
)
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import MOST_PAGE_JOBS
from trainlint.files.safe_open import failures, note_failure
from trainlint.model.document import Document, Source, Span
from trainlint.model.finding import Finding, Level, Outcome, Skip
from trainlint.model.result import Result

if TYPE_CHECKING:
    from trainlint.dialects import Dialect

UNREADABLE_RULE = "unreadable"
UNKNOWN_DIALECT_RULE = "unknown-dialect"
"""Names under which a result says what no rule said."""

NO_JOB = "no training command or config in it"
DESCRIBE_HINT = (
    "lint the config that starts the run, try the program (trainlint dry-run -- COMMAND), or describe the "
    "run in a job.yml (trainlint init NETWORK.py)"
)
"""What to do about a job that no dialect knows."""

READ_HINT = "trainlint {} reads the trainer that it calls, on one process"
"""What to do about a program that is read by itself."""

TRAINER_HINT = 'if it is {}, say so with "--trainer {}"; else '
"""What to do about a script that has the name of one that is known."""

_IS_PLACEHOLDER = later(r"[{}<>\[\]*$]|\.\.\.")
"""A script's name that a reader fills in."""

MOST_LINES = 5
"""Lines named of a script that comes again and again."""


def unreadable(source: Source, error: UnreadableError, *, named: bool) -> Iterator[Result]:
    """Say why a file could not be read; what is merely no config is only counted when met in a folder."""
    if isinstance(error, TemplateError):
        if named:
            yield skipped(source, str(error))
    elif isinstance(error, LinkedOutError) and not named:  # a cache's blobs, as huggingface_hub lays them out
        yield skipped(source, str(error))
    elif isinstance(error, BinaryFileError) and not named and not is_option_file(source.path):
        return  # any program's
    elif isinstance(error, EncodingError) and not named and not is_option_file(source.path):
        from trainlint.commands.is_training import may_train  # noqa: PLC0415 - of such a file alone

        if may_train(error.text):  # a shell, pip and who reads a page may well read it
            yield skipped(source, str(error))
    elif named or not isinstance(error, TooLargeError):
        start = source.offset(error.line or 1, error.column or 1)
        finding = Finding(UNREADABLE_RULE, Level.FAIL, str(error), (Span(start, start),))
        yield Result(source.path, source, Outcome.UNREADABLE, line=error.line or 1, findings=(finding,))


def check_all_read(error: OSError | None = None) -> None:
    """Raise UnreadableError where files around a config could not be read: they may change any verdict.

    `error` is of a look that nothing has caught.
    """
    if error is not None and error.filename is not None:
        note_failure(error.filename, error, used=True)
    files = failures(forget=True)
    if not files:
        return
    from trainlint.dialects.forgetting import forget  # noqa: PLC0415 - hardly ever

    forget()
    named = ", ".join(f'"{path}" ({reason})' for path, reason in files[:MOST_LINES])
    raise UnreadableError(f"not judged: {named} around it could not be read")


def unknown_scripts(documents: Iterable[Document], dialects: Sequence[Dialect]) -> Iterator[Result]:
    """Yield a result for each script that no dialect knows, at its first command; the others are counted."""
    for script, (first, *others) in _by_script(documents).items():
        from trainlint.dialects.extract.sparse_commands import may_be  # noqa: PLC0415 - of what is unknown alone

        perhaps = may_be(first, dialects)
        hint = TRAINER_HINT.format(perhaps.title, perhaps.id) if perhaps is not None else ""
        read = _read_by_itself(first, script)
        rest = READ_HINT.format(read) if read is not None else f"{hint}{DESCRIBE_HINT}"
        what = f'trainlint does not know "{script}"{_again(others)}; {rest}'
        skip = Skip(UNKNOWN_DIALECT_RULE, what)
        yield replace(
            skipped(first.source, ""),
            line=first.line,
            document=first.index,
            cell=first.cell,
            origin=replace(first, notes=()),
            skips=(skip,),
        )


def _read_by_itself(document: Document, script: str) -> str | None:
    """Return the path of a script that calls a trainer, which is read where it is named; None of another."""
    from trainlint.commands.shell.working_folder import run_folders  # noqa: PLC0415 - of what is unknown alone
    from trainlint.documents.discover import makes_trainer  # noqa: PLC0415 - as above

    file = next(filter(None, (folder.file(script) for folder in run_folders(document))), None)
    return os.path.relpath(file) if file is not None and makes_trainer(str(file)) else None


def unknown_programs(documents: Iterable[Document]) -> Iterator[Result]:
    """Yield what a report counts of the scripts in a folder's file that no dialect knows."""
    for script, (first, *_) in _by_script(documents).items():
        if not _IS_PLACEHOLDER.search(script):
            yield replace(skipped(first.source, ""), line=first.line, program=script)


def _by_script(documents: Iterable[Document]) -> dict[str, list[Document]]:
    commands: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        if document.broken is None and document.meta.get("script"):
            commands[document.meta["script"]].append(document)
    return commands


def _again(others: Sequence[Document]) -> str:
    """Say how often a script comes again, and where."""
    if not others:
        return ""
    lines = ", ".join(str(document.line) for document in others[:MOST_LINES])
    more = f" and {len(others) - MOST_LINES} more" if len(others) > MOST_LINES else ""
    plural = "s" if len(others) > 1 else ""
    return f" ({len(others) + 1} commands, the other{plural} on line{plural} {lines}{more})"


def too_many(left: int) -> str:
    """Say that the rest of a file is not judged."""
    rest = f"the {left:,} commands and configs" if left > 1 else "the command or config"
    return f"{MOST_PAGE_JOBS} training jobs of this file are judged, {rest} from here on not: split the file"


def unknown(source: Source, documents: Sequence[Document]) -> Result:
    """Return the result of a file in which no dialect knows anything, with what reading it has noted."""
    notes = dict.fromkeys(note for document in documents for note in document.notes)
    return skipped(source, "; ".join([why_unknown(documents, source.text), *notes]))


def why_unknown(documents: Sequence[Document], text: str = "") -> str:
    """Say that no dialect knows a file's documents, what they look like, and what to do about it.

    Without a document it is prose: its `text` may name a training.
    """
    from trainlint.dialects.check.unsupported_families import family_of  # noqa: PLC0415 - of what is unknown alone

    family = next(filter(None, (family_of(document.value) for document in documents)), None)
    if family:
        what = (
            f"this looks like a config of {family}, which is not supported (trainlint dialects lists what is)"
        )
    else:
        what = "not a config of a trainer that trainlint knows" if documents else NO_JOB
    from trainlint.pipeline.named_trainers import start_from  # noqa: PLC0415 - of what is unknown alone

    hint = ("" if documents else start_from(text)) or DESCRIBE_HINT
    return f"{what}; {hint}{', see docs/native.md' if family else ''}"


def skipped(source: Source, reason: str) -> Result:
    """Return the result of a file that is not judged, with the reason."""
    skip = Skip(UNKNOWN_DIALECT_RULE, reason)
    return Result(source.path, source, Outcome.SKIPPED, skips=(skip,), undecided=True)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The training commands of a script that a command calls, as it is called: `dist_train.sh 4 options/x4.yml`.

The script is looked for from the calling file's folder upwards, inside its repository, through no link; its
text is read with `$1`, `$@` and the like filled in. Every value of such a command is where the call does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trainlint.commands.is_training import may_train
from trainlint.commands.launch import script_call
from trainlint.commands.shell.shell import Command, Shell, Word
from trainlint.commands.shell.shell_flavours import POSIX
from trainlint.commands.shell.working_folder import folders_from
from trainlint.commands.training_command import command_document
from trainlint.config.extracted_text import Excerpt
from trainlint.errors import UnreadableError
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.model.document import Document, Source, Span

DEEPEST: Final = 3
"""Scripts that call each other; published ones go one deep."""

LARGEST: Final = 65536
"""Bytes of a called script; published ones have some hundred."""


class _CalledScript(Excerpt, frozen=True):
    """A called script's text; all of it is at `at` in the file that calls it."""

    at: Span = Span(0, 0)

    def span(self, start: int, end: int) -> Span:  # noqa: ARG002 - wherever it is in the script
        return self.at


def called_commands(excerpt: Excerpt, command: Command, **changes: Any) -> Iterator[Document]:
    """Yield the training commands of the script that a command calls; `changes` are fields of theirs."""
    yield from _commands(excerpt, command, changes, DEEPEST)


def _commands(excerpt: Excerpt, command: Command, changes: dict[str, Any], deep: int) -> Iterator[Document]:
    call = script_call(command.words) if deep and not command.broken else None
    script = _script(excerpt, command.folder, call[0]) if call else None
    if call is None or script is None or not may_train(script.text):
        return
    span = excerpt.span(command.start, command.end)
    called = _CalledScript(
        excerpt.source, script.text, [span.start] * (len(script.text) + 1), script.path, span
    )
    given = None if command.partial else _given(call[1])
    shell = Shell(POSIX, arguments=given, folder=command.folder)
    try:
        for inner in shell.commands(script.text):
            document = command_document(called, inner, **changes)
            if document is not None:
                yield document
            else:
                yield from _commands(called, inner, changes, deep - 1)
    except UnreadableError:  # more words than anyone writes
        return


def _given(words: Sequence[Word]) -> list[str | None]:
    return [word.text if word.resolved else None for word in words]


def _script(excerpt: Excerpt, changed: str | None, word: Word) -> Source | None:
    """Return the script that a word names; None where it is not there, too large, or no text."""
    if not word.resolved or word.text.startswith(("/", "~")):
        return None
    started = folders_from(excerpt.source.path, changed) if changed else ()
    for folder in (*started, *folders_from(excerpt.called or excerpt.source.path)):
        path = folder.file(word.text)
        if path is not None:
            try:
                return source_of(regular_bytes(str(path), LARGEST), str(path))
            except UnreadableError:
                return None
    return None

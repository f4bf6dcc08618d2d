# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The training commands in what a command runs: a script that it calls (`dist_train.sh 4 x4.yml`), a text.

The script is looked for from the calling file's folder upwards, inside its repository, through no link; its
text is read with `$1`, `$@` and the like filled in. Every value of such a command is where the call does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from trainlint.commands.is_training import may_train
from trainlint.commands.launch import TIMM_LAUNCHER, base_name, script_call
from trainlint.commands.nested_commands import GivenText, given_commands, given_texts
from trainlint.commands.shell.shell import Command, Shell
from trainlint.commands.shell.shell_flavours import POSIX
from trainlint.commands.shell.shell_raw import Word
from trainlint.commands.shell.working_folder import folders_from
from trainlint.commands.training_command import command_document
from trainlint.config.extracted_text import Excerpt
from trainlint.errors import UnreadableError
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.model.document import Document, Source, Span

Arguments = list[str | None] | None

MOST_NESTED_SCRIPTS: Final = 3
"""Scripts and texts that run each other; published ones go one deep."""

MOST_SCRIPT_BYTES: Final = 65536
"""Bytes of a called script; published ones have some hundred."""


class _CalledScript(Excerpt, frozen=True):
    """A called script's text; all of it is at `place` in the file that calls it."""

    place: Span = Span(0, 0)

    def span(self, start: int, end: int) -> Span:  # noqa: ARG002 - wherever it is in the script
        return self.place


def training_commands(excerpt: Excerpt, command: Command, **changes: Any) -> Iterator[Document]:
    """Yield a command that trains, or those in what it runs; `changes` are fields of theirs."""
    yield from _trained(excerpt, command, changes, MOST_NESTED_SCRIPTS + 1)


def _commands(excerpt: Excerpt, command: Command, changes: dict[str, Any], deep: int) -> Iterator[Document]:
    if not deep or command.broken:
        return
    for given in given_commands(command):
        yield from _trained(excerpt, given, changes, deep)
    for text, arguments in _texts(excerpt, command):
        if may_train(text.text):
            shell = Shell(POSIX, arguments=arguments, folder=command.folder, edits=command.edits)
            shell.variables.env.update(command.env)
            yield from _of(text, shell, changes, deep)


def _of(excerpt: Excerpt, shell: Shell, changes: dict[str, Any], deep: int) -> Iterator[Document]:
    with suppress(UnreadableError):  # more words than anyone writes
        for command in shell.commands(excerpt.text):
            yield from _trained(excerpt, command, changes, deep)


def _trained(excerpt: Excerpt, command: Command, changes: dict[str, Any], deep: int) -> Iterator[Document]:
    document = None if _brings_launcher(excerpt, command) else command_document(excerpt, command, **changes)
    if document is not None:
        yield document
    else:
        yield from _commands(excerpt, command, changes, deep - 1)


def _brings_launcher(excerpt: Excerpt, command: Command) -> bool:
    """Return whether a command calls the distributed_train.sh of its checkout, which need not be timm's."""
    if not any(base_name(word.text) == TIMM_LAUNCHER for word in command.words):
        return False
    call = script_call(command.words)
    return call is not None and _script(excerpt, command.folder, call[0]) is not None


def _texts(excerpt: Excerpt, command: Command) -> Iterator[tuple[Excerpt, Arguments]]:
    """Yield the texts that a command runs, each with what it is called with: its own words, and scripts."""
    for given in given_texts(command, excerpt.text):
        arguments = None if given.arguments is None or command.partial else _given(given.arguments)
        yield _inner(excerpt, given), arguments
    call = script_call(command.words)
    script = _script(excerpt, command.folder, call[0]) if call else None
    if call is not None and script is not None:
        place = excerpt.span(command.start, command.end)
        yield _at(excerpt, script.text, script.path, place), None if command.partial else _given(call[1])


def _inner(excerpt: Excerpt, given: GivenText) -> Excerpt:
    """Return a text that is in a word: at its place where it stands there as it is run, else at the word."""
    written = excerpt.text[given.word.start : given.word.end]
    if not excerpt.called and written.count(given.text) == 1:
        start = given.word.start + written.index(given.text)
        return excerpt.part(start, start + len(given.text))
    called = excerpt.called or str(excerpt.source.path)
    return _at(excerpt, given.text, called, excerpt.span(given.word.start, given.word.end))


def _at(excerpt: Excerpt, text: str, called: str, place: Span) -> Excerpt:
    return _CalledScript(excerpt.source, text, [place.start] * (len(text) + 1), called, place)


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
                return source_of(regular_bytes(str(path), MOST_SCRIPT_BYTES), str(path))
            except UnreadableError:
                return None
    return None

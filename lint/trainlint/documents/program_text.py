# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The command of a program that somebody ran, as a document."""

from __future__ import annotations

from trainlint.commands.launch import Launch, launch_of
from trainlint.commands.shell.shell import Shell
from trainlint.commands.shell.shell_flavours import POSIX
from trainlint.commands.training_command import launched_document
from trainlint.config.extracted_text import Excerpt
from trainlint.errors import UnreadableError
from trainlint.model.document import Document, ProgramText, Source


def parse_program(source: Source) -> tuple[Document, ...]:
    """Read a program's command; UnreadableError where it is not one."""
    commands = tuple(Shell(POSIX).commands(source.text))
    if len(commands) != 1 or not isinstance(source, ProgramText):
        raise UnreadableError("is not the command of one program")
    words = commands[0].words
    launch = launch_of(words)
    if launch is not None:
        return (launched_document(Excerpt.of(source), commands[0], launch),)
    own = words[len(words) - source.own :] if source.own else ()
    first = next((word for word in words if word.text == source.script), None)
    launch = Launch(None, source.script, own, script_word=first)  # a package's own command
    return (launched_document(Excerpt.of(source), commands[0], launch),)

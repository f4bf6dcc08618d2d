# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files of commands: shell scripts of every family, and plain text files of commands or of arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from msgspec.structs import replace

from trainlint.commands.called_scripts import training_commands
from trainlint.commands.is_training import may_train
from trainlint.commands.shell.shell import Command, Shell
from trainlint.commands.shell.shell_flavours import BATCH, PAGE_SHELL, POWERSHELL, SCRIPT, Flavour
from trainlint.commands.shell.shell_raw import Word
from trainlint.commands.training_command import bare_arguments
from trainlint.config.extracted_text import Excerpt
from trainlint.config.place_map import NO_KEY, Offsets, Places
from trainlint.errors import TooLargeError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import DOCUMENTS
from trainlint.model.document import ELLIPSIS_WORD, Document, Source, Span

_CARET = later(r"\s\^[ \t]*\r?$", re.MULTILINE)
_BACKTICK = later(r"\s`[ \t]*\r?$", re.MULTILINE)
_CUT = later(r"[ \t]+[\^`\\][ \t]*\r?(?:\n[ \t]*(?:#|::|rem\b|\r?\n|\Z)|\Z)", re.IGNORECASE)
"""A continuation mark with nothing after it but a comment or a blank line: a listing left out the rest."""

_ELIDED = later(r"[ \t]+[\^`\\][ \t]*\r?\n[ \t]*(?:#|::|rem\b)[ \t]*(?:\.{3}|…)", re.IGNORECASE)
"""A continuation mark, then a comment that begins with an ellipsis: `# ... other arguments`."""

_MOVES = later(r"(?m)^[ \t]*(?:cd|chdir|pushd|popd|Set-Location)\b")
"""A line after which commands run elsewhere."""

_ANY_COMMENT = later(r"(?:rem\b|::|#)[^\n]*", re.IGNORECASE)
_FLAG = later(r"--[A-Za-z]")
_RULE = later(r"^-+ (Options|End) -+[ \t]*\r?$", re.MULTILINE)
_ENTRY = later(r"^[ \t]*+([A-Za-z_]\w*+): ?+([^\n]*)$", re.MULTILINE)
_DEFAULT = "\t[default: "


def commands_of(excerpt: Excerpt, shell: Shell, **changes: Any) -> Iterator[Document]:
    """Yield the training commands of a text, each a document; `changes` are fields of theirs (cell)."""
    if not may_train(excerpt.text) and not moves(excerpt.text):
        return
    for command in shell.commands(excerpt.text):
        partial = ELLIPSIS_WORD if _ELIDED.match(excerpt.text, command.end) else command.partial
        for document in training_commands(excerpt, replace(command, partial=partial), **changes):
            shell.budget.spend(len(command.env))
            yield document


def moves(text: str) -> bool:
    """Say whether a shell may be in another folder after a text."""
    return _MOVES.search(text) is not None


def numbered(documents: Iterable[Document], first: int = 0) -> tuple[Document, ...]:
    """Give the documents of one file their index; TooLargeError where there are more than anyone reads."""
    result = tuple(
        document if document.index == index else replace(document, index=index)
        for index, document in enumerate(islice(documents, DOCUMENTS + 1), first)
    )
    if len(result) > DOCUMENTS:
        raise TooLargeError(f"holds more than {DOCUMENTS:,} commands and configs: split it")
    return result


def parse_posix(source: Source) -> tuple[Document, ...]:
    """Read a .sh or .bash file: one document for each training command."""
    return _script(source, SCRIPT)


def parse_batch(source: Source) -> tuple[Document, ...]:
    """Read a .bat or .cmd file."""
    return _script(source, BATCH)


def parse_powershell(source: Source) -> tuple[Document, ...]:
    """Read a .ps1 file."""
    return _script(source, POWERSHELL)


def parse_text(source: Source) -> tuple[Document, ...]:
    """Read a .txt file: commands, or arguments alone (`--flag value` words, or a dump of parsed options)."""
    return numbered(chain(_dumps(source), _commands(source))) or numbered(_arguments(source))


def _commands(source: Source) -> Iterator[Document]:
    excerpt, shell = Excerpt.of(source), Shell(flavour_of(source.text))
    for command in shell.commands(source.text):
        for document in training_commands(excerpt, replace(command, partial=_left_out(source, command))):
            shell.budget.spend(len(command.env))
            yield document


def _arguments(source: Source) -> Iterator[Document]:
    """Yield the arguments of a text in which every line begins with a flag."""
    words: list[Word] = []
    first: Command | None = None
    partial = ""
    for command in Shell(flavour_of(source.text)).commands(source.text):
        if not command.words or not _FLAG.match(command.words[0].text):
            return
        words += command.words
        first, partial = first or command, partial or _left_out(source, command)
    if first is not None:
        whole = replace(first, words=tuple(words), broken=None, partial=partial, end=words[-1].end)
        yield bare_arguments(Excerpt.of(source), whole)


def _left_out(source: Source, command: Command) -> str:
    return ELLIPSIS_WORD if _CUT.match(source.text, command.end) else command.partial


def flavour_of(text: str) -> Flavour:
    """Guess the shell of a text that does not name it, by its line continuations."""
    if _CARET.search(text):
        return replace(BATCH, comment=_ANY_COMMENT, comment_starts_command=False)
    return POWERSHELL if _BACKTICK.search(text) else PAGE_SHELL


def _script(source: Source, flavour: Flavour) -> tuple[Document, ...]:
    return numbered(commands_of(Excerpt.of(source), Shell(flavour)))


def _dumps(source: Source) -> Iterator[Document]:
    """Yield the tables that option parsers print and save as opt.txt (`batch_sz: 4`), as flags."""
    opened: re.Match[str] | None = None
    for rule in _RULE.finditer(source.text):
        if rule.group(1) == "Options":
            opened = rule
        elif opened is not None:
            yield _options(source, Span(opened.start(), rule.end()))
            opened = None


def _options(source: Source, table: Span) -> Document:
    value: dict[str, str] = {}
    offsets: dict[tuple[str | int, ...], Offsets] = {(): (table.start, table.end, NO_KEY, NO_KEY)}
    for entry in _ENTRY.finditer(source.text, table.start, table.end):
        text = entry.group(2).removesuffix("\r").rstrip(" \t")
        if text.endswith("]"):
            text = text.partition(_DEFAULT)[0].rstrip(" \t")
        value[entry.group(1)] = text
        offsets[entry.group(1),] = (entry.start(2), entry.start(2) + len(text), *entry.span(1))
    meta: dict[str, Any] = {
        "script": None,
        "launcher": None,
        "env": {},
        "program": (),
        "unresolved": (),
        "partial": "",
    }
    return Document(source, value, Places(offsets), "command", meta=meta)

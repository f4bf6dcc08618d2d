# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the repository around a config or command names that the published trainer lacks: a flag, a class."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from trainlint.dialects.schema.dialect import Dialect
from trainlint.files.enclosing_folders import repository_of
from trainlint.model.document import COMMAND, Document, Path
from trainlint.model.trainer import Trainer

if TYPE_CHECKING:
    from pathlib import Path as Folder

    from trainlint.repository.trainer.mentioned_words import Words

FIELDS: Final = "both"
"""Spellings of flags (dashes, underscores) where HfArgumentParser makes one of each field of a class."""


def is_flag_around(key: str, document: Document, dialect: Dialect) -> bool | None:
    """Return whether that has a flag; None where it is not known.

    Of a file of saved flags: or reads it from a file. Of a command, whose script is not there: or annotates
    such a field, where each is a flag.
    """
    is_command = document.format == COMMAND
    if not (dialect.schema.get("x-dashes") == FIELDS if is_command else dialect.trainer.library):
        return None
    words = _words_of(repository_of(document.source.path))
    if words is None:
        return None
    if is_command:
        return words.annotates(key) or None
    spellings = (f"--{key}", f"--{key.replace('_', '-')}")
    return any(map(words.quoted.__contains__, spellings)) or words.has(key) or None


def is_choice_around(path: Path, document: Document, dialect: Dialect) -> bool | None:
    """Return whether a class around a command has a field with its flag's value among its choices."""
    if document.format != COMMAND or dialect.schema.get("x-dashes") != FIELDS or len(path) != 1:
        return None
    words = _words_of(repository_of(document.source.path))
    key = str(path[0])
    return (words is not None and words.annotates_with(key, str(document.value.get(key)))) or None


def takes_around(key: str, value: Any, document: Document) -> bool | None:
    """Return whether the repository around takes a list, a text or nothing for a key; None: not known."""
    if value is None:  # for its reader to fill in
        return read_around(key, document) is not None or None
    words = _words_of(repository_of(document.source.path))
    if words is None:
        return None
    return (words.takes_lists(key) if isinstance(value, list) else words.takes_texts(key)) or None


def read_around(key: str, document: Document) -> str | None:
    """Return where the repository around a config reads a key; None where no line does, for all we know."""
    words = _words_of(repository_of(document.source.path))
    read = re.compile(rf"""[\w\])](?:\[|\.get\()\s*['"]{re.escape(key)}['"]""")
    for path, text in words.training if words is not None else ():
        if key in text and (match := read.search(text)) is not None:
            return f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
    return None


def is_class_shown(name: str, document: Document) -> bool:
    """Return whether the page that a config is on has the class that it names, for its reader to add."""
    return re.search(rf"(?m)^[ \t]*class {re.escape(name)}\b", document.source.text) is not None


def is_key_shown(key: str | int, document: Document) -> bool:
    """Return whether the page that a config is on has code that reads a key: `opt['key']`."""
    return re.search(rf"[\[(]['\"]{re.escape(str(key))}['\"]", document.source.text) is not None


def is_class_around(name: str, document: Document, trainer: Trainer) -> bool | None:
    """Return whether that has a class.

    None where it is not known, as where it has not and the trainer may be another than published.
    """
    identified = trainer.around or trainer.root
    words = _words_of(identified or (None if trainer.named else repository_of(document.source.path)))
    if words is None:
        return None
    if words.has_folded(name) if identified else name in words.defined:
        return True
    return False if trainer.around is not None and not words.mentions(name) else None


def may_be_defined_around(name: str, document: Document, trainer: Trainer) -> bool:
    """Return whether a file around a config has a class, or they are too many to say."""
    folder = trainer.around or trainer.root or repository_of(document.source.path)
    words = _words_of(folder)
    return folder is not None and (words is None or words.has_folded(name))


def _words_of(folder: Folder | None) -> Words | None:
    if folder is None:
        return None
    from trainlint.repository.trainer.mentioned_words import words_of  # noqa: PLC0415 - where a repository is around

    return words_of(folder)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which dialect a document speaks."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import PurePath
from typing import Any

from trainlint.dialects.schema.asked_keys import heads_of, keys_of
from trainlint.dialects.schema.dialect import Dialect, Recognition
from trainlint.dialects.schema.document_expression import (
    DocumentScope,
    evaluate,
    flatten,
    plain,
    plain_document,
)
from trainlint.dialects.schema.headings import without_headings
from trainlint.expressions.patterns import later
from trainlint.model.document import Document, once

_WRITTEN = later(r"""^(?:[^\S\n]|[{\["'])*+([A-Za-z_]\w*+)["'\]]?[^\S\n]*+[.:=\]]""", re.MULTILINE)
"""A key at the start of a line, as YAML, JSON and TOML write it."""

LEAST_KNOWN_KEYS = 2
"""Known keys that make a broken file one that was meant for a trainer: `path` alone is in many files."""


def scope_of(document: Document) -> DocumentScope:
    """Return what a schema's expressions see of a document."""
    return DocumentScope(*_seen(document))


@once
def _seen(document: Document) -> tuple[Any, Mapping[str, Any], Mapping[str, str]]:
    """Return what a scope has of a document; the fields of its spec are each scope's own."""
    doc = plain_document(document.value)
    return doc, flatten(doc), _file_of(document)


def _file_of(document: Document) -> dict[str, str]:
    script = PurePath(str(document.meta.get("script", ""))).name
    path = document.source.path
    folder = _folder(path, os.getcwd())  # noqa: PTH109 - a page may hold 20,000 blocks
    return {
        "path": plain(path),
        "folder": folder,
        "format": document.format,
        "script": plain(script),
        "starter": plain(str(document.meta.get("starter", ""))),
    }


@lru_cache(maxsize=256)
def _folder(path: str, here: str) -> str:  # noqa: ARG001 - where a relative path starts
    """Return the folder in which a file really lies, or the one that its name says where there is no file."""
    try:
        there = os.path.realpath(path, strict=True)
    except (OSError, ValueError):
        there = path
    return str(plain(PurePath(there).parent.as_posix()))


def forget() -> None:
    """Look again where files really lie: a link may lead elsewhere now."""
    _folder.cache_clear()


def recognise(
    document: Document, dialects: Sequence[Dialect], *, prefer: str | None = None
) -> Dialect | None:
    """Return the dialect of a document, the most specific where several claim it; None where none does.

    `prefer` is the id of the one that the user named: it wins where it is among them.
    """
    if not isinstance(document.value, Mapping):
        return None
    seen = Seen(document)
    ranked = sorted(dialects, key=lambda dialect: (dialect.id != prefer, -dialect.recognition.priority))
    return next((dialect for dialect in ranked if _claims(dialect, seen)), None)


class Seen:
    """A document as expressions see it, flattened only where it has a key that one of them asks for."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.file = _file_of(document)
        self.heads = {str(key).partition(".")[0] for key in document.value}

    @cached_property
    def scope(self) -> DocumentScope:
        """The whole document, plain and flattened."""
        return scope_of(self.document)

    @cached_property
    def without_headings(self) -> Seen:
        """The document as trainers see it that take a file's tables for headings."""
        document = without_headings(self.document)
        return self if document is self.document else Seen(document)


def _matches(path: str, patterns: Collection[str]) -> bool:
    if not patterns:
        return False
    from trainlint.files.glob_patterns import matches_name  # noqa: PLC0415 - where a dialect names its files

    return any(matches_name(path, pattern) for pattern in patterns)


def _claims(dialect: Dialect, seen: Seen) -> bool:
    signs, document = dialect.recognition, seen.document
    if document.format not in dialect.formats or not matches_file(document, dialect, seen.file["script"]):
        return False
    return _holds(signs, seen.without_headings if dialect.headings else seen)


def matches_file(document: Document, dialect: Dialect, script: str | None = None) -> bool:
    """Return whether the name of a document's file, or of a command's `script`, is one of a dialect's."""
    signs = dialect.recognition
    if document.format == "command":
        return _matches(_file_of(document)["script"] if script is None else script, signs.scripts)
    return signs.when is not None and ("*" in signs.files or _matches(document.source.path, signs.files))


def _holds(signs: Recognition, seen: Seen) -> bool:
    """Evaluate an expression; a page may hold 20,000 blocks that have none of the keys that it asks for."""
    when, keyless = signs.when, signs.keyless
    if when is None:
        return True
    if keyless is not None and keyless.heads.isdisjoint(seen.heads):
        known = keyless.holds.get(seen.document.format)
        return _holds_without_keys(when, tuple(seen.file.items())) if known is None else known
    if keyless is None and keys_of(when) is not None and heads_of(when).isdisjoint(seen.heads):
        return _holds_without_keys(when, tuple(seen.file.items()))
    return evaluate(when, seen.scope) is True


def resembles(text: str, dialects: Sequence[Dialect]) -> bool:
    """Return whether a text that cannot be parsed has keys by which dialects know their configs."""
    heads = _heads(
        tuple(
            dialect.recognition.when for dialect in dialects if dialect.recognition.when and _is_file(dialect)
        )
    )
    return len(heads.intersection(_WRITTEN.findall(text))) >= LEAST_KNOWN_KEYS


def _is_file(dialect: Dialect) -> bool:
    return dialect.formats != ("command",)


@lru_cache(maxsize=16)
def _heads(expressions: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(heads_of, expressions))


@lru_cache(maxsize=256)
def _holds_without_keys(when: str, file: tuple[tuple[str, str], ...]) -> bool:
    """Return what an expression is where a document has none of the keys that it asks for."""
    return evaluate(when, DocumentScope({}, {}, dict(file))) is True

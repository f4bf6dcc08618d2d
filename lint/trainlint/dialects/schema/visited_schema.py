# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A schema walked along a document: what speaks of each value. Of an edit only what it changed is walked."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from trainlint.dialects.schema.check_budget import CHECKS, LEAF_TYPES
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import Schema, applicable, members
from trainlint.model.document import Document, Path

KEPT_VALUES: Final = 4_000
"""Lists and mappings that are known: one document has 30, and its edits have most of them in common."""


class Spoken(Struct, frozen=True):
    """A value, the subschemas that speak about it, each with what it says of the value's parts.

    `checks` is what finding them costs (check_budget.py).
    """

    path: Path
    value: Any
    parts: tuple[tuple[Schema, tuple[Spoken, ...]], ...]
    checks: int


_KNOWN: Final[dict[tuple[int, int, Path], tuple[Dialect, Schema, Spoken]]] = {}
"""Lists and mappings with what is said of them, known by identity: each entry keeps alive what it is of."""


def walked(document: Document, dialect: Dialect) -> Spoken:
    """Return what a dialect's schema says of a document; TooLargeError where that takes too long."""
    if len(_KNOWN) > KEPT_VALUES:
        _KNOWN.clear()
    return _spoken((), dialect.schema, document.value, dialect)


def _spoken(path: Path, schema: Schema, value: Any, dialect: Dialect) -> Spoken:
    if type(value) in LEAF_TYPES:
        left = CHECKS.left
        parts = applicable(dialect.schema, schema, value, dialect.valid)
        return Spoken(path, value, tuple((part, ()) for part in parts), left - CHECKS.left)
    known = _KNOWN.get((id(schema), id(value), path))
    if known is not None and known[0] is dialect:
        CHECKS.take(known[2].checks)
        return known[2]
    left = CHECKS.left
    visited = []
    for part in applicable(dialect.schema, schema, value, dialect.valid):
        inner = [_spoken((*path, key), child, value[key], dialect) for key, child in members(part, value)]
        visited.append((part, tuple(inner)))
    spoken = Spoken(path, value, tuple(visited), left - CHECKS.left)
    _KNOWN[id(schema), id(value), path] = dialect, schema, spoken
    return spoken

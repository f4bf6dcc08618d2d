# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The proof that an edit changed what it should and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from trainlint.config.value_by_path import absent, differences, dig
from trainlint.dialects.extract.recognise import scope_of
from trainlint.dialects.schema.check_budget import LEAF_TYPES
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.headings import without_headings
from trainlint.dialects.schema.saved_form import as_saved
from trainlint.documents.file_format import read_edited, read_to_edit
from trainlint.errors import TrainlintError
from trainlint.model.document import COMMAND, Document, Path

Values = Callable[[Document], Any]


def _raw(document: Document) -> Any:
    return document.value


def proven(
    document: Document, text: str, intended: Mapping[Path, Any], gone: frozenset[Path], values: Values = _raw
) -> Document | None:
    """Read what was edited again and return its document, None where more or less changed than should.

    `values` gives a document's values as the trainer's own parser names them. `intended` paths must hold
    theirs, `gone` ones be away, and all else, other documents of the file included, be as it was. A number
    may come back as another type of the same size (5000 under `!!float`).
    """
    try:
        before = read_to_edit(document.source)
        after = read_edited(document, replace(document.source, text=text))
    except TrainlintError:
        return None
    if len(before) != len(after):
        return None
    edited = None
    for old, new in zip(before, after, strict=True):
        if new is old:
            continue
        mine = (old.index, old.cell, old.line) == (document.index, document.cell, document.line)
        if not mine and _is_same(old, new):
            continue
        expected = {*intended, *gone} if mine else set()
        read_again = replace(new, value=shared(document.value if mine else old.value, new.value))
        changed = differences(values(old), values(read_again))
        if any(not _within(path, expected) for path in changed) or len(old.duplicates) < len(new.duplicates):
            return None
        if mine:
            edited = read_again if _holds(values(read_again), intended, gone) else None
    return edited


def written_values(dialect: Dialect) -> Values:
    """Return what gives a document's values as its trainer names them, not by flags, headings or fields."""

    def values(document: Document) -> Any:
        if dialect.headings:
            document = without_headings(document)
        if dialect.form is not None:
            document = as_saved(document, dialect.form, scope_of(document))
        if document.format != COMMAND or dialect.loader != "argparse":
            return document.value
        from trainlint.dialects.schema.argparse_arguments import as_script_reads  # noqa: PLC0415 - of commands

        return as_script_reads(document, dialect).value

    return values


def _is_same(old: Document, new: Document) -> bool:
    """Return whether a document that was not edited is what it was, without parsing its values again."""
    written = old.raw(()) == new.raw(()) and len(old.duplicates) == len(new.duplicates)
    return written and not [*differences(old.value, new.value)]


def _holds(value: Any, intended: Mapping[Path, Any], gone: frozenset[Path]) -> bool:
    return all(dig(value, path) == wanted for path, wanted in intended.items()) and all(
        absent(dig(value, path)) for path in gone
    )


def _within(path: Path, expected: set[Path]) -> bool:
    return any(path[: len(prefix)] == prefix for prefix in expected)


def shared(old: Any, new: Any) -> Any:
    """Return the new value, made of the old one's own parts where they are equal: those are known already."""
    if type(new) is dict and type(old) is dict and all(type(key) is str for key in new):
        merged = {key: shared(old[key], item) if key in old else item for key, item in new.items()}
        same = list(merged) == list(old) and all(merged[key] is old[key] for key in merged)
        return old if same else merged
    if type(new) is list and type(old) is list and len(old) == len(new):
        items = [shared(*pair) for pair in zip(old, new, strict=True)]
        return old if all(item is before for item, before in zip(items, old, strict=True)) else items
    if type(new) is not type(old) or type(new) not in LEAF_TYPES:
        return new
    return old if (repr(old) == repr(new) if type(new) is float else old == new) else new

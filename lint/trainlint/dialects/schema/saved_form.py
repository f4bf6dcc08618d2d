# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files that a window saves its fields in: what the trainer gets of them, by the dialect's `form`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trainlint.dialects.schema.document_expression import FAILED, DocumentScope, evaluate
from trainlint.model.document import Document, Path, Place

FIELD = "value"
"""The expression of a key that is the field as it is."""
EMPTY = (None, "", FAILED)
"""Values of a field that was left empty."""


class Form(Struct, frozen=True):
    """`when` a document is such a file, and each key of the trainer: the field it is of, and its values.

    The first value that is not empty is the key's; of lists it is all of them together.
    """

    when: str
    keys: Mapping[str, tuple[str, Sequence[str]]]


def form_of(notes: Mapping[str, Any], condition: str) -> Form:
    """Read a dialect's `form`; a key without more is the field of its own name."""
    keys = {}
    for key, entry in notes["keys"].items():
        written = {"from": entry} if isinstance(entry, str) else entry or {}
        value = written.get("value", FIELD)
        keys[key] = (str(written.get("from", key)), value if isinstance(value, list) else [value])
    return Form(condition, keys)


def as_saved(document: Document, form: Form, scope: DocumentScope) -> Document:
    """Return what the trainer gets of a document, each at its field's place; else the same."""
    if evaluate(form.when, scope) is not True:
        return document
    value: dict[str, Any] = {}
    places: dict[Path, Place] = {(): document.places[()]}
    for key, (field, texts) in form.keys.items():
        if (field,) not in document.places:
            continue
        read = _first([_read(text, scope, document.value[field], key) for text in texts])
        if read is None:
            continue
        value[key] = read
        place = document.places[(field,)]
        places |= {(key,): place}
        if isinstance(read, list):
            places |= {(key, index): place for index in range(len(read))}
    return replace(document, value=value, places=places)


def _read(text: str, scope: DocumentScope, field: Any, key: str) -> Any:
    read = field if text == FIELD else evaluate(text, scope, field, key)
    return None if any(read is empty or read == empty for empty in EMPTY) else read


def _first(values: Sequence[Any]) -> Any:
    written = [value for value in values if value is not None]
    if written and all(isinstance(value, list) for value in written):
        return [item for value in written for item in value]
    return next(iter(written), None)

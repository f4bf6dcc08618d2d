# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files of a window's fields and files of variables: what the trainer gets of them, by a dialect's `form`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trainlint.config.environment import is_unknown, typed
from trainlint.dialects.schema.document_expression import FAILED, DocumentScope, evaluate
from trainlint.dialects.schema.flag_keys import DASHES
from trainlint.model.document import Document, Path, Place

FIELD = "value"
"""The expression of a key that is the field as it is."""
TRUE = "true"
"""What a flag without a value says."""
EMPTY = (None, "", FAILED)
"""Values of a field that was left empty."""


class Form(Struct, frozen=True):
    """`when` a document is such a file, and each key of the trainer: the field it is of, and its values.

    Of several fields it is the first that the file has. The first value that is not empty is the key's; of
    lists it is all of them together. `words` is a field whose text has further flags, which win; `texts` are
    flags whose values are texts, even where they look like numbers.
    """

    when: str
    keys: Mapping[str, tuple[Sequence[str], Sequence[str]]]
    words: str | None = None
    texts: frozenset[str] = frozenset()


def form_of(notes: Mapping[str, Any], condition: str, properties: Mapping[str, Any]) -> Form:
    """Read a dialect's `form`; a key without more is the field of its own name."""
    keys = {}
    for key, entry in notes["keys"].items():
        written = {"from": entry} if isinstance(entry, str) else entry or {}
        keys[key] = (_listed(written.get("from", key)), _listed(written.get("value", FIELD)))
    texts = frozenset(key for key, part in properties.items() if _is_text(part.get("type")))
    return Form(condition, keys, notes.get("words"), texts)


def _listed(written: Any) -> Sequence[str]:
    return written if isinstance(written, list) else [str(written)]


def _is_text(kind: str | Sequence[str] | None) -> bool:
    kinds = {kind} if isinstance(kind, str) else set(kind or ())
    return "string" in kinds and kinds <= {"string", "null"}


def as_saved(document: Document, form: Form, scope: DocumentScope) -> Document:
    """Return what the trainer gets of a document, each at its field's place; else the same."""
    if evaluate(form.when, scope) is not True:
        return document
    value: dict[str, Any] = {}
    places: dict[Path, Place] = {(): document.places[()]}
    of_fields = document.meta.get("unknown", {})
    unknown: dict[Path, str] = {}
    for key, (fields, texts) in form.keys.items():
        field = next((field for field in fields if (field,) in document.places), None)
        if field is None:
            continue
        read = _first([_read(text, scope, document.value[field], key) for text in texts])
        if read is None:
            continue
        value[key] = read
        place = document.places[(field,)]
        places |= {(key,): place}
        if isinstance(read, list):
            places |= {(key, index): place for index in range(len(read))}
        if (field,) in of_fields:
            unknown[(key,)] = of_fields[(field,)]
    meta = {
        **document.meta,
        "unknown": unknown,
        "fields": {key: names[0] for key, (names, _) in form.keys.items()},
    }
    saved = replace(document, value=value, places=places, meta=meta)
    return saved if (form.words,) not in document.places else _with_flags(saved, document, form)


def _with_flags(saved: Document, document: Document, form: Form) -> Document:
    """Return a document with the flags of a field's text: its place is theirs, and none is edited."""
    field = str(form.words)
    flags = dict(_flags(str(document.value[field])))
    if None in flags:
        return replace(saved, meta={**saved.meta, "unknown": {(): flags[None]}})
    said = {key: text if key in form.texts else typed(text) for key, text in flags.items()}
    place = document.places[(field,)]
    unknown = {(key,): text for key, text in flags.items() if is_unknown(text)}
    return replace(
        saved,
        value={**saved.value, **said},
        places={**saved.places, **{(key,): place for key in flags}},
        meta={
            **saved.meta,
            "unknown": {**saved.meta["unknown"], **unknown},
            "borrowed": {(key,): field for key in flags},
        },
    )


def _flags(text: str) -> Iterator[tuple[str | None, str]]:
    """Yield each flag of a text with its value; None for a word that only a shell knows."""
    words = deque(text.split())
    while words:
        word = words.popleft()
        if not word.startswith(DASHES):
            if is_unknown(word):
                yield None, word
            continue
        name, is_given, value = word.removeprefix(DASHES).partition("=")
        if not is_given and words and not words[0].startswith(DASHES):
            value = words.popleft()
        yield name, value or TRUE


def _read(text: str, scope: DocumentScope, field: Any, key: str) -> Any:
    read = field if text == FIELD else evaluate(text, scope, field, key)
    return None if any(read is empty or read == empty for empty in EMPTY) else read


def _first(values: Sequence[Any]) -> Any:
    written = [value for value in values if value is not None]
    if written and all(isinstance(value, list) for value in written):
        return [item for value in written for item in value]
    return next(iter(written), None)

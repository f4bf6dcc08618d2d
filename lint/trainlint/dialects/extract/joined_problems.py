# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is wrong in the file of data sets that a config or a command names, held against a schema of its own.

A property with `x-joined` names that schema as `dialect`. A finding is at the property, and says the file's
name and the line. A file that is not of the kind (another trainer's data sets) is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final

from msgspec.structs import replace

from trainlint.dialects.extract.recognise import recognise
from trainlint.dialects.load.dialect_files import load_dialect
from trainlint.dialects.schema.defaults_file import file_named
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.joined_file import MOST_JOINED_BYTES
from trainlint.errors import UnreadableError
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.model.document import Document
from trainlint.model.job import Job, Problem
from trainlint.model.trainer import BY_CONFIG, Trainer
from trainlint.shipped.resource_paths import resource

Normalise = Callable[[Document, Dialect, Trainer], tuple[Job, ...]]
DIALECT: Final = "dialect"
"""The key of `x-joined` that names the schema."""


def problems_of_joined(
    document: Document, dialect: Dialect, trainer: Trainer, normalise: Normalise
) -> Iterator[Problem]:
    """Yield the problems of each named file, at the property that names it."""
    if not isinstance(document.value, Mapping):
        return
    for name, where in dialect.joined.items():
        if DIALECT not in where or (sets := _document(document, name)) is None:
            continue
        schema = _dialect(where[DIALECT])
        if recognise(sets, (schema,)) is None:
            continue
        reader = Trainer(trainer.name, basis=trainer.basis if trainer.source is None else BY_CONFIG)
        for problem in normalise(sets, schema, reader)[0].problems:
            yield _at(problem, name, sets)


def _at(problem: Problem, name: str, sets: Document) -> Problem:
    """Return a problem of the file as one of the document that names it, which no edit there mends."""
    file = sets.source.path.replace("\\", "/").rpartition("/")[2]
    place = sets.nearest(problem.path)
    line, _ = sets.source.position((place.key or place.value).start)
    message = f"{file}:{line}: {problem.message}"
    return replace(
        problem,
        message=message,
        path=(name,),
        on_key=False,
        suggestion=None,
        lacks=None,
        parts=(),
        doubt=None,
    )


def _document(document: Document, name: str) -> Document | None:
    """Return the file that a property names, with the places of its values."""
    from trainlint.documents.file_format import read  # noqa: PLC0415 - of such a document alone

    text = document.value.get(name)
    if not isinstance(text, str) or (name,) in document.meta.get("unresolved", ()) or "$" in text:
        return None
    path = file_named(document, text)
    if isinstance(path, str):
        return None
    try:
        documents = read(source_of(regular_bytes(str(path), MOST_JOINED_BYTES), str(path)))
    except UnreadableError:
        return None
    return documents[0] if documents else None


@cache
def _dialect(name: str) -> Dialect:
    return load_dialect(resource("schemas") / f"{name}.json", "shipped", checked=False)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files whose tables are only headings: the trainer reads their keys as if they stood in none."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from trainlint.model.document import Document, Path


def without_headings(document: Document) -> Document:
    """Return a document with the keys of its tables at its root; the same one where it has no tables."""
    if not isinstance(document.value, Mapping):
        return document
    headings = [key for key, value in document.value.items() if isinstance(value, Mapping)]
    if not headings:
        return document
    value = {key: item for key, item in document.value.items() if key not in headings}
    for heading in headings:
        value |= document.value[heading]
    places = {_lifted(path, headings): place for path, place in document.places.items()}
    return replace(document, value=value, places=places)


def _lifted(path: Path, headings: list[str]) -> Path:
    return path[1:] if len(path) > 1 and path[0] in headings else path

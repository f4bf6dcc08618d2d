# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A piece of a file in which prefixes were dropped or escapes decoded, and where each character came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trainlint.config.place_map import MovedPlaces
from trainlint.model.document import Document, Duplicate, Source, Span


class Excerpt(Struct, frozen=True, dict=True):
    """Text to read, and the offset in `source` of each of its characters (and of its end)."""

    source: Source
    text: str
    offsets: Sequence[int]
    called: str = ""
    """The path of another script that the text is of, where the source only calls it."""

    @classmethod
    def of(cls, source: Source, start: int = 0, end: int | None = None) -> Excerpt:
        """Take a stretch of a source as it is."""
        end = len(source.text) if end is None else end
        return cls(source, source.text[start:end], range(start, end + 1))

    @classmethod
    def join(cls, parts: Iterable[Excerpt], source: Source) -> Excerpt:
        """Put stretches after one another, what was between them left out."""
        kept = [part for part in parts if part.text]
        if (
            kept
            and all(part.offsets[0] == before.offsets[-1] for before, part in pairwise(kept))
            and all(isinstance(part.offsets, range) for part in kept)
        ):
            return cls.of(source, kept[0].offsets[0], kept[-1].offsets[-1])
        offsets = list(chain.from_iterable(part.offsets[:-1] for part in kept))
        end = kept[-1].offsets[-1] if kept else 0
        return cls(source, "".join(part.text for part in kept), [*offsets, end])

    def part(self, start: int, end: int) -> Excerpt:
        """Take a stretch of this excerpt."""
        return Excerpt(self.source, self.text[start:end], self.offsets[start : end + 1])

    def span(self, start: int, end: int) -> Span:
        """Return the span in the source of a stretch of this text."""
        if end <= start:
            return Span(self.offsets[start], self.offsets[start])
        last = self.offsets[end - 1]
        whole = self.source.text[last] == "\\"  # an escape is one character here and several there
        return Span(self.offsets[start], self.offsets[end] if whole else last + 1)

    def relocate(self, document: Document, **changes: Any) -> Document:
        """Move a document that was read from this text alone to its places in the source."""
        places = MovedPlaces(document.places, self._moved)
        duplicates = tuple(
            Duplicate(duplicate.path, self._moved(duplicate.first), self._moved(duplicate.second))
            for duplicate in document.duplicates
        )
        return replace(document, source=self.source, places=places, duplicates=duplicates, **changes)

    def _moved(self, span: Span) -> Span:
        return self.span(span.start, span.end)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a finding is, as people look for it: in a notebook the cell and its line, not the file's JSON."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import PurePath

from msgspec import Struct

from trainlint.config.extracted_text import Excerpt
from trainlint.model.document import Source, Span


class Shown(Struct, frozen=True):
    """A text to quote, the spans in it, and the number of the notebook's cell that it is the code of."""

    source: Source
    spans: tuple[Span, ...]
    cell: int | None = None

    @property
    def place(self) -> str:
        """Name the first span's place: "a.yml:12:5", "a.ipynb, cell 3, line 2"."""
        column = self.source.position(self.spans[0].start)[1]
        return self.line_place if self.cell is not None else f"{self.line_place}:{column}"

    @property
    def line_place(self) -> str:
        """Name the first span's line: "a.yml:12", "a.ipynb, cell 3, line 2"."""
        line = self.source.position(self.spans[0].start)[0]
        return (
            f"{self.source.path}:{line}"
            if self.cell is None
            else f"{self.source.path}, cell {self.cell}, line {line}"
        )


def shown(source: Source, spans: Sequence[Span]) -> Shown:
    """Return what to show of a file: the cell that holds all the spans, or the file as it is."""
    if PurePath(source.path).suffix == ".ipynb":
        from trainlint.documents.notebook import code_cells  # noqa: PLC0415  # not for files of other formats

        for number, code in code_cells(source).items():
            if all(_holds(code, span) for span in spans):
                moved = tuple(Span(_within(code, span.start), _within(code, span.end)) for span in spans)
                return Shown(Source(source.path, code.text), moved, number)
    return Shown(source, tuple(spans))


def _holds(code: Excerpt, span: Span) -> bool:
    return bool(code.text) and code.offsets[0] <= span.start and span.end <= code.offsets[-1]


def _within(code: Excerpt, offset: int) -> int:
    return min(bisect_left(code.offsets, offset), len(code.text))

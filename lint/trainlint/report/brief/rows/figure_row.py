# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A figure and what it means, and how rows of them are laid out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from trainlint.report.brief.line_folding import folded
from trainlint.report.style import Style

NAME, FIGURE = 6, 18
"""Columns of a row's name and of its figure."""
LEAST_WORDS, BELOW = 20, "    "
"""Columns that words need next to a figure; in fewer they go below it, so far in."""
FAIL = "FAIL"


class Row(Struct, frozen=True):
    """A figure and what it means; `failed` says so in its own row."""

    name: str
    figure: str
    words: str
    failed: bool = False


def row_lines(of_each: Sequence[Row | None], style: Style) -> Iterator[str]:
    """Yield the lines of the rows that there are, their figures in a column."""
    known_rows = [row for row in of_each if row is not None]
    width = max((FIGURE, *(len(row.figure) for row in known_rows)))
    for row in known_rows:
        words = row.words
        if row.failed:
            words = f"{style.paint('red', FAIL)}{f', {words}' if words else ''}"
        lead = f"  {row.name:<{NAME}}   {row.figure:<{width}}   "
        if style.width - len(lead) < LEAST_WORDS and words:
            yield lead.rstrip()
            yield from (f"{BELOW}{line.lstrip()}" for line in folded(words, style.width - len(BELOW)))
            continue
        first, *rest = folded(words, style.width - len(lead))
        yield f"{lead}{first}".rstrip()
        yield from (f"{'':<{len(lead)}}{line.lstrip()}" for line in rest)

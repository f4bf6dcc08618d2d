"""Rows of text as aligned columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def columns_of(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows as aligned columns, the first to the left and the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        first = f"{row[0]:<{widths[0]}}"
        rest = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  ".join((first, *rest)).rstrip()

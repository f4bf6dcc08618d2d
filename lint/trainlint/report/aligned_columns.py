# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Rows of text as aligned columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def columns_of(rows: Sequence[Sequence[str]], words: int = 1) -> Iterator[str]:
    """Yield rows as aligned columns: the first ones, which are `words`, to the left, figures to the right."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(
            f"{cell:{'<' if index < words else '>'}{width}}" for index, (cell, width) in enumerate(cells)
        ).rstrip()

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A table of figures whose last column is words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.model.finding import Outcome
from trainlint.report.aligned_columns import columns_of
from trainlint.report.brief.line_folding import folded
from trainlint.report.style import Style


def worded_table(
    rows: Sequence[Sequence[str]], outcomes: Sequence[Outcome], style: Style, words: int = 1
) -> Iterator[str]:
    """Yield the heading and its rows, each with its outcome's colour.

    The words go below their rows where the reader's line has room for the figures alone.
    """
    heading, *lines = columns_of([row[:-1] for row in rows], words)
    width = max(map(len, (heading, *lines)))
    below = width <= style.width < width + max(len(row[-1]) for row in rows) + len("  ")
    yield style.paint("bold", heading if below else f"{heading}  {rows[0][-1]}")
    for line, row, outcome in zip(lines, rows[1:], outcomes, strict=True):
        painted = style.outcome(outcome, line)
        if not below:
            yield f"{painted}{' ' * (width - len(line))}  {row[-1]}".rstrip()
            continue
        yield painted
        if row[-1]:
            yield from (f"  {piece}" for piece in folded(row[-1], style.width - len("  ")))

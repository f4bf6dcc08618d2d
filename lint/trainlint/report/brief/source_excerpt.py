# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The lines of a file that a finding is about, numbered, with carets under every span."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from unicodedata import combining, east_asian_width

from trainlint.model.document import Source, Span
from trainlint.report.style import Style, printable

TAB = "    "
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
LEAD_CHARACTERS = 20
"""Characters kept before a span when a long line (minified JSON) is cut."""


def excerpt(source: Source, spans: Sequence[Span], style: Style, remark: str = "") -> list[str]:
    """Return the numbered lines of `spans`, the first marked with ^ and the others with -.

    A `remark` on the first follows its ^, or goes before it where there is more room.
    """
    marks: dict[int, list[tuple[int, int, bool]]] = {}
    for rank, span in enumerate(spans):
        line, start, end = _on_first_line(source, span)
        marks.setdefault(line, []).append((start, end, rank == 0))
    numbers = sorted(marks)
    gutter = len(str(numbers[-1]))
    bar = style.paint("blue", f"{' ' * gutter} |")
    lines = [bar]
    for before, number in pairwise([numbers[0], *numbers]):
        if number > before + 1:
            lines.append(style.paint("blue", "..."))
        text, under = _marked(source.line(number), marks[number], style.width - gutter - 3)
        lines.append(f"{style.paint('blue', f'{number:>{gutter}} |')} {text}".rstrip())
        carets = style.paint("red" if "^" in under else "blue", under)
        if remark and "^" in under:
            carets = _remarked(under, carets, remark, style.width - gutter - 3)
        lines.append(f"{bar} {carets}")
    return lines


def _remarked(under: str, carets: str, remark: str, width: int) -> str:
    """Return painted carets with a remark after them, or before where it would be beyond the width."""
    room = len(under) - len(under.lstrip())
    if len(under) + 1 + len(remark) <= width or room <= len(remark):
        return f"{carets} {remark}"
    return carets.replace(" " * room, f"{remark:>{room - 1}} ", 1)


def _on_first_line(source: Source, span: Span) -> tuple[int, int, int]:
    """Return (line, first column, column past the end), all of the span's first line; 0-based columns."""
    line, column = source.position(span.start)
    length = len(source.line(line))
    start = min(column - 1, length)
    return line, start, max(start + 1, min(start + span.end - span.start, length))


def _marked(text: str, marks: list[tuple[int, int, bool]], width: int) -> tuple[str, str]:
    """Return a line and the line of carets beneath it, both cut to `width` columns around the first mark."""
    main = min(marks, key=lambda mark: not mark[2])
    offset = max(0, main[0] - LEAD_CHARACTERS) if len(text) > width else 0
    clipped = text[offset : offset + width - (2 * len(ELLIPSIS) if len(text) > width else 0)]
    under = [" "] * (len(clipped) + 1)
    for start, end, primary in sorted(marks, key=lambda mark: mark[2]):
        for index in range(max(start - offset, 0), min(end - offset, len(under))):
            under[index] = "^" if primary else "-"
    carets = "".join(mark * _columns(char) for char, mark in zip(clipped + " ", under, strict=True))
    left, right = ELLIPSIS if offset else "", ELLIPSIS if offset + len(clipped) < len(text) else ""
    shown = printable(clipped).replace("\t", TAB)
    return f"{left}{shown}{right}", (" " * len(left) + carets).rstrip()


def _columns(char: str) -> int:
    """How many terminal columns a character takes."""
    if char == "\t":
        return len(TAB)
    if combining(char):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1

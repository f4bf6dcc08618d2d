# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A fix as lines taken out and put in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from trainlint.config.edit import apply_edits
from trainlint.model.finding import Edit

CUT_MARK = "..."
"""What stands for the rest of a line."""


def changed_lines(text: str, edits: Sequence[Edit], width: int = 0) -> Iterator[tuple[str, int, str]]:
    """Yield ("-" or "+", 1-based line, content): the lines that the edits take out and put in.

    Of a line longer than `width` what is around its change is shown: a minified notebook is one line.
    """
    start = text.rfind("\n", 0, min(edit.span.start for edit in edits)) + 1
    end = text.find("\n", max(edit.span.end for edit in edits))
    tail = len(text) - end if end >= 0 else 0
    after = apply_edits(text, edits)
    old = text[start : len(text) - tail].replace("\r", "").split("\n")
    new = after[start : len(after) - tail].replace("\r", "").split("\n")
    first = text.count("\n", 0, start) + 1
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            taken, put = old[a:b], new[c:d]
            starts = [_common(*both) for both in zip_longest(taken, put, fillvalue="")]
            for sign, number, lines in (("-", first + a, taken), ("+", first + c, put)):
                for index, line in enumerate(lines):
                    yield sign, number + index, _around(line, starts[index], width)


def _common(old: str, new: str) -> int:
    """Return how many characters two lines begin with together."""
    return next(
        (index for index, (character, other) in enumerate(zip(old, new, strict=False)) if character != other),
        0,
    )


def _around(line: str, change: int, width: int) -> str:
    """Return a line, or what of it is around a change where it is longer than the width."""
    if not width or len(line) <= width:
        return line
    start = max(0, min(change - width // 2, len(line) - width))
    shown = line[start : start + width]
    shown = f"{CUT_MARK}{shown[len(CUT_MARK) :]}" if start else shown
    return shown if start + width >= len(line) else f"{shown[: -len(CUT_MARK)]}{CUT_MARK}"

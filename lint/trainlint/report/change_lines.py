# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A fix as lines taken out and put in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from trainlint.config.edit import apply_edits
from trainlint.model.finding import Edit


def changed_lines(text: str, edits: Sequence[Edit]) -> Iterator[tuple[str, int, str]]:
    """Yield ("-" or "+", 1-based line, content): the lines that the edits take out and put in."""
    start = text.rfind("\n", 0, min(edit.span.start for edit in edits)) + 1
    end = text.find("\n", max(edit.span.end for edit in edits))
    tail = len(text) - end if end >= 0 else 0
    after = apply_edits(text, edits)
    old = text[start : len(text) - tail].replace("\r", "").split("\n")
    new = after[start : len(after) - tail].replace("\r", "").split("\n")
    first = text.count("\n", 0, start) + 1
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from (("-", first + at, old[at]) for at in range(a, b))
            yield from (("+", first + at, new[at]) for at in range(c, d))

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A fix as lines taken out and put in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from trainlint.config.edit import apply_edits
from trainlint.model.document import Span
from trainlint.model.finding import Edit

CUT_MARK = "..."
"""What stands for the rest of a line."""


def changed_lines(text: str, edits: Sequence[Edit], width: int = 0) -> Iterator[tuple[str, int, str]]:
    """Yield ("-" or "+", 1-based line, content): the lines that the edits take out and put in.

    Of a line longer than `width` what is around its change is shown: a minified notebook is one line.
    """
    added = 0
    for start, end, own in _places(text, edits):
        here = [Edit(Span(edit.span.start - start, edit.span.end - start), edit.text) for edit in own]
        old = text[start:end].replace("\r", "").split("\n")
        new = apply_edits(text[start:end], here).replace("\r", "").split("\n")
        first = text.count("\n", 0, start) + 1
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag != "equal":
                taken, put = old[a:b], new[c:d]
                starts = [_common(*both) for both in zip_longest(taken, put, fillvalue="")]
                for sign, number, lines in (("-", first + a, taken), ("+", first + added + c, put)):
                    for index, line in enumerate(lines):
                        yield sign, number + index, _around(line, starts[index], width)
        added += len(new) - len(old)


def _places(text: str, edits: Sequence[Edit]) -> Iterator[tuple[int, int, list[Edit]]]:
    """Yield (start, end, edits) of lines that follow each other; what lies between is compared with nothing.

    Over 100,000 empty lines between two edits difflib took more than 20 s.
    """
    start = end = -1
    own: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: edit.span):
        line = text.rfind("\n", 0, edit.span.start) + 1
        if own and line > end + 1:
            yield start, end, own
            own = []
        start = start if own else line
        after = text.find("\n", edit.span.end)
        end = after if after >= 0 else len(text)
        own.append(edit)
    if own:
        yield start, end, own


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

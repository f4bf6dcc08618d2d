# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Loops over words that are written out, round by round: `for b in 16 32; do python train.py -b $b; done`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from trainlint.commands.shell.shell_raw import RawCommand, RawWord
from trainlint.expressions.patterns import later

MOST_ROUNDS: Final = 16
"""Of one loop; a loop that goes round more often is read once, its variable unknown."""

MOST_NESTED_LOOPS: Final = 3
"""Loops in one another that are followed."""

WORDS_BEFORE_LOOP: Final = frozenset(("then", "do", "else", "{", "!", "time"))
"""Keywords that a loop may follow."""
LOOP_WORDS: Final = frozenset(("for", "while", "until", "select"))
_EXPANDS: Final = later(r"[*?\[\]{}~]")
"""Marks of words that only the shell's look at the disk, or its braces, complete."""

Fill = Callable[[RawWord], Sequence[str] | None]
"""Returns the texts of a word, None where one is not known."""
Enter = Callable[[str, str], None]
"""Begins a round with its variable and value."""


class Loops:
    """Yields a script's commands with the bodies of its loops as often as they are run."""

    def __init__(self, fill: Fill, enter: Enter, skip: Callable[[RawCommand], None]) -> None:
        self._fill = fill
        self._enter = enter
        self._skip = skip
        self.deep = 0

    def unrolled(self, raws: Iterator[RawCommand]) -> Iterator[RawCommand]:
        """Yield the commands; `skip` is told of those that only begin or end a loop that is followed."""
        for raw in raws:
            loop = self._rounds(raw) if self.deep < MOST_NESTED_LOOPS else None
            if loop is None:
                yield raw
                continue
            name, values = loop
            body, end = _body(raws)
            self._skip(raw)
            self.deep += 1
            for value in values:
                self._enter(name, value)
                yield from self.unrolled(iter(body))
            self.deep -= 1
            if end is not None:
                self._skip(end)

    def _rounds(self, raw: RawCommand) -> tuple[str, Sequence[str]] | None:
        """Return the variable and the values of a loop over words that are known."""
        words = [word.literal for word in raw.words]
        start = next((index for index, word in enumerate(words) if word not in WORDS_BEFORE_LOOP), len(words))
        if words[start : start + 1] != ["for"] or words[start + 2 : start + 3] != ["in"]:
            return None
        values: list[str] = []
        for word in raw.words[start + 3 :]:
            texts = self._fill(word)
            if texts is None or any(map(_EXPANDS.search, texts)):
                return None
            values += texts
        return (words[start + 1], values) if 0 < len(values) <= MOST_ROUNDS else None


def _body(raws: Iterator[RawCommand]) -> tuple[list[RawCommand], RawCommand | None]:
    """Take what is up to a loop's `done`; return it with that."""
    body: list[RawCommand] = []
    deep = 1
    for raw in raws:
        first = [word.literal for word in raw.words[:3]]
        while first and first[0] in WORDS_BEFORE_LOOP:
            first = first[1:]
        deep += bool(first) and first[0] in LOOP_WORDS
        deep -= first[:1] == ["done"]
        if not deep:
            return body, raw
        body.append(raw)
    return body, None

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What shell text is cut into: commands of words, words of pieces, as they are written."""

from __future__ import annotations

from msgspec import Struct, field

from trainlint.expressions.patterns import later

_SCRIPT = later(r"\.py[\"']?$")


class Piece(Struct, frozen=True):
    """Part of a word: literal text, or the expression of a variable (None: a command's output, unknown)."""

    text: str
    quoted: bool
    variable: bool = False
    name: str | None = None


class Word(Struct, frozen=True):
    """A word as the program gets it; start and end are characters of the text that was read."""

    text: str
    start: int
    end: int
    resolved: bool = True
    """False where the text holds something that is only known when the script runs."""


class RawWord(Struct, frozen=True):
    """A word before variables are filled in; `items` where it is an array assignment, `NAME=(a b)`."""

    pieces: tuple[Piece, ...]
    start: int
    end: int
    items: tuple[RawWord, ...] | None = None

    @property
    def literal(self) -> str:
        """The word's text, variables as they are written."""
        if len(self.pieces) == 1:
            return self.pieces[0].text
        return "".join(piece.text for piece in self.pieces)


class Broken(Struct, frozen=True):
    """What is wrong with a command's text, and at which character."""

    message: str
    offset: int


class RawCommand(Struct):
    """The words between two separators; `before` are the parentheses in front of the first."""

    words: list[RawWord] = field(default_factory=list)
    broken: Broken | None = None
    separator: str = ""
    written: list[RawWord] = field(default_factory=list)
    """What follows `>` and `>>`."""
    before: str = ""
    document: tuple[int, int] | None = None
    """Where its here-document is, the last of several, which is what it reads."""
    _looked: int = 0
    _script: bool = False

    @property
    def runs_script(self) -> bool:
        """Whether one of the words so far names a Python file; each word is looked at once."""
        self._script = self._script or any(
            _SCRIPT.search(word.literal) for word in self.words[self._looked :]
        )
        self._looked = len(self.words)
        return self._script

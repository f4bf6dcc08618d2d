# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What shell text is cut into: commands of words, words of pieces, as they are written."""

from __future__ import annotations

from dataclasses import field

from trainlint.lean import dataclass
from trainlint.patterns import later

_SCRIPT = later(r"\.py[\"']?$")


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a word: literal text, or the expression of a variable (None: a command's output, unknown)."""

    text: str
    quoted: bool
    variable: bool = False
    name: str | None = None


@dataclass(frozen=True, slots=True)
class RawWord:
    """A word before variables are filled in; `items` where it is an array assignment, `NAME=(a b)`."""

    pieces: tuple[Piece, ...]
    start: int
    end: int
    items: tuple[RawWord, ...] | None = None

    @property
    def literal(self) -> str:
        """The word's text, variables as they are written."""
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Broken:
    """What is wrong with a command's text, and at which character."""

    message: str
    at: int


@dataclass
class RawCommand:
    """The words between two separators; `before` are the parentheses in front of the first."""

    words: list[RawWord] = field(default_factory=list)
    broken: Broken | None = None
    separator: str = ""
    before: str = ""
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

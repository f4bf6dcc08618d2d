"""Colour, when the reader is a terminal; plain text otherwise."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trainlint.judge.finding import Outcome

CODES = {"bold": "1", "dim": "2", "red": "1;31", "green": "32", "yellow": "33", "blue": "1;34", "cyan": "36"}
"""SGR parameters (ECMA-48) that every terminal knows."""

OUTCOMES = {
    Outcome.FAIL: "red",
    Outcome.UNREADABLE: "red",
    Outcome.WARN: "yellow",
    Outcome.SKIPPED: "cyan",
    Outcome.PASS: "green",
}

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Style:
    """Paints text, or leaves it alone when `colour` is off; `width` is the reader's line."""

    colour: bool = False
    width: int = 100

    def paint(self, name: str, text: str) -> str:
        """Return `text` in the colour `name` (a key of CODES)."""
        return f"\x1b[{CODES[name]}m{text}\x1b[0m" if self.colour and text else text

    def outcome(self, outcome: Outcome, text: str) -> str:
        """Return `text` in the colour of a verdict."""
        return self.paint(OUTCOMES[outcome], text)


def printable(text: str) -> str:
    r"""Replace what a linted file could do to a terminal or a log: escapes, control and direction characters.

    A line end is written as `\n`: what follows it in a config's own value could pass for a line of ours, or
    for a command to the CI that reads the log.
    """
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\n", "\\n"))

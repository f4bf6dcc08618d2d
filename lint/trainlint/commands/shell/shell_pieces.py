# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The pieces of a shell word: plain text, escapes, variables, the output of commands, quotes.

A quote that is never closed, or a blank behind a line's continuation mark, ends in a `Broken` on its command.
"""

from __future__ import annotations

import re

from trainlint.commands.shell.shell_flavours import Flavour
from trainlint.commands.shell.shell_raw import Broken, Piece, RawCommand
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import Budget

PLACEHOLDER = later(r"<\.?[^\W\d_](?:[^<>\n]*[^<>\s])?>")
LATE_COMMENT = later(r"[ \t]+(?:#[^\n]*)?\r?\n")
NEWLINE = later(r"\r?\n")
_WINDOWS_PATH = later(r"(?:[A-Za-z]:|\.{1,2})\\")
_PLAIN = later(r"[^\s;|()&\"'<>$%!{`^\\]+|[$%!{`^'\\]")
_SPECIAL = later(r"[\\$`%!{^]")
_PARENTHESIS = later(r"[()\n]")
_BEHIND = " \t\r\n;|&)"
"""What may stand behind a word."""


class Pieces:
    """Reads the pieces of a word at a place in a text."""

    def __init__(self, text: str, flavour: Flavour, budget: Budget) -> None:
        self._text = text
        self._flavour = flavour
        self._budget = budget
        self._at = 0
        self._command = RawCommand()

    def _piece(self, pieces: list[Piece], start: int) -> bool:
        """Read the next piece of a word; False where the word ends."""
        self._budget.spend(1)
        char = self._text[self._at]
        if char in " \t\r\n;|()&":
            return False
        if char == '"' or (char == "'" and self._flavour.single_quotes):
            self._quote(pieces, char)
            return True
        if match := PLACEHOLDER.match(self._text, self._at):
            pieces.append(Piece(match.group(), quoted=True))
            self._at = match.end()
            return True
        if char in "<>":
            return False
        if char == self._flavour.escape:
            return self._escape(pieces, start)
        return self._variable(pieces, quoted=False) or self._plain(pieces)

    def _plain(self, pieces: list[Piece]) -> bool:
        match = _PLAIN.match(self._text, self._at)
        if match is None:
            return False
        pieces.append(Piece(match.group(), quoted=False))
        self._at = match.end()
        return True

    def _escape(self, pieces: list[Piece], start: int) -> bool:
        behind = self._at + 1
        if match := NEWLINE.match(self._text, behind):
            self._at = match.end()
            return self._at < len(self._text)
        if behind == len(self._text):
            self._at = behind  # a script's last character, which escapes nothing
            return False
        if LATE_COMMENT.match(self._text, behind):
            return False
        path = self._flavour.windows_paths and _WINDOWS_PATH.match(self._text[start : self._at] + "\\")
        char = "\\" if path else self._text[behind : behind + 1] or self._flavour.escape
        self._at = min(behind if path else behind + 1, len(self._text))
        pieces.append(Piece(char, quoted=True))
        return True

    def _variable(self, pieces: list[Piece], *, quoted: bool) -> bool:
        """Read a use of a variable, or the output of a command."""
        if self._flavour.escape != "^":
            opened = next((mark for mark in ("$((", "$(") if self._text.startswith(mark, self._at)), None)
            if opened or (self._flavour.escape == "\\" and self._text[self._at] == "`"):
                end = self._output_end(opened)
                pieces.append(Piece(self._text[self._at : end], quoted, variable=True))
                self._at = end
                return True
        match = self._flavour.variable.match(self._text, self._at)
        if match is None:
            return False
        name = next(group for group in match.groups() if group is not None)
        pieces.append(Piece(match.group(), quoted, variable=True, name=name))
        self._at = match.end()
        return True

    def _output_end(self, opened: str | None) -> int:
        size = len(self._text)
        if opened is None:
            close = self._text.find("`", self._at + 1)
            line = self._text.find("\n", self._at, size if close < 0 else close)
            return line if line >= 0 else size if close < 0 else close + 1
        depth = 0
        for match in _PARENTHESIS.finditer(self._text, self._at):
            depth += {"(": 1, ")": -1}.get(match.group(), 0)
            if match.group() == "\n" or depth == 0:
                return match.end() if depth == 0 else match.start()
        return size

    def _quote(self, pieces: list[Piece], quote: str) -> None:
        """Read a quoted text; one that is not closed ends with its line."""
        opened = self._at
        end, closed = self._quote_end(opened, quote)
        if not closed:
            self._break("this quote is never closed", opened)
        self._at = opened + 1
        if quote == "'":
            pieces.append(Piece(self._text[self._at : end], quoted=True))
            self._at = end
        while self._at < end:
            self._quoted_piece(pieces, end)
        pieces.append(Piece("", quoted=True))
        self._at = end + 1 if closed else end

    def _quoted_piece(self, pieces: list[Piece], end: int) -> None:
        self._budget.spend(1)
        char = self._text[self._at]
        if char == self._flavour.escape != "^" and self._at + 1 < end:
            newline = NEWLINE.match(self._text, self._at + 1)
            following = self._text[self._at + 1]
            known = following in '"\\$`' or self._flavour.escape == "`"
            kept = "" if newline else following if known else char + following
            pieces.append(Piece(kept, quoted=True))
            self._at = newline.end() if newline else self._at + 2
        elif not self._variable(pieces, quoted=True):
            match = _SPECIAL.search(self._text, self._at + 1, end)
            stop = match.start() if match else end
            pieces.append(Piece(self._text[self._at : stop], quoted=True))
            self._at = stop
        self._at = min(self._at, end)

    def _quote_end(self, opened: int, quote: str) -> tuple[int, bool]:
        """Return where a quote closes; where it does not, the line's end before any continuation mark.

        A quote lines below that begins a word is the next one's, and the first was never closed.
        """
        escape = re.escape(self._flavour.escape)
        escapes = quote == '"' and self._flavour.escape != "^"
        inner = rf'[^"{escape}]*(?:{escape}.[^"{escape}]*)*' if escapes else f"[^{quote}]*"
        match = re.compile(inner + quote, re.DOTALL).match(self._text, opened + 1)
        if match is not None:
            body = self._text[opened : match.end()]
            broken_lines = re.search(rf"(?<!{escape})(?<!{escape}\r)\n", body)
            astray = self._command.runs_script and self._text[match.end() : match.end() + 1].strip(_BEHIND)
            if not (broken_lines and (self._flavour.name == "batch" or astray)):
                return match.end() - 1, True
        return self._line_end(opened + 1), False

    def _line_end(self, start: int) -> int:
        """Return where a line ends, without the blanks and the continuation mark at its end."""
        end = self._text.find("\n", start)
        line = self._text[start : len(self._text) if end < 0 else end].removesuffix("\r").rstrip(" \t")
        return start + len(line.removesuffix(self._flavour.escape).rstrip(" \t"))

    def _break(self, message: str, offset: int) -> None:
        self._command.broken = self._command.broken or Broken(message, offset)

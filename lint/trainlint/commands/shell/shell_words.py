# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Cutting shell text into simple commands and words: POSIX shells, cmd.exe and PowerShell, leniently.

No grammar of any shell is implemented in full: what matters is which words a training command is given, where
each of them is, and that no input can make this fail. After a
broken command reading goes on with the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.commands.shell.shell_flavours import Flavour
from trainlint.commands.shell.shell_pieces import LATE_COMMENT, NEWLINE, PLACEHOLDER, Pieces
from trainlint.commands.shell.shell_raw import Piece, RawCommand, RawWord
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import Budget

_BLANK = later(r"[ \t\r]+")
_QUIET = later(r"[ \t\r@]+")
"""In a batch file, "@" before a command keeps it from being shown."""
_SEPARATOR = later(r"(?:\r?\n)++|;;?|&&|\|\|?&?|&(?![>\d])|[()]")
_REDIRECT = later(r"(?:\d+|&)?(?:<<<|<<-?|>>|>\||>|<(?!\())(&[\d-]+)?")
_NAMED = later(r"\[(?:[A-Z]|(?=[A-Za-z _.-]*[A-Za-z]{2})[A-Za-z][A-Za-z _.-]*)\](?=[\s;]|\Z)")
"""A whole word in brackets that pages write for what the reader has to fill in: [PATH TO OPTION], [N]."""
_CHOICES = later(r"\[[\w.-]+(?:(?:,[ \t]+|[ \t]*[/|][ \t]*)[\w.-]+)+\](?=[\s;]|\Z)")
"""What the reader chooses one of, [1, 2, 3] or [train|test]: as a shell reads it, no program takes it."""
_DOUBLED = later(r"\\{3}[ \t]*\r?\n")
"""A continuation mark of a page whose author escaped it for Markdown, where nothing is to be escaped."""
_WORD = r"[\w./:,+@=-]+(?=[ \t\r\n]|\Z)"
_ORDINARY = later(_WORD)
"""A whole word without any mark that means something to a shell."""
_NEXT = later(rf"[ \t]*({_WORD})")
"""The same behind another word and blanks, where no comment or "@" may be."""


class Lexer(Pieces):
    """Reads one text from start to end."""

    def __init__(self, text: str, flavour: Flavour, budget: Budget) -> None:
        super().__init__(text, flavour, budget)
        self._last_close = text.rfind("#>")
        self._heredocs: list[str] = []
        self._documents_close = True
        self._in_array = False

    def commands(self) -> Iterator[RawCommand]:
        """Yield every simple command that has words; raises what the budget says once it is spent."""
        while self._at < len(self._text):
            ended = self._step()
            if (ended or self._at == len(self._text)) and self._command.words:
                yield self._command
                self._command = RawCommand()

    def _step(self) -> bool:
        """Read a blank, comment, separator, redirection or word; True where a command ends."""
        if self._command.words and (match := _NEXT.match(self._text, self._at)):
            self._ordinary(match)
            return False
        if self._blank() or self._continues():
            return False
        if not PLACEHOLDER.match(self._text, self._at):
            if match := _REDIRECT.match(self._text, self._at):
                self._redirect(match)
                return False
            if match := _SEPARATOR.match(self._text, self._at):
                self._separate(match)
                return True
        if match := _ORDINARY.match(self._text, self._at):
            self._ordinary(match)
            return False
        start = self._at
        self._word()
        self._at = max(self._at, start + 1)  # a special character that means nothing here
        return False

    def _to_fill_in(self, start: int) -> re.Match[str] | None:
        return _NAMED.match(self._text, start) or _CHOICES.match(self._text, start)

    def _ordinary(self, match: re.Match[str]) -> None:
        self._budget.spend(1)
        word = match.lastindex or 0
        piece = Piece(match.group(word), quoted=False)
        self._command.words.append(RawWord((piece,), match.start(word), match.end()))
        self._at = match.end()

    def _blank(self) -> bool:
        """Step over blanks, or a comment where one may be."""
        blank = _QUIET if self._flavour.name == "batch" and not self._command.words else _BLANK
        blank_match = blank.match(self._text, self._at)
        if blank_match is None and not (self._command.words and self._flavour.comment_starts_command):
            blank_match = self._comment()
            self._budget.spend(blank_match is not None)
        self._at = blank_match.end() if blank_match else self._at
        return blank_match is not None

    def _comment(self) -> re.Match[str] | None:
        """Find a comment here; the end of a block comment that has none is not looked for again and again."""
        unclosed = self._text.startswith("<#", self._at) and self._at > self._last_close
        return None if unclosed else self._flavour.comment.match(self._text, self._at)

    def _separate(self, match: re.Match[str]) -> None:
        self._budget.spend(1)
        self._command.separator = mark = match.group().strip("\r")
        if mark in "()" and not self._command.words:
            self._command.before += mark
        self._at = match.end()
        if match.group().endswith("\n"):
            for delimiter in self._heredocs:
                self._skip_document(delimiter)
            self._heredocs.clear()

    def _skip_document(self, delimiter: str) -> None:
        """Step over a here-document; after one that never ends, none is looked for any more."""
        if self._documents_close:
            close = re.compile(rf"^[ \t]*{re.escape(delimiter)}[ \t]*\r?$", re.MULTILINE)
            end = close.search(self._text, self._at)
            self._documents_close = end is not None
            if end is not None:
                self._command.document = self._at, end.start()
                self._at = end.end()

    def _redirect(self, match: re.Match[str]) -> None:
        """Step over a redirection and its target; a here-document is skipped at the line's end."""
        self._at = match.end()
        if match.group(1):
            return
        while self._at < len(self._text) and self._text[self._at] in " \t":
            self._at += 1
        words = len(self._command.words)
        if self._at < len(self._text) and self._text[self._at] not in "\r\n;&|()<>":
            self._word()
        target = self._command.words[words:]
        del self._command.words[words:]
        if target and match.group().endswith(("<<", "<<-")):
            self._heredocs.append(target[0].literal)
        elif ">" in match.group():
            self._command.written += target

    def _continues(self) -> bool:
        """Step over a line continuation, also one that a blank or a comment spoils."""
        if not self._text.startswith(self._flavour.escape, self._at):
            return False
        behind = self._at + 1
        doubled = _DOUBLED.match(self._text, self._at) if self._flavour.of_pages else None
        if match := doubled or NEWLINE.match(self._text, behind):
            if self._flavour.unix_ends and match.group() != "\n" and self._command.words:
                ends = f'the Windows line end after the "{self._flavour.escape}" ends the command here'
                self._break(f"{ends}: bash takes LF alone (dos2unix)", behind)
            self._at = match.end()
            return True
        match = LATE_COMMENT.match(self._text, behind)
        if match is None or not self._command.words:
            return False
        what = "a comment" if "#" in match.group() else "a blank"
        self._break(f'{what} after the "{self._flavour.escape}" ends the command here', behind)
        self._at = match.end()
        return True

    def _word(self) -> None:
        """Read one word, quotes and variables included."""
        start = self._at
        pieces: list[Piece] = []
        if self._flavour.of_pages and (match := self._to_fill_in(start)):
            pieces.append(Piece(match.group(), quoted=True, variable=True))
            self._at = match.end()
        while self._at < len(self._text):
            if not self._piece(pieces, start):
                break
        if not pieces:
            return
        word = RawWord(tuple(pieces), start, self._at)
        if not self._in_array and self._text.startswith("(", self._at) and word.literal.endswith("="):
            word = self._array(word)
        self._command.words.append(word)

    def _array(self, word: RawWord) -> RawWord:
        outer, self._command, self._in_array = self._command, RawCommand(), True
        self._at += 1
        while self._at < len(self._text):
            ended = self._step()
            if ended and self._command.separator == ")":
                break
        items, self._command, self._in_array = tuple(self._command.words), outer, False
        return RawWord(word.pieces, word.start, self._at, items)

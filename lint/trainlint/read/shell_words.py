# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Cutting shell text into simple commands and words: POSIX shells, cmd.exe and PowerShell, leniently.

No grammar of any shell is implemented in full: what matters is which words a training command is given, where
each of them is, and that no input can make this fail. A quote that is never closed, or a blank behind a
line's continuation mark, ends in a `Broken` on that command; reading goes on with the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from trainlint.read.limits import Budget
from trainlint.read.shell_flavours import Flavour


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
    """The words between two separators; `end` is where its last word ends."""

    words: list[RawWord] = field(default_factory=list)
    broken: Broken | None = None
    separator: str = ""
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


_BLANK = re.compile(r"[ \t\r]+")
_QUIET = re.compile(r"[ \t\r@]+")
"""In a batch file, "@" before a command keeps it from being shown."""
_SEPARATOR = re.compile(r"(?:\r?\n)++|;;?|&&|\|\|?&?|&(?![>\d])|[()]")
_REDIRECT = re.compile(r"(?:\d+|&)?(?:<<<|<<-?|>>|>\||>|<(?!\())(&[\d-]+)?")
_PLACEHOLDER = re.compile(r"<[A-Za-z](?:[^<>\n]*[^<>\s])?>")
_LATE_COMMENT = re.compile(r"[ \t]+(?:#[^\n]*)?\r?\n")
_NAMED = re.compile(r"\[(?=[^\]\n]*[A-Za-z]{2})[A-Za-z][A-Za-z _.-]*\](?=[\s;]|\Z)")
"""A whole word in brackets that pages write for what the reader has to fill in: [PATH TO OPTION]."""
_DOUBLED = re.compile(r"\\{3}[ \t]*\r?\n")
"""A continuation mark of a page whose author escaped it for Markdown, where nothing is to be escaped."""
_NEWLINE = re.compile(r"\r?\n")
_WINDOWS_PATH = re.compile(r"(?:[A-Za-z]:|\.{1,2})\\")
_ORDINARY = re.compile(r"[\w./:,+@=-]+(?=[ \t\r\n]|\Z)")
"""A whole word without any mark that means something to a shell."""
_PLAIN = re.compile(r"[^\s;|()&\"'<>$%!{`^\\]+|[$%!{`^'\\]")
_SPECIAL = re.compile(r"[\\$`%!{^]")
_PARENTHESIS = re.compile(r"[()\n]")
_SCRIPT = re.compile(r"\.py[\"']?$")


class Lexer:
    """Reads one text from start to end."""

    def __init__(self, text: str, flavour: Flavour, budget: Budget) -> None:
        self._text = text
        self._flavour = flavour
        self._budget = budget
        self._at = 0
        self._last_close = text.rfind("#>")
        self._command = RawCommand()
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
        if self._blank() or self._continues():
            return False
        if not _PLACEHOLDER.match(self._text, self._at):
            if found := _REDIRECT.match(self._text, self._at):
                self._redirect(found)
                return False
            if found := _SEPARATOR.match(self._text, self._at):
                self._separate(found)
                return True
        if found := _ORDINARY.match(self._text, self._at):
            self._budget.spend(1)
            piece = Piece(found.group(), quoted=False)
            self._command.words.append(RawWord((piece,), self._at, found.end()))
            self._at = found.end()
            return False
        start = self._at
        self._word()
        self._at = max(self._at, start + 1)  # a special character that means nothing here
        return False

    def _blank(self) -> bool:
        """Step over blanks, or a comment where one may stand."""
        blank = _QUIET if self._flavour.name == "batch" and not self._command.words else _BLANK
        found = blank.match(self._text, self._at)
        if found is None and not (self._command.words and self._flavour.comment_starts_command):
            found = self._comment()
            self._budget.spend(found is not None)
        self._at = found.end() if found else self._at
        return found is not None

    def _comment(self) -> re.Match[str] | None:
        """Find a comment here; the end of a block comment that has none is not looked for again and again."""
        unclosed = self._text.startswith("<#", self._at) and self._at > self._last_close
        return None if unclosed else self._flavour.comment.match(self._text, self._at)

    def _separate(self, found: re.Match[str]) -> None:
        self._budget.spend(1)
        self._command.separator = found.group().strip("\r")
        self._at = found.end()
        if found.group().endswith("\n"):
            for delimiter in self._heredocs:
                self._skip_document(delimiter)
            self._heredocs.clear()

    def _skip_document(self, delimiter: str) -> None:
        """Step over a here-document; after one that never ends, none is looked for any more."""
        if self._documents_close:
            close = re.compile(rf"^[ \t]*{re.escape(delimiter)}[ \t]*\r?$", re.MULTILINE)
            body = close.search(self._text, self._at)
            self._documents_close = body is not None
            self._at = body.end() if body else self._at

    def _redirect(self, found: re.Match[str]) -> None:
        """Step over a redirection and its target; a here-document is skipped at the line's end."""
        self._at = found.end()
        if found.group(1):
            return
        while self._at < len(self._text) and self._text[self._at] in " \t":
            self._at += 1
        words = len(self._command.words)
        if self._at < len(self._text) and self._text[self._at] not in "\r\n;&|()<>":
            self._word()
        target = self._command.words[words:]
        del self._command.words[words:]
        if target and found.group().endswith(("<<", "<<-")):
            self._heredocs.append(target[0].literal)

    def _continues(self) -> bool:
        """Step over a line continuation, also one that a blank or a comment spoils."""
        if not self._text.startswith(self._flavour.escape, self._at):
            return False
        behind = self._at + 1
        doubled = _DOUBLED.match(self._text, self._at) if self._flavour.of_pages else None
        if found := doubled or _NEWLINE.match(self._text, behind):
            self._at = found.end()
            return True
        found = _LATE_COMMENT.match(self._text, behind)
        if found is None or not self._command.words:
            return False
        what = "a comment" if "#" in found.group() else "a blank"
        self._break(f'{what} after the "{self._flavour.escape}" ends the command here', behind)
        self._at = found.end()
        return True

    def _break(self, message: str, at: int) -> None:
        self._command.broken = self._command.broken or Broken(message, at)

    def _word(self) -> None:
        """Read one word, quotes and variables included."""
        start = self._at
        pieces: list[Piece] = []
        if self._flavour.of_pages and (found := _NAMED.match(self._text, start)):
            pieces.append(Piece(found.group(), quoted=True, variable=True))
            self._at = found.end()
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

    def _piece(self, pieces: list[Piece], start: int) -> bool:
        """Read the next piece of a word; False where the word ends."""
        self._budget.spend(1)
        char = self._text[self._at]
        if char in " \t\r\n;|()&":
            return False
        if char == '"' or (char == "'" and self._flavour.single_quotes):
            self._quote(pieces, char)
            return True
        if found := _PLACEHOLDER.match(self._text, self._at):
            pieces.append(Piece(found.group(), quoted=True))
            self._at = found.end()
            return True
        if char in "<>":
            return False
        if char == self._flavour.escape:
            return self._escape(pieces, start)
        return self._variable(pieces, quoted=False) or self._plain(pieces)

    def _plain(self, pieces: list[Piece]) -> bool:
        found = _PLAIN.match(self._text, self._at)
        if found is None:
            return False
        pieces.append(Piece(found.group(), quoted=False))
        self._at = found.end()
        return True

    def _escape(self, pieces: list[Piece], start: int) -> bool:
        behind = self._at + 1
        if found := _NEWLINE.match(self._text, behind):
            self._at = found.end()
            return self._at < len(self._text)
        if _LATE_COMMENT.match(self._text, behind):
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
        found = self._flavour.variable.match(self._text, self._at)
        if found is None:
            return False
        name = next(group for group in found.groups() if group is not None)
        pieces.append(Piece(found.group(), quoted, variable=True, name=name))
        self._at = found.end()
        return True

    def _output_end(self, opened: str | None) -> int:
        size = len(self._text)
        if opened is None:
            close = self._text.find("`", self._at + 1)
            line = self._text.find("\n", self._at, size if close < 0 else close)
            return line if line >= 0 else size if close < 0 else close + 1
        depth = 0
        for found in _PARENTHESIS.finditer(self._text, self._at):
            depth += {"(": 1, ")": -1}.get(found.group(), 0)
            if found.group() == "\n" or depth == 0:
                return found.end() if depth == 0 else found.start()
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
            newline = _NEWLINE.match(self._text, self._at + 1)
            following = self._text[self._at + 1]
            known = following in '"\\$`' or self._flavour.escape == "`"
            kept = "" if newline else following if known else char + following
            pieces.append(Piece(kept, quoted=True))
            self._at = newline.end() if newline else self._at + 2
        elif not self._variable(pieces, quoted=True):
            found = _SPECIAL.search(self._text, self._at + 1, end)
            stop = found.start() if found else end
            pieces.append(Piece(self._text[self._at : stop], quoted=True))
            self._at = stop
        self._at = min(self._at, end)

    def _quote_end(self, opened: int, quote: str) -> tuple[int, bool]:
        """Return where a quote closes; where it does not, the line's end before any continuation mark."""
        escape = re.escape(self._flavour.escape)
        escapes = quote == '"' and self._flavour.escape != "^"
        inner = rf'[^"{escape}]*(?:{escape}.[^"{escape}]*)*' if escapes else f"[^{quote}]*"
        found = re.compile(inner + quote, re.DOTALL).match(self._text, opened + 1)
        if found is not None:
            body = self._text[opened : found.end()]
            broken_lines = re.search(rf"(?<!{escape})(?<!{escape}\r)\n", body)
            if not (broken_lines and (self._flavour.name == "batch" or self._command.runs_script)):
                return found.end() - 1, True
        return self._line_end(opened + 1), False

    def _line_end(self, at: int) -> int:
        """Return where a line ends, without the blanks and the continuation mark at its end."""
        end = self._text.find("\n", at)
        line = self._text[at : len(self._text) if end < 0 else end].removesuffix("\r").rstrip(" \t")
        return at + len(line.removesuffix(self._flavour.escape).rstrip(" \t"))

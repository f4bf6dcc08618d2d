# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A shell script's commands with its variables filled in, in the order in which they are written.

Nothing runs: assignments with a known value are followed, everything else (`$1`, the output of a command, a
loop's variable, a value that depends on a branch) leaves the word unresolved, as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.commands.shell.file_edits import MOST_EDITS, FileEdit, edits_of
from trainlint.commands.shell.passed_variables import passed_variables
from trainlint.commands.shell.shell_flavours import Flavour
from trainlint.commands.shell.shell_functions import Functions
from trainlint.commands.shell.shell_loops import Loops
from trainlint.commands.shell.shell_raw import Broken, Piece, RawCommand, RawWord, Word
from trainlint.commands.shell.shell_variables import Value, Variables
from trainlint.commands.shell.shell_words import Lexer
from trainlint.commands.shell.working_folder import WorkingFolder
from trainlint.commands.shell.wrapped_lines import LEFT_OUT, goes_on, unwrapped
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import FILLED_LENGTH, Budget, word_budget
from trainlint.model.document import SCRIPT_ARGUMENTS

_LEFT_OUT = later(LEFT_OUT)
_ASSIGNMENT = later(r"([A-Za-z_]\w*)(\+)?=")
_KEYWORDS = frozenset("then do else elif if while until ! time { } exec command builtin".split())  # noqa: SIM905  # words in one text read better
_OPENERS = frozenset("if for while until case select".split())  # noqa: SIM905  # words in one text read better
_CLOSERS = frozenset("fi done esac".split())  # noqa: SIM905  # words in one text read better
_RESERVED = _KEYWORDS | _OPENERS | _CLOSERS
_DECLARE = frozenset("export declare local readonly typeset set setx".split())  # noqa: SIM905  # words in one text read better
_REST = later(r"[@*]|@:.*|\*")
_BARE_NUMBER = later(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)
_POWERSHELL_ASSIGNMENT = later(r"\$(env:)?([A-Za-z_]\w*)$", re.IGNORECASE)


class Command(Struct, frozen=True):
    """A simple command: its words, the environment it is given, and what is wrong with its text."""

    words: tuple[Word, ...]
    env: dict[str, str] = field(default_factory=dict)
    broken: Broken | None = None
    partial: str = ""
    """What stands for words that were left out: REST, which a run knows, or CUT, by whoever wrote it down."""
    start: int = 0
    end: int = 0
    folder: str | None = ""
    """Where it runs, relative to where its script was started; None where that is not known."""
    edits: tuple[FileEdit, ...] = ()
    """Files that commands before it write."""
    document: tuple[int, int] | None = None
    """Where in the text its here-document is."""


class Shell:
    """Variables and environment of one script; texts read in turn share them (a notebook's cells).

    `budget` bounds the words of a file that holds several scripts (a Markdown page's blocks). `arguments` are
    those that the script is called with, None for one that is not known; without them nothing is known of
    any. `folder` is where it is started (`Command.folder`), `edits` what was written before.
    """

    def __init__(
        self,
        flavour: Flavour,
        budget: Budget | None = None,
        arguments: Sequence[str | None] | None = None,
        folder: str | None = "",
        edits: Sequence[FileEdit] = (),
    ) -> None:
        self._edits = [*edits]
        self._flavour = flavour
        self._depth = 0
        self.folder = WorkingFolder(folder)
        self.budget = budget or word_budget()
        self.variables = Variables(self.budget, arguments)
        self.functions = Functions(self.variables)
        self._separator = ""

    def commands(self, text: str) -> Iterator[Command]:
        """Yield the commands of a text that are not assignments or keywords."""
        before: Command | None = None
        seen: set[tuple[object, ...]] = set()
        loops = Loops(self._texts, self._round, self._skip)
        raws = Lexer(text, self._flavour, self.budget).commands()
        raws = unwrapped(raws, text) if self._flavour.of_pages else raws
        for raw in loops.unrolled(raws) if self._flavour.name == "posix" else raws:
            self.folder.bracket(raw.before)
            command = self._command(raw)
            self.folder.bracket(raw.separator)
            self._separator = raw.separator
            if before is not None:
                yield _continued(before, raw, text)
            before = command
            if loops.deep and command is not None:
                self.budget.spend(len(raw.words))
                key = command.start, command.folder, *(word.text for word in command.words)
                before = None if key in seen else command  # what a loop repeats as it is counts once
                seen.add(key)
        if before is not None:
            yield before

    def _texts(self, word: RawWord) -> list[str] | None:
        """Return the texts that a word is, None where one is not known."""
        words = self._fill(word)
        rest = _is_rest(word) and self._rest(word) is None
        return None if rest or not all(word.resolved for word in words) else [word.text for word in words]

    def _round(self, name: str, value: str) -> None:
        self.variables.forget(name)
        self.variables.set(name, value)

    def _skip(self, raw: RawCommand) -> None:
        self.folder.bracket(raw.before + raw.separator)

    def _command(self, raw: RawCommand) -> Command | None:
        self.functions.take(raw, self._separator)
        begin = 0
        while begin < len(raw.words) and (keyword := raw.words[begin].literal) in _RESERVED:
            begin += 1
            if self._flavour.name == "posix":
                self._depth += (keyword in _OPENERS) - (keyword in _CLOSERS)
            if keyword in ("for", "select", "case"):
                if begin < len(raw.words) and keyword != "case":
                    self.variables.forget(raw.words[begin].literal)
                return None
        if self._flavour.name == "posix":
            self.variables.unsure = self._depth > 0 or self._separator in ("&&", "||")
        words = self._assignments(raw.words[begin:])
        if not words:
            return None
        env = dict(self.variables.env)
        index = 0
        while index < len(words) and (match := _ASSIGNMENT.match(words[index].literal)):
            env[match.group(1)] = self._env(words[index], match)
            index += 1
        if words[index:] and words[index].literal == "shift" and self.variables.arguments is not None:
            self.variables.shift(_number(words[index + 1].literal) if len(words) > index + 1 else 1)
            return None
        filled = [word for raw_word in words[index:] for word in self._fill(raw_word)]
        self.variables.follow([word.text for word in filled])
        env.update(passed_variables(filled))
        rest = any(_is_rest(word) and self._rest(word) is None for word in words[index:])
        start, here = words[0].start, self.folder.here
        self.folder.follow(filled, certain=self._depth == 0)
        end, edits = max(word.end for word in words), tuple(self._edits)
        written = [word for raw_word in raw.written for word in self._fill(raw_word)]
        self._edits += [*edits_of(filled, written, here)][: max(MOST_EDITS - len(edits), 0)]
        partial = SCRIPT_ARGUMENTS * rest
        return Command(tuple(filled), env, raw.broken, partial, start, end, here, edits, raw.document)

    def _assignments(self, words: list[RawWord]) -> list[RawWord]:
        """Take in a command that only assigns; return the words of any other."""
        if not words:
            return words
        first = words[0].literal
        if (match := _POWERSHELL_ASSIGNMENT.match(first)) and [word.literal for word in words[1:2]] == ["="]:
            self._powershell(match, words[2:])
            return []
        declares = first.lower() in _DECLARE
        if not declares and not all(_ASSIGNMENT.match(word.literal) for word in words):
            return words
        if self._flavour.name == "batch":
            self._batch(words[1:])
            return []
        for word in words[1:] if declares else words:
            if match := _ASSIGNMENT.match(word.literal):
                self.variables.assign(match.group(1), self._assigned(word, match))
                if first == "export":
                    self.variables.export(match.group(1), self._env(word, match))
        return []

    def _powershell(self, name: re.Match[str], words: list[RawWord]) -> None:
        called = bool(words) and _is_called(words[0])
        value = self._single(words[0]) if len(words) == 1 and not called else None
        if name.group(1):
            literal = " ".join(word.literal for word in words)
            self.variables.export(name.group(2), literal if value is None else value)
        else:
            self.variables.assign(name.group(2), value)

    def _batch(self, words: list[RawWord]) -> None:
        """`set X=a b` takes the rest of the line; with /a or /p the value is only known when it runs."""
        match = _ASSIGNMENT.match(words[0].literal) if words else None
        if match:
            values = [self._single(word) for word in words]
            known = [value for value in values if value is not None]
            text = " ".join(known)[match.end() :] if len(known) == len(values) else None
            self.variables.assign(match.group(1), text)
            literal = " ".join(word.literal for word in words)[match.end() :]
            self.variables.export(match.group(1), literal if text is None else text)
        elif len(words) > 1 and (later := _ASSIGNMENT.match(words[1].literal)):
            self.variables.assign(later.group(1), None)

    def _env(self, word: RawWord, match: re.Match[str]) -> str:
        """Return an environment variable's text, as it is written where it cannot be known."""
        value = self._assigned(word, match)
        return value if isinstance(value, str) else word.literal[match.end() :]

    def _assigned(self, word: RawWord, match: re.Match[str]) -> Value:
        """Return what an assignment assigns; `+=` adds to what is there."""
        value: Value
        if word.items is not None:
            value = tuple(part.text for item in word.items for part in self._fill(item))
        else:
            text = self._single(word)
            value = None if text is None else text[match.end() :]
        return self.variables.added(match.group(1), value) if match.group(2) else value

    def _single(self, word: RawWord) -> str | None:
        """Return a word's text without splitting it; None where it cannot be known."""
        texts: list[str] = []
        for piece in word.pieces:
            text = self._value(piece)
            if not isinstance(text, str):
                return None
            self.budget.spend(len(text) // FILLED_LENGTH if piece.variable else 0)
            texts.append(text)
        return "".join(texts)

    def _value(self, piece: Piece) -> Value:
        if not piece.variable:
            return piece.text
        return self.variables.look_up(piece.name) if piece.name else None

    def _rest(self, word: RawWord) -> Sequence[str] | None:
        """Return the script's arguments that "$@" or ${@:2} represents; None where one is not known."""
        name = next(piece.name or "" for piece in word.pieces if piece.text)
        return self.variables.rest(_number(name.partition(":")[2] or "1"))

    def _fill(self, word: RawWord) -> list[Word]:
        """Fill in variables; an unquoted one is split at blanks, an array gives its words."""
        if len(word.pieces) == 1 and not word.pieces[0].variable:
            return [Word(word.literal, word.start, word.end)]
        if _is_rest(word):
            return [Word(text, word.start, word.end) for text in self._rest(word) or ()]
        texts = self._split(word)
        if texts is not None:
            self.budget.spend(len(texts))
            return [Word(text, word.start, word.end) for text in texts]
        text = self._single(word)
        return [Word(word.literal if text is None else text, word.start, word.end, resolved=text is not None)]

    def _split(self, word: RawWord) -> Sequence[str] | None:
        """Return the words that a lone variable or array represents; None for any other word."""
        pieces = [piece for piece in word.pieces if piece.text]
        if len(pieces) != 1 or not pieces[0].variable:
            return None
        value = self._value(pieces[0])
        if isinstance(value, tuple):
            return value
        quoted = any(piece.quoted for piece in word.pieces) or self._flavour.name == "powershell"
        return value.split() if isinstance(value, str) and not quoted else None


def _is_rest(word: RawWord) -> bool:
    """Say whether a word represents the script's own arguments, `"$@"` or `%*`."""
    if len(word.pieces) == 1 and not word.pieces[0].variable:
        return False
    pieces = [piece for piece in word.pieces if piece.text]
    return len(pieces) == 1 and pieces[0].variable and bool(_REST.fullmatch(pieces[0].name or ""))


def _is_called(word: RawWord) -> bool:
    """Return whether what PowerShell assigns is a command or a call: a bare word that is no number."""
    bare = not any(piece.quoted or piece.variable for piece in word.pieces)
    return bare and not _BARE_NUMBER.fullmatch(word.literal)


def _number(text: str) -> int:
    """Return a small number; 1 for what is none."""
    return int(text) if re.fullmatch(r"\s*\d{1,3}\s*", text) else 1


def _continued(command: Command, following: RawCommand, text: str) -> Command:
    """Mark a command whose next line goes on with an option, though its own line does not continue."""
    if command.broken or not following.words or len(command.words) < 2:  # noqa: PLR2004 - program and script
        return command
    first = following.words[0]
    if not goes_on(text, command.end, first) or _LEFT_OUT.fullmatch(command.words[-1].text):
        return command
    message = f'the next line goes on with "{first.literal}", but this line ends without a continuation mark'
    return replace(command, broken=Broken(message, command.end))

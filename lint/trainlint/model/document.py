# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What reading yields: the text, its values, and where each of them is."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from itertools import accumulate
from typing import Any, Final, TypeVar

from msgspec import Struct, field

from trainlint.errors import UnreadableError

Path = tuple[str | int, ...]
"""Keys and list indices from the document's root to a value; () is the root."""

COMMAND: Final = "command"
"""The format of a command line; the others are those of files."""

ELLIPSIS_WORD: Final = "..."
SCRIPT_ARGUMENTS: Final = '"$@"'
"""What may stand for arguments that a command leaves out, in its `meta` as "partial": whoever wrote it down
cut them, or only a run knows them."""

ENVIRONMENT: Final = "env"
"""The format of a file that sets environment variables."""

PYTHON: Final = "python"
"""The format of a document that a program's calls were read into (documents/trainer_calls.py)."""

Release = tuple[int, int]
"""Major and minor version."""


class Span(Struct, frozen=True, order=True):
    """A half-open range of character offsets into `Source.text`."""

    start: int
    end: int


class Source(Struct, frozen=True, dict=True):
    """A file as text: decoded, without its BOM, line ends as they are.

    `path` is what messages show; `bom` says whether a UTF-8 BOM was stripped (writing puts it back).
    """

    path: str
    text: str
    bom: bool = False

    @cached_property
    def _before(self) -> array[int]:
        """Characters before each line, without line ends, in four bytes: a file may have 10^7 lines."""
        before = array("I", accumulate(map(len, self.text.split("\n")), initial=0))
        before.pop()
        return before

    def _start(self, line: int) -> int:
        return self._before[line - 1] + line - 1

    def position(self, offset: int) -> tuple[int, int]:
        """Return the 1-based (line, column) of a character offset."""
        line = bisect_right(range(1, len(self._before) + 1), offset, key=self._start)
        return line, offset - self._start(line) + 1

    def offset(self, line: int, column: int) -> int:
        """Return the character offset of a 1-based (line, column), held within the text."""
        start = self._start(min(max(line, 1), len(self._before)))
        return min(start + max(column, 1) - 1, len(self.text))

    def line(self, number: int) -> str:
        """Return the text of a 1-based line without its line end ("" past the end)."""
        if not 1 <= number <= len(self._before):
            return ""
        end = self._start(number + 1) if number < len(self._before) else len(self.text)
        return self.text[self._start(number) : end].rstrip("\r\n")


class Cell(Source, frozen=True, dict=True):
    """The code of a notebook's cell that is at hand in its kernel, whatever `path` it goes by.

    `before` are the cells that were run before it, and `variables` the names and values that the kernel has
    now, for `!python train.py --batch {NAME}`.
    """

    before: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


class ProgramText(Source, frozen=True, dict=True):
    """The command of a program that somebody ran: it is one command, whatever its script is called.

    Its last `own` words are the program's.
    """

    script: str = ""
    own: int = 0


class Place(Struct, frozen=True):
    """Where a value is; `key` is the span of its key in a mapping, None in a list or at the root."""

    value: Span
    key: Span | None = None


class Duplicate(Struct, frozen=True):
    """A key written twice in one mapping: the second wins silently in most loaders."""

    path: Path
    first: Span
    second: Span


class Install(Struct, frozen=True):
    """One line that installs torch; a bound that it does not set is None, `cuda` "" where it names none."""

    text: str  # the requirement as written: torch>=2.5.0
    span: Span
    oldest: Release | None = None
    newest: Release | None = None
    cuda: str = ""  # "12.8" for the index whl/cu128 or the version 2.7.0+cu128
    redirected: bool = False
    """The version is not quoted, and its < or > is the shell's."""


class Document(Struct, frozen=True):
    """One document of a file: plain Python values and the place of every one of them.

    `value` is what the trainer's loader would produce (YAML 1.1 scalars, tuples from `!!python/tuple`).
    `places` has an entry for every path in `value`, the root included.
    `format` is yaml, json, toml, env, command or python; `cell` is a notebook cell's 1-based number;
    `notes` are remarks of the reader that are not errors ("%name% template, not read").
    """

    source: Source
    value: Any
    places: Mapping[Path, Place]
    format: str
    index: int = 0
    cell: int | None = None
    duplicates: tuple[Duplicate, ...] = ()
    notes: tuple[str, ...] = ()
    broken: UnreadableError | None = None
    """Half a document (a command with a quote never closed): unreadable; `value` is what could be read."""
    installs: tuple[Install, ...] = ()
    """The lines of this file that install torch, with its first command alone."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """For commands: see trainlint.commands.training_command. {"fragment": True} for YAML, JSON or TOML inside
    another file; {"comments": ("//",)} for JSON; {"second": offset} for YAML where another one starts."""

    @property
    def line(self) -> int:
        """The 1-based line on which the document starts."""
        return self.source.position(self.places[()].value.start)[0]

    def located(self, path: Path) -> str:
        """Return "file:line" of a key, or of the closest that the user wrote above it."""
        place = self.nearest(path)
        return f"{self.source.path}:{self.source.position((place.key or place.value).start)[0]}"

    def raw(self, path: Path) -> str:
        """Return a value exactly as it is written, tag and quotes included."""
        span = self.places[path].value
        return self.source.text[span.start : span.end]

    def nearest(self, path: Path) -> Place:
        """Return the place of `path`, or of the closest enclosing value that the user wrote."""
        while path not in self.places:
            path = path[:-1]
        return self.places[path]


Made = TypeVar("Made")

AT_HAND: Final = 4
"""Documents of which `once` keeps what is made: the file's own and the edited one that is tried for a fix,
each as it is written and as the trainer's parser reads it."""


def once(work: Callable[[Document], Made]) -> Callable[[Document], Made]:
    """Keep what a function makes of the documents at hand, which are known by identity."""
    known: deque[tuple[Document, Made]] = deque(maxlen=AT_HAND)

    @wraps(work)
    def looked_up(document: Document) -> Made:
        for known_document, answer in known:
            if known_document is document:
                return answer
        answer = work(document)
        known.append((document, answer))
        return answer

    return looked_up

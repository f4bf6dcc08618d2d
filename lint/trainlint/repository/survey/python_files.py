# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository's Python files: which there are, their text, their syntax trees. No link is followed."""

from __future__ import annotations

import ast
import os
import re
import stat
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from trainlint.files.safe_open import ABSENT_ERRNOS, is_locked
from trainlint.files.syntax_tree import parsed

MOST_FILES: Final = 4000
"""Python files of a repository; the largest of the family (traiNNer-redux) has 260."""
MOST_TOTAL_BYTES: Final = 16 << 20
"""Bytes of them together; that one has 4 MB."""
FILE_BYTES: Final = 250_000
"""Bytes of a file that is parsed: the largest that is asked for has 110 KB; a hostile one takes 0.65 s."""
MOST_PARSED_BYTES: Final = 600_000
"""Bytes that are parsed in all: one job of BasicSR's asks for 250 KB, and hostile ones take 1.6 s."""
MOST_STEPS: Final = 200_000
"""Statements and imports that are looked at for what names mean: a class of traiNNer-redux takes 700."""
PASSED_OVER: Final = ("test", "tests", "node_modules", "build", "dist", "site-packages")
"""Folders that hold no trainer."""
OLDER_FOLDERS: Final = frozenset(("data", "models", "options"))
"""What lies next to the train.py of a program as BasicSR was before 1.0."""


class TooMuchError(Exception):
    """A repository is larger than what is read."""

    @property
    def answer(self) -> dict[str, Any]:
        """What the reading process says in place of an answer."""
        return {"error": str(self)}


class NoPythonError(TooMuchError):
    """A file that has a class is no Python that this version can read.

    `why` is what its parser says, at `line`; `sure`: no Python 3 could read it.
    """

    def __init__(self, path: str, name: str, text: str) -> None:
        version = ".".join(map(str, sys.version_info[:2]))
        super().__init__(f"{path}, which has {name}, is not Python that version {version} can read")
        self.path, self.name = path, name
        self.line, self.why, self.sure = complaint(text)

    @property
    def answer(self) -> dict[str, Any]:
        """What the reading process says, with the file."""
        names = ("path", "name", "line", "why", "sure")
        return {**super().answer, "broken": {name: getattr(self, name) for name in names}}


class Files:
    """The Python files below a folder, without those of repositories inside it.

    `package` is the trainer's package: a folder that has another one of that name is another trainer.
    """

    def __init__(self, root: str, package: str = "") -> None:
        self.root, self.package = os.path.realpath(root), package
        self._trees: dict[str, ast.Module | None] = {}
        self.begin()

    def begin(self) -> None:
        """Begin a question: its parsing is counted from zero, so that no answer depends on earlier ones."""
        self.room, self.steps = MOST_PARSED_BYTES, MOST_STEPS
        self._counted: set[str] = set()

    @cached_property
    def texts(self) -> dict[str, str]:
        """Path from the root, with slashes -> text. Raises TooMuchError."""
        texts: dict[str, str] = {}
        room = MOST_TOTAL_BYTES
        self._locked: list[OSError] = []
        for path in self._walk():
            try:
                with open(os.path.join(self.root, path), "rb") as file:  # noqa: PTH118, PTH123 - os.walk's paths
                    data = file.read(room + 1)
            except OSError as error:
                if error.errno in ABSENT_ERRNOS:
                    continue
                raise TooMuchError(f"{path} could not be read ({error.strerror})") from None
            room -= len(data)
            if room < 0 or len(texts) >= MOST_FILES:
                raise TooMuchError(
                    f"more than {MOST_FILES:,} Python files or {MOST_TOTAL_BYTES >> 20} MB of them"
                )
            texts[path.replace(os.sep, "/")] = data.decode("utf-8-sig", "replace")
        for refused in self._locked:
            if imports(texts.values(), os.path.basename(refused.filename)):  # noqa: PTH119  # os.walk's paths
                raise _unread(refused)
        return texts

    def _walk(self) -> Iterator[str]:
        for place, folders, files in os.walk(self.root, onerror=self._pass_over):
            if place != self.root and (self.package in folders or self._is_older(place, folders, files)):
                folders.clear()
                continue
            inner = [name for name in folders if not name.startswith(".") and name not in PASSED_OVER]
            folders[:] = sorted(name for name in inner if not _is_other(os.path.join(place, name)))  # noqa: PTH118  # os.walk's paths
            for name in sorted(files):
                path = os.path.join(place, name)  # noqa: PTH118  # os.walk's paths
                if name.endswith(".py") and _is_regular(path):
                    yield os.path.relpath(path, self.root)

    def _is_older(self, place: str, folders: Sequence[str], files: Sequence[str]) -> bool:
        """Return whether a folder next to the trainer's package has a program of before BasicSR was one."""
        if not self.package or "train.py" not in files or not OLDER_FOLDERS.issubset(folders):
            return False
        package = os.path.join(self.root, self.package)  # noqa: PTH118  # os.walk's paths
        within = os.path.commonpath((package, place))
        return os.path.isdir(package) and within not in (package, place)  # noqa: PTH112  # os.walk's paths

    def _pass_over(self, error: OSError) -> None:
        """Remember a folder that is locked; TooMuchError for any other that cannot be listed."""
        if is_locked(error.filename, error):
            self._locked.append(error)
        elif error.errno not in ABSENT_ERRNOS:
            raise _unread(error)

    def having(self, pattern: str) -> list[str]:
        """Return the paths of the files in which a pattern is found at the start of a line."""
        compiled = re.compile(pattern, re.MULTILINE)
        return [path for path, text in self.texts.items() if compiled.search(text)]

    def tree(self, path: str) -> ast.Module | None:
        """Return a file's syntax tree; None where it has none. Raises TooMuchError."""
        text = self.texts[path]
        if path not in self._counted:
            self._counted.add(path)
            self.room -= len(text)
        if len(text) > FILE_BYTES or self.room < 0:
            raise TooMuchError(f"{path} is too long, or all that would have to be read is")
        if path not in self._trees:
            self._trees[path] = parsed(text)
        return self._trees[path]

    def step(self, many: int) -> None:
        """Count what is looked at. Raises TooMuchError."""
        self.steps -= many
        if self.steps < 0:
            raise TooMuchError(f"more than {MOST_STEPS:,} steps to find out what its names mean")

    def module(self, dotted: str, near: str = "") -> str | None:
        """Return the path of a module as the file `near` imports it: from where its package lies or above."""
        parts = dotted.split(".")
        folder = near.rpartition("/")[0]
        while folder and f"{folder}/__init__.py" in self.texts:
            folder = folder.rpartition("/")[0]
        bases = [folder]
        while folder:
            folder = folder.rpartition("/")[0]
            bases.append(folder)
        for base in bases:
            stem = "/".join([base, *parts] if base else parts)
            for path in (f"{stem}.py", f"{stem}/__init__.py"):
                if path in self.texts:
                    return path
        return None


def imports(texts: Iterable[str], package: str) -> bool:
    """Return whether a text imports from a package of a name, or it from another one."""
    line = re.compile(rf"^[ \t]*(?:import|from)\b[^\n]*\b{re.escape(package)}\b", re.MULTILINE)
    return any(map(line.search, texts))


def _unread(error: OSError) -> TooMuchError:
    return TooMuchError(f"{error.filename} could not be read ({error.strerror})")


def _is_regular(path: str) -> bool:
    """Return whether a path is a regular file, no link. Raises TooMuchError where that cannot be said."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError as error:
        if error.errno not in ABSENT_ERRNOS:
            raise _unread(error) from None
        return False


def _is_other(folder: str) -> bool:
    return os.path.islink(folder) or os.path.lexists(os.path.join(folder, ".git"))  # noqa: PTH114, PTH118  # os.walk's paths


NEVER_PYTHON: Final = re.compile(
    r"was never closed|^unmatched '|^closing parenthesis|^Missing parentheses in call to 'print'"
    r"|^unterminated (?:triple-quoted )?string literal|^leading zeros in decimal"
)
"""What a parser says of brackets, quotes and statements that no Python 3 has taken or will take."""
FORMATTED: Final = re.compile(r"""(?i)\b(?:[ft]r?|r[ft])["']""")
"""A string of a kind whose quotes and brackets newer versions read otherwise."""
CONFLICT: Final = re.compile(r"(?m)^(?:<{7}|>{7}) ")
"""What git leaves where two sides changed a line."""


def complaint(text: str) -> tuple[int, str, bool]:
    """Return the line at which a text is no Python, why, and whether it is none for any Python 3."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except IndentationError as error:  # TabError is one
        return error.lineno or 1, error.msg, True
    except SyntaxError as error:
        marked = CONFLICT.search(text)
        if marked is not None:
            return text.count("\n", 0, marked.start()) + 1, "a conflict marker of git", True
        sure = NEVER_PYTHON.search(error.msg) is not None and not FORMATTED.search(text)
        return error.lineno or 1, error.msg, sure
    except (ValueError, RecursionError, MemoryError):
        pass
    return 1, "it is nested too deep, or has a null byte", False


OTHER_FOLDERS: Final = ("docs", "test", "test_scripts", "tests")
"""Folders whose Python trains nothing."""


def trains_nothing(path: str) -> bool:
    """Return whether a file of a repository is one of its tests, or of its documents."""
    return not set(OTHER_FOLDERS).isdisjoint(path.replace("\\", "/").split("/")[:-1])

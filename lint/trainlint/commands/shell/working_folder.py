# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The folder in which a script's commands run, as its `cd`, `pushd` and parentheses say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from posixpath import join, normpath
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from trainlint.files.enclosing_folders import folders_above, inside
from trainlint.model.document import Document

if TYPE_CHECKING:
    from trainlint.commands.shell.shell_raw import Word

CHANGES: Final = frozenset(("cd", "chdir", "pushd", "set-location"))
OPTIONS: Final = frozenset(("--", "-P", "-L", "/d", "/D", "-Path"))
UNKNOWN_STARTS: Final = ("/", "~", "-", "\\")
"""What begins a path that the text does not lead to."""
MOST_TAILS: Final = 4
"""Parts of a path that may have led to where the file is."""
MOST_PATH_CHARACTERS: Final = 1_000
"""Characters of a path that is followed."""


class WorkingFolder:
    """Where a script is: `here` is relative to where it was started ("" there), None once not known."""

    def __init__(self, here: str | None = "") -> None:
        self.here = here
        self._pushed: list[str | None] = []
        self._around: list[str | None] = []

    def follow(self, words: Sequence[Word], *, certain: bool) -> None:
        """Take in a command; one that not every run reaches leaves the folder unknown, if it changes it."""
        name = words[0].text.lower() if words else ""
        before = self.here
        if name == "popd":
            self.here = self._pushed.pop() if self._pushed else None
        elif name in CHANGES:
            left = [word for word in words[1:] if word.text not in OPTIONS]
            self.enter(left[0].text if len(left) == 1 and left[0].resolved else None)
        if name == "pushd":
            self._pushed.append(before)
        if not certain and self.here != before:
            self.here = None

    def enter(self, target: str | None) -> None:
        """Change into a folder; None: into one that the text does not name."""
        self.here = _moved(self.here, target)

    def bracket(self, marks: str) -> None:
        """Take in what separates commands: a folder that was changed in parentheses is left with them."""
        for mark in marks:
            if mark == "(":
                self._around.append(self.here)
            elif mark == ")" and self._around:
                self.here = self._around.pop()


def _moved(here: str | None, target: str | None) -> str | None:
    if here is None or not target or target.startswith(UNKNOWN_STARTS) or ":" in target:
        return None
    folder = normpath(join(here, target.replace("\\", "/")))
    return None if len(folder) > MOST_PATH_CHARACTERS else "" if folder == "." else folder


class RunFolder(Struct, frozen=True):
    """A folder in which a command may be run: `below` the outermost one around its file."""

    outermost: Path
    below: str

    def file(self, name: str) -> Path | None:
        """Return the file that a command names, if it is there and in the outermost folder."""
        path = normpath(join(self.below, name))
        return None if path.startswith(("..", "/")) else inside(self.outermost, path)


def run_folders(document: Document) -> Iterator[RunFolder]:
    """Yield where a command may be run: what lines before it lead to, then the folders around its file."""
    return folders_from(document.source.path, document.meta.get("folder"))


def folders_from(path: str, changed: str | None = None) -> Iterator[RunFolder]:
    """Yield the folders around a file, those first that `changed` leads to from them.

    Its first parts may lead where the file is: a page that says `cd REPO` lies in that folder.
    """
    above = list(folders_above(path))
    places = [folder.relative_to(above[-1]).as_posix() for folder in above]
    for tail in tails(changed or ""):
        for place in places:
            yield RunFolder(above[-1], join(place, tail))
    for place in places:
        yield RunFolder(above[-1], place)


def tails(changed: str) -> Iterator[str]:
    """Yield a folder that was changed into, and the same without its first parts."""
    parts = changed.split("/") if changed else []
    for index in range(min(len(parts), MOST_TAILS)):
        if index == 0 or parts[index - 1] != "..":
            yield "/".join(parts[index:])

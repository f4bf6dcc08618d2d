# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files that a script writes before it trains: `sed -i`, `yq -i`, `cp base.yml x.yml`, `cat > x.yml`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from posixpath import join, normpath
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from trainlint.expressions.patterns import later

if TYPE_CHECKING:
    from trainlint.commands.shell.shell_raw import Word

_IN_PLACE: Final = later(r"--in-?place(?:=.*)?|-[a-zA-Z]*i(?:\W.*)?|-i.*")
_EDITORS: Final = frozenset(("sed", "gsed", "perl", "ruby", "yq", "jq", "crudini", "dasel"))
_COPIERS: Final = frozenset(("cp", "mv", "copy", "move", "ln", "install", "rsync"))
_WITHOUT_FLAG: Final = frozenset(("crudini", "dasel"))
MOST_EDITS: Final = 64
"""Edits that are remembered: more are as good as one of an unknown file."""
LONGEST: Final = 80
"""Characters of an edit that are shown."""


class FileEdit(Struct, frozen=True):
    """A file that a command writes, as `folder` leads to it (None: not known); None: one of any name."""

    file: str | None
    folder: str | None
    text: str

    def changes(self, file: str, folder: str | None) -> bool:
        """Return whether it may be this file."""
        if self.file is None:
            return True
        if self.folder is None or folder is None:
            return fnmatchcase(_name(file), _name(self.file))
        return fnmatchcase(normpath(join(folder, file)), normpath(join(self.folder, self.file)))


def edits_of(words: Sequence[Word], written: Sequence[Word], folder: str | None) -> Iterator[FileEdit]:
    """Yield what a command writes: `words` are its own, `written` those after `>`."""
    text = " ".join(word.text for word in words)
    shown = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    program = _name(words[0].text).removesuffix(".exe") if words else ""
    rest = [word for word in words[1:] if not word.text.startswith("-")]
    files: Sequence[Word] = ()
    if program in _COPIERS and len(rest) > 1:
        files = rest[-1:]
    elif program == "tee":
        files = rest
    elif program in _EDITORS:
        in_place = any(_IN_PLACE.fullmatch(word.text) for word in words[1:])
        files = rest if in_place or program in _WITHOUT_FLAG else ()
    for word in files:
        yield FileEdit(word.text if word.resolved else None, folder, shown)
    for word in written:
        if word.resolved:
            yield FileEdit(word.text, folder, f"{shown} > {word.text}")


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The Python files of a repository, read up to limits that no repository of the family comes near."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from trainlint.expressions.patterns import later
from trainlint.files.safe_open import is_locked, note_failure, open_regular
from trainlint.repository.survey.python_files import imports

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping
    from pathlib import Path

LARGEST_FILE: Final = 1 << 20
"""Bytes of a file that is read; the largest of BasicSR's own has 60 KB, of traiNNer-redux's 110 KB."""
MOST_FILES: Final = 4000
"""Files that are read; the largest repository of the family (traiNNer-redux) has 250 in Python."""
MOST_BYTES: Final = 16 << 20
"""Bytes that are read in all: that repository has 4 MB."""
MOST_ENTRIES: Final = 200_000
"""Files and folders that are passed on the way, images among them: a second or two of walking."""

_COMMENT: Final = later(r"(?m)^[ \t]*+#.*$")
"""A line that is a comment: what is in it is not done."""
_QUOTES_IN_COMMENT: Final = later(r"""(?m)^[ \t]*+#.*(?:'''|\"\"\")""")
_STRING_OR_COMMENT: Final = later(
    r"""(?s)('''|\"\"\")(?:[^\\]|\\.)*?\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*"""
)
_DOCSTRING: Final = later(r'(?s)""".*?"""|\'\'\'.*?\'\'\'')


class TooManyError(Exception):
    """A repository holds more than is read."""


@lru_cache(maxsize=4)
def texts_of(folder: Path) -> Mapping[str, str] | None:
    """Return a repository's Python files by their paths from its root; None where not all can be read."""
    locked: list[OSError] = []
    try:
        texts = {os.path.relpath(path, folder): text for path, text in texts_below(folder, locked)}
    except OSError as error:
        note_failure(error.filename or folder, error)
        return None
    except TooManyError:
        return None
    code = [without_comments(text) for text in texts.values()] if locked else []
    for refused in locked:
        if imports(code, os.path.basename(refused.filename)):  # noqa: PTH119 - os.walk's paths
            note_failure(refused.filename, refused, used=True)
            return None
    return texts


def without_comments(text: str) -> str:
    """Return a text whose lines of comment are empty.

    Such a line in a string may end it: the quotes are left.
    """
    if _QUOTES_IN_COMMENT.search(text) is None:
        return _COMMENT.sub("", text)
    left, done = [], 0
    for match in _STRING_OR_COMMENT.finditer(text):
        if match[1] is not None:
            left += [text[done : match.end() - len(match[1])], f"\0{match[1]}"]
            done = match.end()
    return _COMMENT.sub(_ending, "".join((*left, text[done:]))).replace("\0", "")


def _ending(line: re.Match[str]) -> str:
    """Return what is left of a line of comment: from the end of a string on, if one ends there."""
    return line[0][line[0].find("\0") :] if "\0" in line[0] else ""


def without_docstrings(text: str) -> str:
    """Return a text without what is in three quotes."""
    return _DOCSTRING.sub("", text)


def texts_below(folder: Path, locked: list[OSError]) -> Iterator[tuple[str, str]]:
    """Yield the Python files below a folder, through no link, with their texts.

    `locked` is filled with the errors of folders that may not be looked into. Raises TooManyError, and
    OSError for a file that cannot be read.
    """
    room, files = MOST_BYTES, MOST_FILES
    for path in paths_below(folder, locked, (".py",)):
        file = open_regular(path)
        if file is None:
            continue
        with file:
            data = file.read(LARGEST_FILE + 1)
        room, files = room - len(data), files - 1
        if len(data) > LARGEST_FILE or room < 0 or files < 0:
            raise TooManyError
        yield path, data.decode("utf-8-sig", "replace")


def paths_below(folder: Path, locked: list[OSError], ends: tuple[str, ...]) -> Iterator[str]:
    """Yield the paths of the files below a folder whose names end so. Raises TooManyError."""
    left = MOST_ENTRIES

    def unread(error: OSError) -> None:
        if is_locked(error.filename, error):
            locked.append(error)
        note_failure(error.filename, error)

    for place, folders, files in os.walk(folder, onerror=unread):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        left -= len(folders) + len(files)
        if left < 0:
            raise TooManyError
        for name in sorted(files):
            path = os.path.join(place, name)  # noqa: PTH118 - os.walk's paths
            if name.endswith(ends) and not os.path.islink(path):  # noqa: PTH114  # no error where it may not look
                yield path

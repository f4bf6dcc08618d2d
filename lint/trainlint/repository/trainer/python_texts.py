# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The Python files of a repository, read up to limits that no repository of the family comes near."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from trainlint.files.safe_open import is_locked, note_failure, open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGEST_FILE: Final = 1 << 20
"""Bytes of a file that is read; the largest of BasicSR's own has 60 KB, of traiNNer-redux's 110 KB."""
MOST_FILES: Final = 4000
"""Files that are read; the largest repository of the family (traiNNer-redux) has 250 in Python."""
MOST_BYTES: Final = 16 << 20
"""Bytes that are read in all: that repository has 4 MB."""
MOST_ENTRIES: Final = 200_000
"""Files and folders that are passed on the way, images among them: a second or two of walking."""


class TooManyError(Exception):
    """A repository holds more than is read."""


def texts_below(folder: Path, locked: list[OSError]) -> Iterator[tuple[str, str]]:
    """Yield the Python files below a folder, through no link, with their texts.

    `locked` is filled with the errors of folders that may not be looked into. Raises TooManyError, and
    OSError for a file that cannot be read.
    """
    room, files = MOST_BYTES, MOST_FILES
    for path in _paths(folder, locked):
        file = open_regular(path)
        if file is None:
            continue
        with file:
            data = file.read(LARGEST_FILE + 1)
        room, files = room - len(data), files - 1
        if len(data) > LARGEST_FILE or room < 0 or files < 0:
            raise TooManyError
        yield path, data.decode("utf-8-sig", "replace")


def _paths(folder: Path, locked: list[OSError]) -> Iterator[str]:
    """Yield the paths of the Python files below a folder. Raises TooManyError."""
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
            if name.endswith(".py") and not os.path.islink(path):  # noqa: PTH114  # no error where it may not look
                yield path

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Opening a file that somebody else may have put there, or named: a regular one, without waiting."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO, Final

FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe that nobody writes to would be waited for; Windows would translate line ends."""

CHUNK: Final = 1 << 16
"""Bytes that are asked for first: room for all that a file may have would come from the system each time."""

LONGEST: Final = 4096
"""Characters of a path: Linux's PATH_MAX. To follow the links of a longer one takes time that grows with its
square: a name of 800,000 characters took 17 s."""


def is_path(text: str) -> bool:
    """Return whether a text can name a file: not too long, no zero character, no half of a surrogate."""
    try:
        return len(text) <= LONGEST and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def may_exist(path: str | os.PathLike[str]) -> bool:
    """Return whether something is there; what may not be looked at counts as there."""
    try:
        os.stat(path)  # noqa: PTH116 - as it came
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def open_regular(path: str | os.PathLike[str]) -> BinaryIO | None:
    """Open a regular file to be read; None for a device, a pipe, or a folder.

    Raises OSError where it cannot be opened, ValueError for a path that holds a zero character.
    """
    handle = os.open(path, FLAGS)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    return os.fdopen(handle, "rb")


def read_up_to(file: BinaryIO, most: int) -> bytes:
    """Return a file's bytes, one more than `most` where there are more."""
    data = file.read(min(CHUNK, most + 1))
    return data if len(data) < CHUNK else data + file.read(most + 1 - CHUNK)

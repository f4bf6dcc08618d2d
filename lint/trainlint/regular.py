# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Opening a file that somebody else may have put there: a regular one, without waiting."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO, Final

FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe that nobody writes to would be waited for; Windows would translate line ends."""


def open_regular(path: str | os.PathLike[str]) -> BinaryIO | None:
    """Open a regular file to be read; None for a device, a pipe, or a folder.

    Raises OSError where it cannot be opened, ValueError for a path that holds a zero character.
    """
    handle = os.open(path, FLAGS)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    return os.fdopen(handle, "rb")

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Reading a file that somebody else may have put there: a regular one, up to a size, without waiting."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from trainlint.estimate.header import StaleError

FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe that nobody writes to would be waited for; Windows would translate line ends."""


def read_regular(path: Path, most: int) -> bytes:
    """Return a file's bytes; StaleError for a device, a pipe, a folder, or a large one."""
    handle = os.open(path, FLAGS)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise StaleError("it is not a regular file")
    with open(handle, "rb") as file:  # noqa: PTH123  # a handle, not a path
        data = file.read(most + 1)
    if len(data) > most:
        raise StaleError(f"it is larger than {most:,} bytes")
    return data

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Reading a file that somebody else may have put there: a regular one, up to a size, without waiting."""

from __future__ import annotations

from pathlib import Path

from trainlint.files.safe_open import open_regular, read_up_to
from trainlint.tape.profile_header import StaleError


def read_regular(path: Path, most: int) -> bytes:
    """Return a file's bytes; StaleError for a device, a pipe, a folder, or a large one."""
    file = open_regular(path)
    if file is None:
        raise StaleError("it is not a regular file")
    with file:
        data = read_up_to(file, most)
    if len(data) > most:
        raise StaleError(f"it is larger than {most:,} bytes")
    return data

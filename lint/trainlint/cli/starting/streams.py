# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Standard output and standard error as they may be: closed, or without room."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def check_streams() -> None:
    """End with exit code 2 where standard output is closed; be silent where standard error is."""
    if sys.stderr is None:
        handle = os.open(os.devnull, os.O_WRONLY)  # in its place: no other file gets its number
        sys.stderr = os.fdopen(handle, "w", encoding="utf-8")
    if sys.stdout is None:
        sys.stderr.write("trainlint: standard output is closed: there is nowhere to report to\n")
        sys.exit(2)


def give_up(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere: the interpreter writes it once more at its end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return

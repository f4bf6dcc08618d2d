# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The standard input of a program: a terminal, as most are started from, that never answers."""

from __future__ import annotations

import contextlib
import os
import select
import struct
import subprocess
import sys
from collections.abc import Iterator
from threading import Event, Thread
from typing import Final

ROWS: Final = 24
COLUMNS: Final = 80
END_OF_FILE: Final = b"\x04"
"""The key that ends a terminal's input: each read of a program meets one."""
TICK_S: Final = 0.25
"""Seconds between two looks whether the program is over."""


@contextlib.contextmanager
def silent_terminal() -> Iterator[int]:
    """Give a file descriptor for a standard input: scripts ask how wide it is (`stty size`)."""
    opened = _opened()
    if opened is None:
        yield subprocess.DEVNULL
        return
    ours, theirs = opened
    over = Event()
    thread = Thread(target=_ending, args=(ours, over), daemon=True)
    thread.start()
    try:
        yield theirs
    finally:
        over.set()
        thread.join()
        os.close(theirs)
        os.close(ours)


def _opened() -> tuple[int, int] | None:
    """Return both ends of a pseudo-terminal; None on a system that has none to give."""
    if sys.platform == "win32":
        return None
    import fcntl  # noqa: PLC0415 - not on Windows
    import termios  # noqa: PLC0415 - as above

    try:
        ours, theirs = os.openpty()
    except OSError:
        return None
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    os.set_blocking(ours, False)
    return ours, theirs


def _ending(ours: int, over: Event) -> None:
    """End every read of the program."""
    with contextlib.suppress(OSError):
        while not over.is_set():
            if select.select([], [ours], [], TICK_S)[1]:
                os.write(ours, END_OF_FILE)

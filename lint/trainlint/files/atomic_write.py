# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The file next to another that holds its new text until that is complete, and is the lock between two runs.

It is made by one run alone and locked until it takes the other's name. A run that is killed leaves it behind
with no holder, and the next one removes it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from trainlint.errors import UsageError
from trainlint.files.enclosing_folders import led_out

LOCKS = find_spec("fcntl") is not None
"""Whether there are locks that end with their process; on Windows the name alone keeps two runs apart."""

DRAFT_SUFFIX = ".trainlint"
NAME_CHARACTERS = 60
"""Kept of a long name: a file's name may have 255 bytes, and a character of UTF-8 takes up to four."""

DIFF_INSTEAD = "--diff prints the change"
"""What to do where a file is not written."""

_ANEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_LOOK = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def draft_of(path: Path) -> Path:
    """Return where a file's new text is until it is complete."""
    return path.with_name(f".{path.name[:NAME_CHARACTERS]}{DRAFT_SUFFIX}")


@contextmanager
def draft(path: Path, shown: str) -> Iterator[BinaryIO]:
    """Make the file that will take another's place, held by this run; remove it where that fails."""
    name = draft_of(path)
    _remove_leftover_draft(path, shown)
    try:
        descriptor = os.open(name, _ANEW, 0o600)
    except FileExistsError:
        raise _busy(shown) from None
    with os.fdopen(descriptor, "wb") as file:
        if not _lock(descriptor) or not _is_still(name, descriptor):
            raise _busy(shown)  # another run took it for one that was left
        try:
            yield file
        except BaseException:
            if not LOCKS:
                file.close()  # Windows removes no open file
            name.unlink(missing_ok=True)
            raise


def remove_leftover_draft(shown: str) -> None:
    """Remove what a run that was killed left next to a file, unless another run holds it."""
    with suppress(OSError, UsageError):
        if led_out(shown) is None:
            _remove_leftover_draft(Path(shown).resolve(), shown)


def _remove_leftover_draft(path: Path, shown: str) -> None:
    name = draft_of(path)
    try:
        regular = stat.S_ISREG(name.lstat().st_mode)
    except FileNotFoundError:
        return
    if not regular:
        raise UsageError(
            f'"{name}" is in the way of "{shown}" and is not a file: remove it, or {DIFF_INSTEAD}'
        )
    descriptor = os.open(name, _LOOK)
    try:
        if not _lock(descriptor):
            raise _busy(shown)
        if LOCKS and _is_still(name, descriptor):
            name.unlink()
    finally:
        os.close(descriptor)
    if not LOCKS:
        name.unlink()


def _busy(shown: str) -> UsageError:
    return UsageError(f'"{shown}" is being fixed by another run of trainlint; nothing was written to it')


def _lock(descriptor: int) -> bool:
    """Lock an open file for as long as it is open; False where another process has it."""
    if not LOCKS:
        return True
    import fcntl  # noqa: PLC0415  # not on Windows

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a network's file system may know no locks
        return True
    return True


def _is_still(name: Path, descriptor: int) -> bool:
    """Return whether a name is still that of an open file."""
    try:
        return os.path.samestat(name.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False

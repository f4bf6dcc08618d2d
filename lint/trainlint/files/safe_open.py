# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Opening a file that somebody else may have put there, or named: a regular one, without waiting."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Callable

OPEN_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe without a writer would be waited for; Windows would translate line ends."""

CHUNK_BYTES: Final = 1 << 16
"""Bytes that are asked for first: room for all that a file may have would come from the system each time."""

MOST_PATH_CHARACTERS: Final = 4096
"""Characters of a path: Linux's PATH_MAX. To follow the links of a longer one takes time that grows with its
square: a name of 800,000 characters took 17 s."""


ABSENT_ERRNOS: Final = frozenset(
    {
        errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL, errno.ENXIO,
        errno.ENODEV, errno.EILSEQ,
    }
)  # fmt: skip
"""Errors by which a file is not there. With any other it is unknown what the file holds: no permission, too
many open files, a failing disk, a share that went away."""

_FAILED: Final[list[tuple[str, str]]] = []


def note_failure(path: str | os.PathLike[str], error: BaseException | None, *, used: bool = False) -> None:
    """Remember a read that failed though something may be there, for `failures`.

    A folder that is locked counts as empty, as a database's among one's own folders; but not where what is in
    it is `used`.
    """
    if not isinstance(error, OSError) or error.errno is None or error.errno in ABSENT_ERRNOS:
        return
    if used or not is_locked(path, error):
        _FAILED.append((os.fspath(path), (error.strerror or str(error)).lower()))


def is_locked(path: str | os.PathLike[str], error: OSError) -> bool:
    """Return whether a look failed since a folder may not be looked into: this one, or one above."""
    if not isinstance(error, PermissionError):
        return False
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError as other:
        return isinstance(other, PermissionError)


def failures(*, forget: bool = False) -> tuple[tuple[str, str], ...]:
    """Return the files that could not be read, each with why."""
    remembered = tuple(dict.fromkeys(_FAILED))
    if forget:
        _FAILED.clear()
    return remembered


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a regular file is there; a failed look is remembered."""
    return stat.S_ISREG(_mode(path, os.stat))


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder is there; a failed look is remembered."""
    return stat.S_ISDIR(_mode(path, os.stat))


def is_there(path: str | os.PathLike[str]) -> bool:
    """Return whether anything is there, a link that leads nowhere included; a failed look is remembered."""
    return _mode(path, os.lstat) != 0


def _mode(path: str | os.PathLike[str], look: Callable[[str | os.PathLike[str]], os.stat_result]) -> int:
    """Return what kind of file is there; 0 for none."""
    try:
        return look(path).st_mode
    except OSError as error:
        note_failure(path, error)
    except ValueError:
        pass
    return 0


def is_path(text: str) -> bool:
    """Return whether a text can name a file: not too long, no zero character, no half of a surrogate."""
    try:
        return len(text) <= MOST_PATH_CHARACTERS and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def may_exist(path: str | os.PathLike[str]) -> bool:
    """Return whether something is there; what may not be looked at counts as there."""
    try:
        os.stat(path)  # noqa: PTH116 - as it came
    except PermissionError:
        return True
    except OSError as error:
        note_failure(path, error)
        return False
    except ValueError:
        return False
    return True


def open_regular(path: str | os.PathLike[str]) -> BinaryIO | None:
    """Open a regular file to be read; None for a device, a pipe, or a folder.

    Raises OSError where it cannot be opened, ValueError for a path that holds a zero character.
    """
    handle = os.open(path, OPEN_FLAGS)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    return os.fdopen(handle, "rb")


def read_up_to(file: BinaryIO, most: int) -> bytes:
    """Return a file's bytes, one more than `most` where there are more."""
    data = file.read(min(CHUNK_BYTES, most + 1))
    return data if len(data) < CHUNK_BYTES else data + file.read(most + 1 - CHUNK_BYTES)

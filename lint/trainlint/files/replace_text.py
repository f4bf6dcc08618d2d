# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file's text replaced in one step or not at all: what `--fix` does to a disk."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from trainlint.errors import UsageError
from trainlint.files.atomic_write import DIFF_INSTEAD, LOCKS, draft, draft_of
from trainlint.files.enclosing_folders import led_out
from trainlint.model.document import Source

BOM = b"\xef\xbb\xbf"
WRITABLE = 0o222


def write_back(before: Source, after: Source) -> None:
    """Replace a file's text; BOM, line ends, permissions, owner and attributes stay.

    UsageError, and the file as it was, where it changed meanwhile, another run is writing it, it may not be
    written, it lies elsewhere than its name says, or it would lose its owner or its other names.
    """
    path, shown = Path(before.path).resolve(), before.path
    if (real := led_out(shown)) is not None:
        raise UsageError(f'"{shown}" is a link out of its repository, to "{real}": name that file itself')
    try:
        status = path.stat()
        _check(status, path, shown)
        with draft(path, shown) as file:
            _fill(file, _bytes(after), path, status, shown)
            if not LOCKS:
                file.close()  # Windows renames no open file
            if _identity(path.stat()) != _identity(status) or path.read_bytes() != _bytes(before):
                raise UsageError(f'"{shown}" was changed while it was linted; nothing was written to it')
            os.replace(draft_of(path), path)  # noqa: PTH105  # the one call that is atomic
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(f'cannot write "{shown}": {why}; it is unchanged') from None
    _sync(path.parent)


def _check(status: os.stat_result, path: Path, shown: str) -> None:
    """Refuse what cannot be replaced without a loss. The mode counts for root too, who may write anything."""
    if not status.st_mode & WRITABLE or not os.access(path, os.W_OK):
        raise UsageError(f'"{shown}" is read-only; {DIFF_INSTEAD}')
    if status.st_nlink > 1:
        raise UsageError(
            f'"{shown}" has {status.st_nlink} names (hard links), and only one of them would get the new '
            f"text; {DIFF_INSTEAD}"
        )


def _fill(file: BinaryIO, data: bytes, path: Path, status: os.stat_result, shown: str) -> None:
    """Write the new text to the disk, under the old file's owner, permissions and attributes."""
    file.write(data)
    file.flush()
    draft_status, name = os.fstat(file.fileno()), draft_of(path)
    if (draft_status.st_uid, draft_status.st_gid) != (status.st_uid, status.st_gid):
        try:
            os.chown(name, status.st_uid, status.st_gid)
        except OSError:
            raise UsageError(
                f'"{shown}" has another owner or group, which it would lose; {DIFF_INSTEAD}'
            ) from None
    shutil.copystat(path, name)
    os.utime(name)
    os.fsync(file.fileno())


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_gid, status.st_nlink


def _sync(folder: Path) -> None:
    """Have the new name on the disk as well, where the system lets a folder be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _bytes(source: Source) -> bytes:
    return (BOM if source.bom else b"") + source.text.encode("utf-8")

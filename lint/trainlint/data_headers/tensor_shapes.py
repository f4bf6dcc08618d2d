# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shapes of the tensors that a torch file holds, read from its pickle's opcodes: nothing of it is called.

A file of torch.save (since 1.6) is a zip archive whose data.pkl describes dictionaries and tensors
(pickle_reader.py); safetensors files have their shapes in a JSON header.
"""

from __future__ import annotations

import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO, Final, cast

from trainlint.data_headers.pickle_reader import (
    BeyondBoundsError,
    PickleReader,
    StoredTensor,
    UnknownFileError,
)

MOST_HEADER_BYTES: Final = 8 << 20
"""Bytes of a pickle, a header, or an archive's directory; those of a network of 10,000 tensors have 2 MB. As
JSON, 32 MB of brackets took 800 MB."""

TOO_LARGE: Final = f"has more than {MOST_HEADER_BYTES:,} bytes of names and shapes"

NAMES: Final = 100_000
"""Names in a file's dictionaries that are looked through; they may hold each other any number of times."""

DAMAGED_ARCHIVE_ERRORS: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(OSError, NotImplementedError, RuntimeError, EOFError, ValueError, OverflowError),
)
"""What zipfile raises for archives that are damaged, or were never any."""


POINTER: Final = b"version https://git-lfs.github.com/spec/"
"""What Git LFS leaves in the place of a file that was not fetched begins so (git-lfs, docs/spec.md)."""
PAGE: Final = (b"<!doctype", b"<html", b"<?xml")
"""What a download that went wrong left begins so."""


def kind_of(file: BinaryIO) -> str:
    """Return what torch.load stops at: "a pointer of Git LFS", "a web page", "safetensors"; else ""."""
    start = file.read(64)
    if start.startswith(POINTER):
        return "a pointer of Git LFS"
    if start.lstrip().lower().startswith(PAGE):
        return "a web page"
    return "safetensors" if start[8:10] == b'{"' and not start.startswith((b"PK", b"\x80")) else ""


def tensors_in(file: BinaryIO) -> Mapping[Any, Any]:
    """Return what a file holds at its top: names, and tensors or dictionaries of them.

    Raises UnknownFileError.
    """
    start = file.read(10)
    file.seek(0)
    if start.startswith(b"PK"):
        return _of_zip(file)
    length = int.from_bytes(start[:8], "little")
    if len(start) == 10 and 2 <= length <= MOST_HEADER_BYTES:  # noqa: PLR2004 - the header's length
        return _of_safetensors(file, length)
    if start.endswith(b'{"'):
        raise BeyondBoundsError(TOO_LARGE)
    raise UnknownFileError("is neither a zip archive of torch.save nor safetensors")


def _of_safetensors(file: BinaryIO, length: int) -> Mapping[Any, Any]:
    file.seek(8)
    try:
        header = json.loads(file.read(length))
        return {
            name: StoredTensor(tuple(map(int, entry["shape"])))
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        raise UnknownFileError("has no header of safetensors") from None


class _Bounded:
    """A file of which few bytes are read at once: an archive says how long its directory is."""

    def __init__(self, file: BinaryIO) -> None:
        self.seek, self.tell, self.seekable, self._read = file.seek, file.tell, file.seekable, file.read

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes; OSError for more than MOST_HEADER_BYTES."""
        data = self._read(min(size, MOST_HEADER_BYTES + 1) if size >= 0 else MOST_HEADER_BYTES + 1)
        if len(data) > MOST_HEADER_BYTES:
            raise OSError("more than is read at once")
        return data


def _of_zip(file: BinaryIO) -> Mapping[Any, Any]:
    try:
        with zipfile.ZipFile(cast("BinaryIO", _Bounded(file))) as archive:
            names = [info for info in archive.infolist() if info.filename.endswith("/data.pkl")]
            if len(names) != 1:
                raise UnknownFileError("is not an archive of torch.save")
            if names[0].file_size > MOST_HEADER_BYTES:
                raise BeyondBoundsError(TOO_LARGE)
            with archive.open(names[0]) as stream:
                data = stream.read(MOST_HEADER_BYTES + 1)
    except DAMAGED_ARCHIVE_ERRORS:
        raise UnknownFileError("is a broken archive") from None
    state = PickleReader().read(data)
    if not isinstance(state, dict):
        raise UnknownFileError("holds no dictionary")
    return state


def shapes(state: Mapping[Any, Any], depth: int = 2) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield name and shape of the tensors in a dictionary and those in it, of the first NAMES."""
    for name, value in islice(_named(state, depth), NAMES):
        if isinstance(value, StoredTensor):
            yield str(name), value.shape


def _named(state: Mapping[Any, Any], depth: int) -> Iterator[tuple[Any, Any]]:
    """Yield all that a dictionary and those in it hold."""
    for name, value in state.items():
        yield name, value
        if isinstance(value, dict) and depth:
            yield from _named(value, depth - 1)

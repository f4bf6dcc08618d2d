# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file, or standard input, as text: size, encoding and line ends settled before anyone parses it."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

from trainlint.errors import BinaryFileError, EncodingError, LinkedOutError, TooLargeError, UnreadableError
from trainlint.files.enclosing_folders import leads_out
from trainlint.files.read_limits import FILE_BYTES, NOTEBOOK_BYTES
from trainlint.files.safe_open import note_failure, open_regular, read_up_to
from trainlint.model.document import Source

_BOM = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

NO_CONFIG = "which no training config is"
OWN_LIMIT = "the most that is read"


def load_source(path: str) -> Source:
    """Read a file as UTF-8 text, line ends kept, a BOM stripped and remembered.

    Raises UnreadableError (TooLargeError) for what cannot be read: a folder, no permission, binary,
    another encoding, more than 10 MB (a notebook: 50 MB), or a link that leads out under another extension.
    """
    try:
        if os.path.isdir(path):  # noqa: PTH112 - paths stay the strings that messages show
            os.listdir(path)  # noqa: PTH208 - raises the reason why it cannot be read
            raise UnreadableError("is a folder, expected a file")
        if leads_out(path):
            raise LinkedOutError(
                "is a link out of its repository to a file with another extension: name that file itself"
            )
        return source_of(regular_bytes(path, _limit(path), NO_CONFIG), path)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error


def regular_bytes(path: str, limit: int, than: str = OWN_LIMIT) -> bytes:
    """Read a regular file of at most `limit` bytes; UnreadableError (TooLargeError) for anything else.

    `than` says of a larger one what the limit is. A pipe would wait for its writer, a device may never end.
    """
    try:
        file = open_regular(path)
        if file is None:
            if os.path.isdir(path):  # noqa: PTH112 - as above
                raise UnreadableError("is a folder, expected a file")
            raise UnreadableError(
                "is not a regular file; to lint what a program prints, pipe it into trainlint -"
            )
        with file:
            return _read(file, limit, than)
    except (OSError, ValueError) as error:
        note_failure(path, error)
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise UnreadableError(f"cannot be read: {reason}") from error


def load_stdin(path: str) -> Source:
    """Read standard input under the name that `--stdin-filename` gave; its suffix decides the format.

    Raises UnreadableError as `load_source` does.
    """
    if sys.stdin is None:
        raise UnreadableError("cannot be read: standard input is closed")
    try:
        return source_of(_read(sys.stdin.buffer, _limit(path), NO_CONFIG), path)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error


def source_of(data: bytes, path: str) -> Source:
    """Decode the bytes of a file; `path` is what messages show and what names the format.

    Raises UnreadableError for what is not UTF-8.
    """
    if data.startswith(UTF16_MARKS):
        text = data.decode("utf-16", "replace")
        raise EncodingError("is encoded as UTF-16, expected UTF-8: save it as UTF-8", text)
    bom = data.startswith(_BOM)
    body = data[len(_BOM) :] if bom else data
    if b"\0" in body:
        raise BinaryFileError("is a binary file, expected text")
    try:
        return Source(path, body.decode("utf-8"), bom)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        column = len(body[body.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8")) + 1
        text = body.decode("latin-1")
        raise EncodingError("is not UTF-8 text: save it as UTF-8", text, line, column) from error


def _limit(path: str) -> int:
    return NOTEBOOK_BYTES if path.lower().endswith(".ipynb") else FILE_BYTES


def _read(file: BinaryIO, limit: int, than: str) -> bytes:
    data = read_up_to(file, limit)
    if len(data) > limit:
        raise TooLargeError(f"is larger than {limit / 1_000_000:.3g} MB, {than}")
    return data

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The files of a repository that a tape was made from: their digests on the tape, and whether they changed.

A profile may be anybody's, so what it lists is only read inside of the repository, through no link.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

from trainlint.tape.bounded_read import read_regular
from trainlint.tape.profile_header import StaleError

FILE_PREFIX: Final = "file "
"""Prefix of the keys of a tape's `made_with` that name a file; its path from the root follows."""
DIGEST_DIGITS: Final = 16
LARGEST_FILE: Final = 1 << 20
"""Bytes of a file; the largest in BasicSR's family has 110 KB."""


def made_of(root: Path, files: Iterable[str]) -> dict[str, str]:
    """Return the entries for a tape's `made_with` of files by their paths from the root."""
    return {f"{FILE_PREFIX}{path}": digest_of(root, path) or "" for path in sorted(files)}


def changed(made_with: Mapping[str, str], root: Path) -> str | None:
    """Say which file of a tape is another one now; None where all are as they were."""
    files = {
        key.removeprefix(FILE_PREFIX): digest
        for key, digest in made_with.items()
        if key.startswith(FILE_PREFIX)
    }
    if not files:
        return "it does not say which files it was made from"
    file = next((path for path, digest in files.items() if digest_of(root, path) != digest), None)
    return f"{file} was changed after it was made" if file is not None else None


def digest_of(root: Path, path: str) -> str | None:
    """Return the digest of a file, whatever its line ends; None where the root has no such file."""
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or PurePosixPath(path).is_absolute():
        return None
    place = root.joinpath(*parts)
    inside = os.path.join(os.path.realpath(root), "")  # noqa: PTH118  # a trailing slash, which pathlib drops
    if not os.path.realpath(place).startswith(inside):
        return None
    try:
        data = read_regular(place, LARGEST_FILE)
    except (OSError, StaleError, ValueError):
        return None
    return sha256(data.replace(b"\r\n", b"\n")).hexdigest()[:DIGEST_DIGITS]

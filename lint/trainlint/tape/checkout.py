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

from trainlint.tape.bounded import read_regular
from trainlint.tape.header import StaleError

OWN: Final = "own"
"""Field of a step that runs a repository's code: its root, and what of the step is its own."""
ROOT: Final = "root"
"""Key in it of the repository's folder, which no tape holds."""
WHY: Final = "why"
"""Key in it of what is not as published, in words."""
FILE: Final = "file "
"""What keys of a tape's `made_with` begin with that name a file, before its path from the root."""
DIGITS: Final = 16
LARGEST: Final = 1 << 20
"""Bytes of a file; the largest of BasicSR's family has 110 KB."""
AGAIN: Final = "trainlint trace --run-code makes it again"


def made_of(root: Path, files: Iterable[str]) -> dict[str, str]:
    """Return the entries for a tape's `made_with` of files by their paths from the root."""
    return {f"{FILE}{path}": digest_of(root, path) or "" for path in sorted(files)}


def changed(made_with: Mapping[str, str], root: Path) -> str | None:
    """Say which file of a tape is another one now; None where all are as they were."""
    files = {key.removeprefix(FILE): digest for key, digest in made_with.items() if key.startswith(FILE)}
    if not files:
        return f"it does not say which files it was made from: {AGAIN}"
    found = next((path for path, digest in files.items() if digest_of(root, path) != digest), None)
    return f"{found} was changed after it was made: {AGAIN}" if found is not None else None


def digest_of(root: Path, path: str) -> str | None:
    """Return the digest of a file, whatever its line ends; None where it is no such file inside the root."""
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or PurePosixPath(path).is_absolute():
        return None
    place = root.joinpath(*parts)
    inside = os.path.join(os.path.realpath(root), "")  # noqa: PTH118  # a trailing slash, which pathlib drops
    if not os.path.realpath(place).startswith(inside):
        return None
    try:
        data = read_regular(place, LARGEST)
    except (OSError, StaleError, ValueError):
        return None
    return sha256(data.replace(b"\r\n", b"\n")).hexdigest()[:DIGITS]

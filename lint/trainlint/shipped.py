# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether what trainlint ships (rules, schemas) has to be checked before it is used.

In a wheel it was, before it was built. In a checkout it is checked whenever a file of it, or of the code that
checks, changed: a stamp next to Python's own compiled files remembers what was right.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from trainlint.resources import PACKAGE, resource

CHECKERS = ("*.py", "normalise/*.py", "normalise/*.json", "judge/*.py", "judge/*.json")
"""The files of the package that decide what is right."""


@contextlib.contextmanager
def checked_once(name: str) -> Iterator[bool]:
    """Say whether `rules` or `schemas` have to be checked; remembered where the block raises nothing."""
    folder = resource(name)
    if folder.parent == PACKAGE:
        yield False
        return
    stamp, now = PACKAGE / "__pycache__" / f"checked-{name}", _state()
    fresh = _read(stamp) == now
    yield not fresh
    if not fresh:
        _write(stamp, now)


def _state() -> str:
    """Return a digest of the names, sizes and times of all files concerned, as Python's cache goes by."""
    folders = [(resource(name), "*") for name in ("rules", "schemas")]
    digest = sha256()
    for folder, pattern in [*folders, *((PACKAGE, pattern) for pattern in CHECKERS)]:
        for path in sorted(folder.glob(pattern)):
            entry = path.stat()
            digest.update(f"{path}\0{entry.st_size}\0{entry.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _write(path: Path, text: str) -> None:
    """Write a stamp in one step; a checkout that may not be written to is checked every time."""
    own = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        own.write_text(text, encoding="utf-8")
        own.replace(path)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which files of a folder git would ignore: every .gitignore from the repository's root downwards."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISREG

from msgspec import Struct

from trainlint.errors import TooLargeError, UnreadableError, UsageError
from trainlint.files.glob_patterns import Pattern, pattern_of
from trainlint.files.read_limits import IGNORE_BYTES, IGNORE_CHAIN, IGNORE_LINES
from trainlint.files.safe_open import ABSENT_ERRNOS
from trainlint.files.text_source import regular_bytes


class _Rules(Struct, frozen=True):
    folder: Path
    patterns: tuple[Pattern, ...]

    def verdict(self, path: Path, *, folder: bool) -> bool | None:
        """Say whether this file's patterns ignore a path; None where no pattern speaks of it."""
        name = path.relative_to(self.folder).as_posix()
        for pattern in reversed(self.patterns):  # the last one that speaks of a path decides
            if pattern.matches(name, folder=folder):
                return pattern.ignores
        return None


class Ignored(Struct, frozen=True):
    """The .gitignore files that hold in one folder, outermost first."""

    rules: tuple[_Rules, ...] = ()

    @classmethod
    def above(cls, folder: Path) -> Ignored:
        """Collect what holds in an absolute folder from the repository around it, if there is one.

        A folder that the repository itself ignores was asked for by name: then only its own files count.
        """
        parents = [folder, *folder.parents]
        root = next((parent for parent in parents if os.path.exists(parent / ".git")), None)  # noqa: PTH110  # no error where it may not look
        if root is None:
            return cls()
        ignored = cls(_load(root, ".git/info/exclude"))
        for parent in reversed(parents[1 : parents.index(root) + 1]):
            ignored = ignored.within(parent)
        return cls() if any(ignored.holds(p, folder=True) for p in _chain(folder, root)) else ignored

    def within(self, folder: Path) -> Ignored:
        """Return what holds one folder further down, its own .gitignore included."""
        own = _load(folder, ".gitignore")
        if own and sum(len(rules.patterns) for rules in self.rules + own) > IGNORE_CHAIN:
            raise UsageError(
                f'"{folder / ".gitignore"}" and those above it hold more than {IGNORE_CHAIN:,} patterns, '
                "too many to match every file with"
            )
        return Ignored(self.rules + own) if own else self

    def holds(self, path: Path, *, folder: bool) -> bool:
        """Say whether git ignores an absolute path: the innermost file that speaks of it decides."""
        for rules in reversed(self.rules):
            verdict = rules.verdict(path, folder=folder)
            if verdict is not None:
                return verdict
        return False


def _chain(folder: Path, root: Path) -> list[Path]:
    return [path for path in (folder, *folder.parents) if path != root and root in path.parents]


def _load(folder: Path, name: str) -> tuple[_Rules, ...]:
    path = folder / name
    if not _is_readable(path):
        return ()
    try:
        text = regular_bytes(str(path), IGNORE_BYTES).decode("utf-8", "replace")
    except TooLargeError:
        raise UsageError(
            f'"{path}" is larger than {IGNORE_BYTES:,} bytes, too much to match every file with'
        ) from None
    except UnreadableError as error:
        raise UsageError(f'"{path}" {error}') from None
    lines = text.removeprefix("\ufeff").split("\n")
    if len(lines) > IGNORE_LINES:
        raise UsageError(
            f'"{path}" holds more than {IGNORE_LINES:,} lines, too many to match every file with'
        )
    patterns = (pattern_of(line) for line in lines)
    return (_Rules(folder, tuple(pattern for pattern in patterns if pattern is not None)),)


def _is_readable(path: Path) -> bool:
    """Return whether a file is there to be read; UsageError where the machine fails to say."""
    try:
        return S_ISREG(path.stat().st_mode)
    except OSError as error:
        if error.errno in ABSENT_ERRNOS or isinstance(error, PermissionError):  # of a folder that is locked
            return False
        raise UsageError(f'"{path}" cannot be read: {(error.strerror or str(error)).lower()}') from None

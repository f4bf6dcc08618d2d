"""Which files of a folder git would ignore: every .gitignore from the repository's root downwards."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec


@dataclass(frozen=True)
class _Rules:
    folder: Path
    spec: GitIgnoreSpec

    def verdict(self, path: Path, *, folder: bool) -> bool | None:
        """Say whether this file's patterns ignore a path; None where no pattern speaks of it."""
        name = path.relative_to(self.folder).as_posix() + ("/" if folder else "")
        return self.spec.check_file(name).include


@dataclass(frozen=True)
class Ignored:
    """The .gitignore files that hold in one folder, outermost first."""

    rules: tuple[_Rules, ...] = ()

    @classmethod
    def above(cls, folder: Path) -> Ignored:
        """Collect what holds in an absolute folder from the repository around it, if there is one.

        A folder that the repository itself ignores was asked for by name: then only its own files count.
        """
        parents = [folder, *folder.parents]
        root = next((parent for parent in parents if os.path.exists(parent / ".git")), None)  # noqa: PTH110
        if root is None:
            return cls()
        ignored = cls(_load(root, ".git/info/exclude"))
        for parent in reversed(parents[1 : parents.index(root) + 1]):
            ignored = ignored.within(parent)
        return cls() if any(ignored.holds(p, folder=True) for p in _chain(folder, root)) else ignored

    def within(self, folder: Path) -> Ignored:
        """Return what holds one folder further down, its own .gitignore included."""
        own = _load(folder, ".gitignore")
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
    if not os.path.isfile(path) or not os.access(path, os.R_OK):  # noqa: PTH113 - no error where it may not look
        return ()
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return (_Rules(folder, GitIgnoreSpec.from_lines(lines)),)

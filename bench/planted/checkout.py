# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A snapshot of somebody's repository, laid out in a folder, and what its source says."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

OPTIONS = re.compile(r"\.(ya?ml|json)$")
TESTS = re.compile(r"test|infer|eval|demo|(^|/)\.", re.IGNORECASE)
TEXTS = (".py", ".yml", ".yaml", ".json", ".toml", ".md", ".sh", ".txt", ".cfg", ".csv")


@dataclass(frozen=True)
class Checkout:
    """A repository's files at one commit."""

    name: str
    commit: str
    folder: Path

    @cached_property
    def source(self) -> str:
        """Return all Python of the checkout as one text."""
        files = sorted(self.folder.rglob("*.py"))
        return "\n".join(file.read_bytes().decode("utf-8", "replace") for file in files)

    @cached_property
    def option_names(self) -> tuple[str, ...]:
        """Return what may be a training option file, in an order that has nothing to do with its content."""
        files = (
            path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()
        )
        return tuple(
            sorted(
                (name for name in files if OPTIONS.search(name) and not TESTS.search(name)),
                key=lambda name: sha256(name.encode()).digest(),
            )
        )

    def asks_for(self, key: str) -> bool:
        """Say whether the source subscripts this key, and nowhere asks whether it is there."""
        quoted = rf"['\"]{re.escape(key)}['\"]"
        return bool(re.search(rf"\[\s*{quoted}\s*\]", self.source)) and not re.search(
            rf"(get|pop|setdefault)\(\s*{quoted}|{quoted}\s+(not\s+)?in\b", self.source
        )

    def reads(self, key: str) -> bool:
        """Say whether the source mentions this key in quotes."""
        return re.search(rf"['\"]{re.escape(key)}['\"]", self.source) is not None

    def has(self, word: str) -> bool:
        """Say whether the source has this word, as the name of anything."""
        return re.search(rf"\b{re.escape(word)}\b", self.source) is not None

    def file(self, *endings: str) -> str | None:
        """Return the shortest path in the checkout that ends so."""
        for ending in endings:
            found = [
                path.relative_to(self.folder).as_posix() for path in self.folder.rglob(Path(ending).name)
            ]
            fitting = [path for path in found if f"/{path}".endswith(f"/{ending}")]
            if fitting:
                return min(fitting, key=lambda path: (len(path), path))
        return None


def laid_out(snapshots: Path, name: str, into: Path) -> Checkout:
    """Write a snapshot's texts into a folder; FileNotFoundError where there is no such snapshot."""
    kept = snapshots / name.replace("/", "+") / "repo"
    git = next((place for place in (kept / ".git", kept) if (place / "objects").is_dir()), None)
    if git is None:
        raise FileNotFoundError(f"{kept}: no snapshot of {name}")
    folder = into / name.replace("/", "+")
    folder.mkdir(parents=True)
    commit = _git(git, "rev-parse", "HEAD").decode().strip()
    listed = _git(git, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode("utf-8", "replace").split("\0")
    wanted = [path for path in listed if path.endswith(TEXTS)]
    with tarfile.open(fileobj=io.BytesIO(_git(git, "archive", "HEAD", "--", *wanted))) as archive:
        archive.extractall(folder, filter="data")
    return Checkout(name, commit, folder)


def _git(git: Path, *words: str) -> bytes:
    command = ["git", f"--git-dir={git}", *words]
    return subprocess.run(command, check=True, capture_output=True).stdout  # noqa: S603 - reads a snapshot

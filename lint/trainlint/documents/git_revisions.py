# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files as they are in two revisions of a git repository, read without a checkout.

Only commands that read objects are run, and nothing that the repository configures is: no hook, filter,
pager, external diff or monitor; what is not there is not fetched.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from trainlint.child_processes import program
from trainlint.errors import UnreadableError, UsageError
from trainlint.files.read_limits import FILE_BYTES
from trainlint.files.text_source import source_of
from trainlint.model.document import Source

MOST_CHANGED_FILES = 1_000
"""Changed files between two revisions that are looked at."""

GIT_TIMEOUT_S = 60
"""For one git command; objects of a large repository take a few."""

_OFF = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.sshCommand=false",
    "protocol.allow=never", "diff.external=", "core.attributesFile=/dev/null",
)  # fmt: skip
"""Settings of a repository that name programs, or lead to them, turned off."""

_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false",
    "GIT_EXTERNAL_DIFF": "", "GIT_PAGER": "cat", "GIT_ALLOW_PROTOCOL": "", "LC_ALL": "C",
}  # fmt: skip


REGULAR_FILE_MODES = ("100644", "100755")
"""How git's trees mark what is neither a link nor a submodule."""


class Changed(Struct, frozen=True):
    """A file that two revisions do not have alike, with its object in each; None where it is not there."""

    path: str
    old: str | None
    new: str | None


class GitRepository:
    """The repository around a folder. UsageError where there is none, or no git."""

    def __init__(self, folder: Path) -> None:
        git = program("git")
        if git is None:
            raise UsageError("comparing revisions needs git, which is not installed")
        self._git = git
        self._folder = folder
        self.root = Path(self._text("rev-parse", "--show-toplevel").rstrip("\n"))

    def commit(self, name: str) -> str:
        """Return the id of the commit that a name means; UsageError where there is none."""
        if name.startswith("-") or "\0" in name:
            raise UsageError(f'"{name}" is no name of a revision')
        answer = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if answer.returncode or not answer.stdout:
            raise UsageError(f'"{name}" is neither a file nor a revision of the repository in {self.root}')
        return answer.stdout.decode().strip()

    def changed(self, old: str, new: str) -> list[Changed]:
        """Return the regular files that differ between two commits, by path from the root on.

        Raises UsageError for more than are compared.
        """
        raw = self._text("diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", old, new)
        fields = raw.split("\0")
        if len(fields) // 2 > MOST_CHANGED_FILES:
            raise UsageError(
                f"{len(fields) // 2:,} files differ; {MOST_CHANGED_FILES:,} are compared at most"
            )
        return [_changed(info, path) for info, path in zip(fields[::2], fields[1::2], strict=False)]

    def files(self, commit: str) -> dict[str, str]:
        """Return the objects of a commit's regular files, by path from the root on."""
        listed = self._text("ls-tree", "-r", "-z", "--full-tree", commit).split("\0")
        entries = (line.partition("\t") for line in listed if line)
        return {
            path: info.split(" ")[2] for info, _, path in entries if info.split(" ")[0] in REGULAR_FILE_MODES
        }

    def source(self, blob: str | None, path: str) -> Source | None:
        """Return a file's text; None where it is not there. UnreadableError where it is no text."""
        if blob is None:
            return None
        size = int(self._text("cat-file", "-s", blob))
        if size > FILE_BYTES:
            raise UnreadableError(f"has {size:,} bytes, expected at most {FILE_BYTES:,}")
        return source_of(self._run("cat-file", "blob", blob, check=True).stdout, path)

    def _text(self, *words: str) -> str:
        return os.fsdecode(self._run(*words, check=True).stdout)

    def _run(self, *words: str, check: bool = False) -> subprocess.CompletedProcess[bytes]:
        off = [part for setting in _OFF for part in ("-c", setting)]
        try:
            done = subprocess.run(  # noqa: S603  # git's own reading of objects, see the module
                [self._git, "--no-pager", "-C", str(self._folder), *off, *words],
                env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False,
                timeout=GIT_TIMEOUT_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise UsageError(f"git {words[0]} took more than {GIT_TIMEOUT_S} s") from None
        if check and done.returncode:
            lines = os.fsdecode(done.stderr).strip().splitlines() or ["it said nothing"]
            raise UsageError(f"git {words[0]} failed: {lines[-1]}")
        return done


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | _ENVIRONMENT


def _changed(info: str, path: str) -> Changed:
    old_mode, new_mode, old, new, _ = info.removeprefix(":").split(" ", 4)
    return Changed(path, _blob(old_mode, old), _blob(new_mode, new))


def _blob(mode: str, name: str) -> str | None:
    """Return the object of a regular file; links and submodules have none to read."""
    return name if mode in REGULAR_FILE_MODES else None


def sources(
    repository: GitRepository, changed: Sequence[Changed]
) -> Iterator[tuple[Changed, Source | None, Source | None]]:
    """Yield the changed files with both texts; a side that is no text counts as not there."""
    for change in changed:
        path = os.path.relpath(repository.root / change.path)
        yield change, _quiet(repository, change.old, path), _quiet(repository, change.new, path)


def _quiet(repository: GitRepository, blob: str | None, path: str) -> Source | None:
    try:
        return repository.source(blob, path)
    except UnreadableError:
        return None

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
from tempfile import TemporaryFile
from threading import Event, Timer

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

MOST_GIT_BYTES = 1 << 26
"""Of what one git command prints: Chromium's 450,000 files are 40 MB. A few trees that hold each other list
more files than any disk has (and `git diff-tree` keeps them all before it prints one)."""

ERROR_BYTES = 10_000
"""Of what git says went wrong."""

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
        around = folder.resolve()
        holder = next((above for above in (around, *around.parents) if (above / ".git").exists()), None)
        if holder != self.root.resolve():  # core.worktree of a repository that came with its .git
            raise UsageError(
                f'the repository in {holder or around} has its files elsewhere, in "{self.root}"'
            )

    def commit(self, name: str) -> str:
        """Return the id of the commit that a name means; UsageError where there is none."""
        if name.startswith("-") or "\0" in name:
            raise UsageError(f'"{name}" is not a revision')
        answer = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if answer.returncode or not answer.stdout:
            raise UsageError(f'"{name}" is neither a file nor a revision of the repository in {self.root}')
        return answer.stdout.decode().strip()

    def changed(self, old: str, new: str) -> list[Changed]:
        """Return the regular files that differ between two commits, by path from the root on.

        Raises UsageError for more than are compared.
        """
        before, after = self.files(old), self.files(new)
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        if len(names) > MOST_CHANGED_FILES:
            raise UsageError(f"{len(names):,} files differ; {MOST_CHANGED_FILES:,} are compared at most")
        return [Changed(name, before.get(name), after.get(name)) for name in sorted(names, key=os.fsencode)]

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
        done = _bounded([self._git, "--no-pager", "-C", str(self._folder), *off, *words], words[0])
        if check and done.returncode:
            lines = os.fsdecode(done.stderr).strip().splitlines() or ["it said nothing"]
            raise UsageError(f"git {words[0]} failed: {lines[-1]}")
        return done


def _bounded(command: Sequence[str], name: str) -> subprocess.CompletedProcess[bytes]:
    """Run a git command to its end; UsageError where that takes too long, or it prints too much."""
    expired = Event()
    with TemporaryFile() as errors, subprocess.Popen(  # noqa: S603  # git's own reading of objects, see the module
        command, env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
    ) as process:  # fmt: skip

        def end() -> None:
            expired.set()
            process.kill()

        timer = Timer(GIT_TIMEOUT_S, end)
        timer.start()
        try:
            out = process.stdout.read(MOST_GIT_BYTES + 1) if process.stdout else b""
            if len(out) > MOST_GIT_BYTES:
                raise UsageError(f"git {name} prints more than {MOST_GIT_BYTES:,} bytes: too many files")
            process.wait()
        finally:
            timer.cancel()
            process.kill()
        if expired.is_set():
            raise UsageError(f"git {name} took more than {GIT_TIMEOUT_S} s")
        errors.seek(0)
        return subprocess.CompletedProcess(command, process.returncode, out, errors.read(ERROR_BYTES))


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | _ENVIRONMENT


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

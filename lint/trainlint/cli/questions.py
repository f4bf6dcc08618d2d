# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run asks of the file system, and what it is answered: the same answers later mean the same output.

Python reports what is opened, listed, started and changed to an audit hook (PEP 578); what is only looked at
goes through four functions of `os`, which are wrapped. What cannot be asked again ends the recording.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

from trainlint.digests import blake2b

TYPE_CHECKING = False  # typing takes longer to import than a kept answer to print
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    Question = tuple[str, str, Any]
    State = tuple[int, int, int, int, int, int]

PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120  # importing pathlib takes longer than printing what was kept
"""trainlint's own folder, as in resources.py, which takes pathlib."""

READING: Final = ("open", "os.listdir", "os.scandir")
HEARD: Final = (
    *("open", "os.", "shutil.", "subprocess.", "socket.", "ctypes.dlopen", "tempfile.", "urllib.", "fcntl."),
    *("pty.", "sqlite3.", "builtins.input"),
)
"""What audit events begin with that read, that change something, or that ask somebody else."""
HARMLESS: Final = ("os.add_dll_directory", "os.putenv", "os.unsetenv", "os.walk", "os.fwalk")
"""Events among those that neither change a file nor learn anything; os.walk lists by os.scandir."""

MOVING: Final = ("/proc/", "/sys/", "/dev/")
LARGEST: Final = 64 * 2**20
"""Bytes above which a file is not read again to see whether it is the same."""
CHANGES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
TICK_NS: Final = 50_000_000
COARSE_TICK_NS: Final = 2_500_000_000
"""A file changed within this time of a run may change again unseen: Linux notes times by ticks of at most
10 ms (CONFIG_HZ=100), file systems that note whole seconds by one or two (FAT)."""

_stat, _lstat, _access, _readlink = os.stat, os.lstat, os.access, os.readlink


class Questions:
    """The questions of this process from now on; `refused` says what cannot be asked again.

    A question is its kind, a path, and what else is asked: for `stat` whether links are followed, for
    `access` the mode.
    """

    def __init__(self) -> None:
        self.began = time.time_ns()
        self.refused = ""
        self.answers: dict[Question, Any] = {}
        self._states: dict[Question, State | None] = {}
        self._on = False

    def record(self) -> None:
        """Record from now on; to be called once in a process, since an audit hook stays."""
        self._on = True
        sys.addaudithook(self._audited)
        os.stat = self._looking("stat", _stat, follow=True)
        os.lstat = self._looking("stat", _lstat, follow=False)
        os.access = self._asking("access", _access)
        os.readlink = self._asking("link", _readlink)

    def finish(self) -> list[list[Any]] | None:
        """Return the questions with their answers; None where they may not speak for another run."""
        self._on = False
        for question, before in self._states.items():
            state = _state(question[1])
            if state is not None and question[0] == "open" and state[1] > LARGEST:
                return None
            self.answers[question] = answer(*question)
            if state != before or _state(question[1]) != before or self._is_young(question, before):
                return None
        if self.refused:
            return None
        read = {path for kind, path, _ in self.answers if kind == "open"}
        found = []
        for (kind, path, more), known in self.answers.items():
            if kind == "stat" and isinstance(known, list) and path in read:
                known[1:5] = [None] * 4  # its content counts
            found.append([kind, path, more, known])
        return found

    def _is_young(self, question: Question, state: State | None) -> bool:
        """Say whether a file, or one of a folder, was changed so late that another change could hide."""
        kind, path, _ = question
        changed = [] if state is None else [state[-1]]
        if kind == "list" and changed:
            with os.scandir(path) as entries:
                changed += [_lstat(entry.path).st_ctime_ns for entry in entries if entry.is_file()]
        return any(at > self.began - (TICK_NS if at % 10**9 else COARSE_TICK_NS) for at in changed)

    def refuse(self, why: str) -> None:
        """End the recording: this run's output is its own."""
        self.refused = self.refused or why

    def _audited(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._on or not event.startswith(HEARD):
            return
        if event in READING:
            self._read(event, *args)
        elif event not in HARMLESS:
            self.refuse(event)

    def _read(self, event: str, path: Any, mode: str | None = None, flags: int = 0) -> None:
        """Note what is opened or listed, as it is before that."""
        if isinstance(path, int):  # a handle
            return
        name = os.fsdecode("." if path is None else path)
        if flags & CHANGES if mode is None else {*mode} & {*"wax+"}:
            self.refuse(f"{name} is written")
        elif name.startswith(MOVING):
            self.refuse(f"{name} is the machine's")
        elif not name.endswith(".pyc") and not _is_own(name) and name not in INSTALLED:
            question = ("open" if event == "open" else "list", name, None)
            state = _state(name)
            if self._states.setdefault(question, state) != state:
                self.refuse(f"{name} changes")

    def _looking(self, kind: str, ask: Callable[..., Any], *, follow: bool) -> Callable[..., Any]:
        def looked(path: Any, *args: Any, follow_symlinks: bool = True, **options: Any) -> Any:
            if follow:
                options["follow_symlinks"] = follow_symlinks
            return self._asked((kind, path, follow and follow_symlinks), ask, path, *args, **options)

        return looked

    def _asking(self, kind: str, ask: Callable[..., Any]) -> Callable[..., Any]:
        def asked(path: Any, *args: Any, **options: Any) -> Any:
            return self._asked((kind, path, args[0] if args else None), ask, path, *args, **options)

        return asked

    def _asked(
        self, question: tuple[str, Any, Any], ask: Callable[..., Any], *args: Any, **options: Any
    ) -> Any:
        """Ask, and note the answer; an answer that is another than before ends the recording."""
        try:
            found = ask(*args, **options)
        except (OSError, ValueError) as error:
            self._note(question, options, error)
            raise
        self._note(question, options, found)
        return found

    def _note(self, question: tuple[str, Any, Any], options: dict[str, Any], found: Any) -> None:
        kind, path, more = question
        if not self._on or isinstance(path, int):
            return
        name = os.fsdecode(path)
        if _is_own(name):
            return
        if options.get("dir_fd") is not None:
            self.refuse("a handle of a folder")
        known = _written(kind, found)
        if self.answers.setdefault((kind, name, more), known) != known:
            self.refuse(f"{name} changes")


def answer(kind: str, path: str, more: Any) -> Any:
    """Ask again."""
    try:
        if kind == "open":
            return _digest(path)
        if kind == "list":
            return _listing(path)
        if kind == "stat":
            return _written(kind, _stat(path) if more else _lstat(path))
        return _written(kind, _readlink(path) if kind == "link" else _access(path, more))
    except (OSError, ValueError) as error:
        return _written(kind, error)


def holds(kind: str, path: str, more: Any, known: Any) -> bool:
    """Say whether a question has the answer that it had; None in it represents anything."""
    found = answer(kind, path, more)
    if kind == "stat" and isinstance(found, list) and isinstance(known, list):
        return len(found) == len(known) and all(
            one in (None, other) for one, other in zip(known, found, strict=True)
        )
    return bool(found == known)


def _written(kind: str, found: Any) -> Any:
    """Return an answer as JSON has it: an error by its number."""
    if isinstance(found, OSError):
        return f"error {found.errno}"
    if isinstance(found, ValueError):
        return "error"
    if kind != "stat":
        return found if isinstance(found, bool) else os.fsdecode(found)
    regular = stat.S_ISREG(found.st_mode)
    size, changed = (found.st_size, found.st_mtime_ns) if regular else (None, None)
    return [found.st_mode, size, changed, found.st_ino, found.st_dev, found.st_uid]


def _state(path: str) -> State | None:
    """Return what changes with a file; None where there is none."""
    try:
        found = _stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev, found.st_ctime_ns)


def _digest(path: str) -> str:
    """Return the digest of a regular file; OSError for any other."""
    if not stat.S_ISREG(_stat(path).st_mode):
        raise OSError(errno.EINVAL, "no regular file")
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib takes longer to import
        return blake2b(file.read(), digest_size=32).hexdigest()


def _listing(path: str) -> str:
    """Return a digest of a folder's names, with what each is and the sizes of files."""
    digest = blake2b(digest_size=32)
    with os.scandir(path) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            kinds = (entry.is_symlink(), entry.is_dir(), entry.is_file())
            size = _size(entry) if kinds[2] else 0
            digest.update(f"{entry.name}\0{kinds}\0{size}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return _stat(entry.path).st_size
    except OSError:
        return -1


_OWN = PACKAGE + os.sep
INSTALLED = {path for path in sys.path if path.startswith((sys.prefix, sys.base_prefix))}
"""Folders of what is installed: the times of all of Python's path are part of every key."""


def _is_own(path: str) -> bool:
    """Say whether a file is trainlint's own: its state is part of every key."""
    return path.startswith(_OWN)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Answers kept: what a run printed, printed again as long as nothing that it asked has another answer.

An answer lies in the user's cache under a digest of the command's words, the folder, the environment's
variables, the terminal, trainlint's own files and what Python may import. It is used where every question of
its run (questions.py) is answered as it was then. A run that started a process, wrote a file or looked at
this machine is not kept.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress

from trainlint import __version__
from trainlint.cli.questions import PACKAGE, Questions, holds
from trainlint.digests import blake2b
from trainlint.user_folders import user_folder

TYPE_CHECKING = False  # typing takes longer to import than a kept answer to print
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Final

    Said = list[tuple[bool, str]]

FORMAT: Final = 1
FOLDER: Final = "answers"
UNSURE: Final = (
    *("torch", "pynvml", "trainlint.look", "trainlint.hardware.local", "trainlint.read.revisions"),
    *(
        "trainlint.cli.workers",
        "trainlint.estimate.tapes.other_python",
        "trainlint.measuring",
        "trainlint.trace.trace",
    ),
)
"""Modules of a run that asks more than the file system."""
PASSING: Final = ("_", "SHLVL", "OLDPWD")
"""Variables that a shell changes from one command to the next, and that nothing here reads."""

MOST_BYTES: Final = 64 * 2**20
MOST_ENTRIES: Final = 512
LARGEST: Final = 8 * 2**20
"""Bytes and number of answers above which the oldest half goes, and of one answer: 500 configs print 3 MB."""

JUDGED: Final = (0, 1, 2)
"""Exit codes of a run that came to its end."""


class AnswerRecording:
    """A run whose answer may be kept: its key, its questions, and what it printed.

    `said` is that in order: whether on stderr, and the text.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.key = _key(words)
        self.questions = Questions()
        self.said: Said = []
        self.questions.record()

    def keep(self, code: object) -> None:
        """Keep its answer, unless something in it is not sure to be the same again."""
        if code not in JUDGED or not self.said or any(name in sys.modules for name in UNSURE):
            return
        asked = None if _has_extensions() else self.questions.finish()
        if asked is not None and _key(self.words) == self.key:
            _write(self.key, {"said": self.said, "code": code, "asked": asked})


def known(words: Sequence[str]) -> tuple[Said, int] | None:
    """Return what a command printed and its exit code, where every question still has its answer."""
    found = _read(_key(words))
    if found is None or not all(holds(*each) for each in found["asked"]):
        return None
    return found["said"], found["code"]


def _has_extensions() -> bool:
    """Say whether packages extend trainlint: their code is not in the key."""
    from trainlint.extensions import extensions  # noqa: PLC0415 - imported by then

    return bool(extensions())


def _key(words: Sequence[str]) -> str:
    """Return the digest of all that a run knows before it asks."""
    variables = sorted((name, value) for name, value in os.environ.items() if name not in PASSING)
    python = [sys.version, sys.executable, [*sys.flags], sys.warnoptions, os.getuid(), os.getgid()]
    terminal = [[stream.isatty(), _size(stream)] for stream in (sys.stdout, sys.stderr)]
    paths = [[path, _changed(path or ".")] for path in sys.path]
    known = [FORMAT, __version__, [*words], os.getcwd(), variables, python, terminal, paths, own_state()]  # noqa: PTH109  # importing pathlib takes longer than printing what was kept
    return blake2b(json.dumps(known).encode(), digest_size=32).hexdigest()


def _size(stream: Any) -> list[int] | None:
    try:
        return list(os.get_terminal_size(stream.fileno()))
    except (OSError, ValueError):
        return None


def _changed(path: str) -> int | None:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116  # as above
    except OSError:
        return None


def own_state() -> str:
    """Return a digest of the names, sizes and times of trainlint's own files."""
    digest = blake2b(digest_size=32)
    parent, above = os.path.dirname(PACKAGE), os.path.dirname(os.path.dirname(PACKAGE))  # noqa: PTH120  # as above
    places = (PACKAGE, f"{parent}/trainlint_zoo", f"{above}/rules", f"{above}/schemas")
    folders = [place for place in places if os.path.isdir(place)]  # noqa: PTH112  # as above
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir():
                    folders += [entry.path] if entry.name != "__pycache__" else []
                else:
                    state = entry.stat()
                    digest.update(f"{entry.path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _folder() -> str:
    """Return where answers lie, below the user's cache."""
    return os.path.join(user_folder("cache"), FOLDER)  # noqa: PTH118  # as above


def _read(key: str) -> dict[str, Any] | None:
    """Return what was kept under a key; None where nothing was, or not as it was written."""
    try:
        with open(os.path.join(_folder(), key), "rb") as file:  # noqa: PTH118, PTH123 - pathlib takes longer to import
            head, _, body = file.read(2 * LARGEST).partition(b"\n")
        if head.decode("ascii") != _head(body):
            return None
        found: dict[str, Any] = json.loads(body)
    except (OSError, ValueError):
        return None
    return found


def _head(body: bytes) -> str:
    return blake2b(body, digest_size=32).hexdigest()


def _write(key: str, found: dict[str, Any]) -> None:
    """Keep an answer, in one step; where that cannot be done, it is not kept."""
    body = json.dumps(found).encode()
    if len(body) > LARGEST:
        return
    folder = _folder()
    own = os.path.join(folder, f"{key}.{os.getpid()}")  # noqa: PTH118  # as above
    with suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103  # as above
        with open(own, "wb") as file:  # noqa: PTH123  # as above
            file.write(_head(body).encode() + b"\n" + body)
        os.replace(own, os.path.join(folder, key))  # noqa: PTH105, PTH118  # as above
        _make_room(folder)


def _make_room(folder: str) -> None:
    """Remove the oldest half where there are too many, or too large ones."""
    with os.scandir(folder) as entries:
        found = sorted((entry.stat().st_mtime_ns, entry.stat().st_size, entry.path) for entry in entries)
    if len(found) > MOST_ENTRIES or sum(size for _, size, _ in found) > MOST_BYTES:
        for _, _, path in found[: (len(found) + 1) // 2]:
            with suppress(OSError):
                os.remove(path)  # noqa: PTH107  # as above

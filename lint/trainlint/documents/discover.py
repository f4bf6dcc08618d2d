# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From the paths on the command line to the files worth reading."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from msgspec import Struct

from trainlint.documents.trainer_keywords import LIBRARIES
from trainlint.errors import UnreadableError, UsageError
from trainlint.expressions.patterns import later
from trainlint.files.text_source import regular_bytes

if TYPE_CHECKING:
    from trainlint.documents.gitignore import Ignored
    from trainlint.files.glob_patterns import Ending

SUFFIXES = frozenset((
    ".yml", ".yaml", ".json", ".jsonc", ".toml", ".env", ".sh", ".bash", ".sbatch", ".slurm", ".bat", ".cmd",
    ".ps1", ".md", ".markdown", ".ipynb", ".ipy", ".txt",
))  # fmt: skip
"""What is looked at in a folder; a file named on the command line is read whatever its suffix."""

PROGRAM = ".py"
"""A program is looked at where its text makes a trainer of a library that is read."""

CALLS_TRAINER = later(r"Trainer\s*\(")
_LIBRARY = later(rf"(?m)^[ \t]*+(?:from|import)[ \t]++(?:{'|'.join(LIBRARIES)})\b")
_TESTED = later(r"(?:^|/)tests?/|(?:^|/)(?:test_[^/]*|conftest)\.py$")
"""Programs that try a library's trainers."""

SKIPPED_FOLDERS = frozenset(
    ".git .hg .svn .vscode .idea .tox .nox .venv venv node_modules __pycache__ site-packages .mypy_cache "  # noqa: SIM905  # words in one text read better
    ".ruff_cache .pytest_cache .ipynb_checkpoints .trainlint".split()
)
"""Folders that never hold a user's configs, whatever .gitignore says."""

INSTALLED = (".egg-info", ".dist-info")
"""How the folders end in which pip lists a package's files, one a line."""

OWN_FILES = frozenset({"trainlint.toml"})
"""Settings of trainlint itself, which train nothing."""

OF_MACOS = "._"
"""How the files begin that macOS writes next to others on a foreign disk: no text of anyone's."""

PROGRAM_BYTES = 250_000
"""A program above this is generated."""

LIST_BYTES = 200_000
"""A .txt in a folder above this is a list of images, not a command line."""


class InputFile(Struct, frozen=True):
    """A file to read; `explicit` when the user named it (or a glob did) rather than a folder around it.

    A folder that cannot be opened is a candidate too: reading it raises UnreadableError with the reason.
    """

    path: str
    explicit: bool


def discover(paths: Sequence[str], exclude: Iterable[str] = ()) -> Iterator[InputFile]:
    """Yield each file once: as given, from folders (sorted, respecting .gitignore), from globs.

    `exclude` holds globs matched against the shown path of files met in folders. Raises UsageError for
    a path that does not exist or a glob that matches nothing.
    """
    seen: set[str] = set()
    excluded = _endings([*exclude])
    for given in paths:
        for path in _expand(given):
            for candidate in _candidates(path, excluded):
                key = os.path.realpath(candidate.path)
                if key not in seen:
                    seen.add(key)
                    yield candidate


def _endings(exclude: Sequence[str]) -> tuple[Ending, ...]:
    if not exclude:
        return ()
    from trainlint.files.glob_patterns import ending_of  # noqa: PLC0415 - where something is left out

    return tuple(filter(None, map(ending_of, exclude)))


def _expand(given: str) -> list[str]:
    if os.path.lexists(given):
        return [given]
    if _has_magic(given):
        from glob import glob  # noqa: PLC0415 - for patterns alone

        paths = sorted(glob(given, recursive=True))  # noqa: PTH207 - the pattern may be absolute
        if paths:
            return paths
        start = _fixed_part(given)
        if _is_locked(start):
            return [start]
        raise UsageError(f'nothing matches "{given}"')
    if _is_locked(given):
        return [given]
    raise UsageError(f'no such file or folder: "{given}"')


def _has_magic(path: str) -> bool:
    """Say whether a path is a pattern."""
    from glob import has_magic  # noqa: PLC0415 - for what is not there as it is written

    return has_magic(path)


def _is_locked(path: str) -> bool:
    """Return whether a path may not be looked at: reading it will say so, and the others are linted."""
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):  # noqa: PTH116 - paths stay the strings that messages show
            os.listdir(path)  # noqa: PTH208  # it is asked for names
    except PermissionError:
        return True
    except (OSError, ValueError):
        pass
    return False


def _fixed_part(pattern: str) -> str:
    """Return the folder that a glob starts from."""
    folder = os.path.dirname(pattern)  # noqa: PTH120  # the text as it was written
    while _has_magic(folder):
        folder = os.path.dirname(folder)  # noqa: PTH120  # the text as it was written
    return folder or "."


def _candidates(path: str, excluded: tuple[Ending, ...]) -> Iterator[InputFile]:
    if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where it may not look
        yield InputFile(path, explicit=True)
        return
    from trainlint.documents.gitignore import Ignored  # noqa: PLC0415 - for folders alone

    shown = os.path.normpath(path)
    yield from _walk(shown, Ignored.above(Path(path).resolve()), excluded)


def _walk(top: str, ignored: Ignored, excluded: tuple[Ending, ...]) -> Iterator[InputFile]:
    """Walk a folder without recursion: a path may hold more folders than Python's stack holds frames."""
    todo = [_entries(top, Path(top).resolve(), ignored, excluded, explicit=True)]
    while todo:
        entry = next(todo[-1], None)
        if entry is None:
            todo.pop()
        elif isinstance(entry, InputFile):
            yield entry
        else:
            todo.append(_entries(*entry, excluded, explicit=False))


def _entries(
    folder: str, resolved: Path, ignored: Ignored, excluded: tuple[Ending, ...], *, explicit: bool
) -> Iterator[InputFile | tuple[str, Path, Ignored]]:
    """Yield the files of a folder that are worth reading, and its folders with what is ignored there."""
    ignored = ignored.within(resolved)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        yield InputFile(folder, explicit)
        return
    for entry in entries:
        shown = os.path.normpath(entry.path)
        is_folder = entry.is_dir(follow_symlinks=False)
        if ignored.holds(resolved / entry.name, folder=is_folder) or _matches(shown, excluded):
            continue
        if is_folder and not _is_skipped(entry):
            yield shown, resolved / entry.name, ignored
        elif not is_folder and _worth_reading(entry):
            yield InputFile(shown, explicit=False)


def _is_skipped(folder: os.DirEntry[str]) -> bool:
    """Return whether a folder holds no configs of a user: what an installer writes, or an environment."""
    written = folder.name in SKIPPED_FOLDERS or folder.name.endswith(INSTALLED)
    return written or _is_environment(folder.path)


def _is_environment(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "pyvenv.cfg"))  # noqa: PTH113, PTH118 - no error where locked


def _matches(shown: str, excluded: tuple[Ending, ...]) -> bool:
    path = PurePath(shown)
    return any(ending.matches(path) for ending in excluded)


def is_program(path: str) -> bool:
    """Return whether a file is a program, which is no config that somebody forgot where it trains nothing."""
    return path.lower().endswith(PROGRAM)


def makes_trainer(path: str) -> bool:
    """Return whether a file is a program, and no test, that makes a trainer of a library that is read."""
    if not is_program(path) or _TESTED.search(path.replace(os.sep, "/")):
        return False
    try:
        text = regular_bytes(path, PROGRAM_BYTES).decode(errors="replace")
    except UnreadableError:
        return False
    return CALLS_TRAINER.search(text) is not None and _LIBRARY.search(text) is not None


def _worth_reading(entry: os.DirEntry[str]) -> bool:
    suffix = os.path.splitext(entry.name)[1].lower()  # noqa: PTH122 - half the cost of Path on a large tree
    if suffix == PROGRAM:
        return entry.is_file() and makes_trainer(entry.path)
    if suffix not in SUFFIXES or entry.name in OWN_FILES or entry.name.startswith(OF_MACOS):
        return False
    try:
        return entry.is_file() and (suffix != ".txt" or entry.stat().st_size <= LIST_BYTES)
    except OSError:  # reading it will say why
        return True

"""From the paths on the command line to the files worth reading."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trainlint.errors import UsageError
from trainlint.read.ignored import Ignored

SUFFIXES = frozenset(
    ".yml .yaml .json .jsonc .toml .sh .bash .bat .cmd .ps1 .md .markdown .ipynb .txt".split()  # noqa: SIM905
)
"""What is looked at in a folder; a file named on the command line is read whatever its suffix."""

JUNK = frozenset(
    ".git .hg .svn .tox .nox .venv venv node_modules __pycache__ site-packages .mypy_cache .ruff_cache "  # noqa: SIM905
    ".pytest_cache .ipynb_checkpoints .trainlint".split()
)
"""Folders that never hold a user's configs, whatever .gitignore says."""

LIST_BYTES = 200_000
"""A .txt in a folder above this is a list of images, not a command line."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to read; `explicit` when the user named it (or a glob did) rather than a folder around it.

    A folder that cannot be opened is a candidate too: reading it raises UnreadableError with the reason.
    """

    path: str
    explicit: bool


def discover(paths: Sequence[str], exclude: Iterable[str] = ()) -> Iterator[Candidate]:
    """Yield each file once: as given, from folders (sorted, respecting .gitignore), from globs.

    `exclude` holds globs matched against the shown path of files met in folders. Raises UsageError for
    a path that does not exist or a glob that matches nothing.
    """
    seen: set[str] = set()
    excluded = tuple(exclude)
    for given in paths:
        for path in _expand(given):
            for candidate in _candidates(path, excluded):
                key = os.path.realpath(candidate.path)
                if key not in seen:
                    seen.add(key)
                    yield candidate


def _expand(given: str) -> list[str]:
    if os.path.lexists(given):
        return [given]
    if glob.has_magic(given):
        found = sorted(glob.glob(given, recursive=True))  # noqa: PTH207 - the pattern may be absolute
        if found:
            return found
        raise UsageError(f'nothing matches "{given}"')
    raise UsageError(f'no such file or folder: "{given}"')


def _candidates(path: str, excluded: tuple[str, ...]) -> Iterator[Candidate]:
    if not Path(path).is_dir():
        yield Candidate(path, explicit=True)
        return
    shown = os.path.normpath(path)
    yield from _walk(shown, Ignored.above(Path(path).resolve()), excluded, explicit=True)


def _walk(folder: str, ignored: Ignored, excluded: tuple[str, ...], *, explicit: bool) -> Iterator[Candidate]:
    resolved = Path(folder).resolve()
    ignored = ignored.within(resolved)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        yield Candidate(folder, explicit)
        return
    for entry in entries:
        shown = os.path.normpath(entry.path)
        is_folder = entry.is_dir(follow_symlinks=False)
        if ignored.holds(resolved / entry.name, folder=is_folder) or _matches(shown, excluded):
            continue
        if is_folder and entry.name not in JUNK and not Path(entry.path, "pyvenv.cfg").is_file():
            yield from _walk(shown, ignored, excluded, explicit=False)
        elif not is_folder and _worth_reading(entry):
            yield Candidate(shown, explicit=False)


def _matches(shown: str, excluded: tuple[str, ...]) -> bool:
    return any(Path(shown).match(pattern) for pattern in excluded)


def _worth_reading(entry: os.DirEntry[str]) -> bool:
    suffix = os.path.splitext(entry.name)[1].lower()  # noqa: PTH122 - half the cost of Path on a large tree
    if suffix not in SUFFIXES or not entry.is_file():
        return False
    return suffix != ".txt" or entry.stat().st_size <= LIST_BYTES

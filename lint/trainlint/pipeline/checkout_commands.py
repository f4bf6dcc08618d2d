# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The commands of a checkout that name an option file, and the option files that a command names.

Looked at are the folders from a file's own up to its repository's root, and in each of them the folders in
which repositories keep their scripts and pages; through no link, and a bounded number of files in the order
of their names, so that a verdict is the same on every machine. Nothing is run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from trainlint.dialects import Dialect, normalise, recognise
from trainlint.documents.file_format import MAKEFILES, commands_naming, is_page, read
from trainlint.errors import UnreadableError
from trainlint.files.enclosing_folders import folders_above
from trainlint.files.safe_open import is_file, is_path, note_failure
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.model.document import Document, Source
from trainlint.model.job import Job
from trainlint.model.start import COMMANDS, Start

SUFFIXES: Final = frozenset((
    ".md", ".markdown", ".sh", ".bash", ".sbatch", ".slurm", ".bat", ".cmd", ".ps1", ".txt", ".ipynb", ".ipy",
))  # fmt: skip
"""Files that hold commands."""
_ENDS: Final = tuple(SUFFIXES)

PARTS: Final = (".mk", ".make")
"""Files that a Makefile includes."""

FOLDERS: Final = ("doc", "docs", "script", "scripts", "shell", "tools", "notebooks")
"""Folders next to the options in which published repositories have their commands (../shared's corpus)."""

MOST_FILES: Final = 200
"""Files that are looked at for one option file; repositories of the family have 5 to 60 of them."""

MOST_BYTES: Final = 1 << 20
"""Of one file; a larger one is passed over: pages and scripts of the family have 60 KB at most."""

MOST_STARTS: Final = 4
"""Different ways to start one option file that are judged, each on its own; where there are more, none is
assumed."""


class Checkout:
    """Commands and option files that name each other; files are read once, as long as they do not change."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self._dialects = tuple(dialect for dialect in dialects if dialect.id in COMMANDS)
        self._texts: dict[tuple[str, int, int], str] = {}
        self._starts: dict[tuple[str, int, int, str], tuple[Start, ...]] = {}

    def starts(self, config: str) -> tuple[Start, ...]:
        """Return the commands that start an option file, the first of one script to one effect.

        One that only tries the trainer out is none where others train: guides name it before the run.
        """
        name, real = Path(config).name, os.path.realpath(config)
        by_run: dict[tuple[object, ...], Start] = {}
        trials: dict[tuple[object, ...], Start] = {}
        for path in _files(config):
            for start in self._commands(path, name):
                if real in map(os.path.realpath, self.named(start)):
                    paired = self.paired(start.tried, config)
                    (trials if start.tries else by_run).setdefault(paired.run, paired)
        starts = list((by_run or trials).values())
        return tuple(starts) if len(starts) <= MOST_STARTS else ()

    @classmethod
    def paired(cls, start: Start, config: str) -> Start:
        """Return a start with what it has to do with one option file."""
        from trainlint.commands.same_experiment import namesakes  # noqa: PLC0415 - where a command names an option file

        script = next((script for _, script in cls._run_in(start)), None)
        return replace(start, namesakes=namesakes(Path(config)), runs=str(script) if script else "")

    def named(self, start: Start) -> tuple[str, ...]:
        """Return the option files that a command may mean, relative to the folder in which it may be run.

        These are what the `cd` before it lead to and the folders from its own file's upwards; one that has
        the script too is believed.
        """
        return tuple(_seen(path) for path, _ in self._run_in(start))

    @staticmethod
    def _run_in(start: Start) -> tuple[tuple[Path, Path | None], ...]:
        """Return the option file and the script in the folder in which a command may be run."""
        document = start.document
        if document is None or start.opt.startswith(("/", "~")):
            return ()
        from trainlint.commands.shell.working_folder import run_folders  # noqa: PLC0415 - of a command alone

        runs = [
            (path, folder.file(start.script) if start.script else None)
            for folder in run_folders(document)
            if (path := folder.file(start.opt))
        ]
        return tuple([run for run in runs if run[1] is not None] or runs)[:1]

    @staticmethod
    def start_of(job: Job) -> Start | None:
        """Return the start that a command's job is; None where it is none."""
        if job.dialect.id not in COMMANDS:
            return None
        from trainlint.commands.started import start_of  # noqa: PLC0415 - of a command alone

        return start_of(job, f"{job.document.source.path}:{job.document.line}")

    def _commands(self, path: Path, name: str) -> tuple[Start, ...]:
        """Return the starts of one file, if it has the name in it."""
        try:
            state = os.stat(path)  # noqa: PTH116 - what it is, regular_bytes looks at
            key = (str(path), state.st_mtime_ns, state.st_size)
            if key not in self._texts:
                self._texts[key] = source_of(regular_bytes(str(path), MOST_BYTES), str(path)).text
            if name not in self._texts[key]:
                return ()
            of_page = name if is_page(str(path)) else ""
            asked = (*key, of_page)
            if asked not in self._starts:
                self._starts[asked] = tuple(self._read(_seen(path), str(path), of_page))
        except OSError as error:
            note_failure(path, error)
            return ()
        except UnreadableError:
            return ()
        return self._starts[asked]

    def _read(self, shown: str, path: str, of_page: str) -> Iterator[Start]:
        """Yield the starts of a file; of a page, those in blocks that have a name."""
        source = source_of(regular_bytes(path, MOST_BYTES), shown)
        for document in _documents(source, of_page):
            dialect = recognise(document, self._dialects) if document.format == "command" else None
            starts = map(self.start_of, normalise(document, dialect) if dialect is not None else ())
            yield from (start for start in starts if start is not None)


def _documents(source: Source, of_page: str) -> tuple[Document, ...]:
    """Return a file's documents; of a page, those in blocks that have a name."""
    if of_page:
        return commands_naming(source, of_page)
    if not source.path.endswith(PARTS):
        return read(source)
    from trainlint.commands.makefiles import parse_included  # noqa: PLC0415 - where a Makefile includes one

    return parse_included(source)


def _files(config: str) -> Iterator[Path]:
    """Yield the files that may hold commands: the nearest folder's first, by name."""
    left = MOST_FILES
    for folder in folders_above(config):
        for place in (folder, *(folder / name for name in FOLDERS)):
            for path in chain.from_iterable((path, *_included(path)) for path in _in(place)):
                if not left:
                    return
                left -= 1
                yield path


def _in(folder: Path) -> list[Path]:
    """Return a folder's files that may hold commands; none where it is not a folder, or a link to one."""
    try:
        if folder.is_symlink():
            return []
        with os.scandir(folder) as entries:
            return sorted(
                Path(entry.path)
                for entry in entries
                if entry.name in MAKEFILES
                or (
                    entry.name.lower().endswith(_ENDS)  # what a Path takes as long for as to open a file
                    and Path(entry.name).suffix.lower() in SUFFIXES
                )
                if entry.is_file(follow_symlinks=False)
            )
    except OSError as error:
        note_failure(folder, error)
        return []


def _included(path: Path) -> Iterator[Path]:
    """Yield the files that a Makefile includes from its own folder or below, through no link."""
    if path.name not in MAKEFILES:
        return
    from trainlint.commands.makefiles import included  # noqa: PLC0415 - where there is a Makefile

    try:
        text = source_of(regular_bytes(str(path), MOST_BYTES), str(path)).text
    except UnreadableError:
        return
    root = path.parent.resolve()
    for name in dict.fromkeys(included(text)):
        part = path.parent / name
        if (
            name.endswith(PARTS)
            and is_path(name)
            and part.resolve() == root / os.path.normpath(name)
            and is_file(part)
        ):
            yield part


def _seen(path: Path) -> str:
    """Name a file as seen from the working directory, if it lies in there."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative

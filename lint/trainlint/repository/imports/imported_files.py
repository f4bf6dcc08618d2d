# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a training script imports whatever its options say: the first file that is no Python, or not there.

Imports at the top of a file alone count, none behind a question; and what a package's `__init__.py` imports
of its folder by the end of the files' names, as BasicSR's do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from trainlint.expressions.patterns import later
from trainlint.repository.imports.top_imports import Import, TopImports
from trainlint.repository.survey.python_files import FILE_BYTES, complaint
from trainlint.repository.trainer.python_texts import texts_of, without_comments

SCANNED_SUFFIX: Final = later(r"""scandir\(\w+\)\s+if\s+\w+\.endswith\(\s*['"](_\w+\.py)['"]\s*\)""")
"""How a registry's package finds the files that it imports: by the end of their names, in its own folder."""
SHARED: Final = later(r"\b(?:__path__|declare_namespace|sys\.modules)\b")
"""What the package of a namespace that others have a part in says, or one that makes modules itself."""
PACKAGE: Final = "__init__.py"
MOST_BYTES: Final = 2 << 20
"""Characters that are parsed: traiNNer-redux's train.py imports 1.5 MB, and hostile ones take 5 s."""


class NoPython(Struct, frozen=True):
    """A file that is no Python at `line`; `sure`: no Python 3 can read it."""

    path: str
    line: int
    why: str
    sure: bool


class NoModule(Struct, frozen=True):
    """A `module` that a file imports at `line`, of a package that is there without it."""

    path: str
    line: int
    module: str


@lru_cache(maxsize=32)
def first_broken(folder: Path, entry: str) -> NoPython | NoModule | None:
    """Return the first file that a script surely imports and no Python reads, or that lacks what it imports.

    None: there is none, or too much to read.
    """
    imports = TopImports()
    broken = _first_broken(folder, entry, imports)
    imports.keep()
    return broken


def _first_broken(folder: Path, entry: str, imports: TopImports) -> NoPython | NoModule | None:
    texts = texts_of(folder) or {}
    waiting, seen, room = [entry], {entry}, MOST_BYTES
    while waiting:
        path = waiting.pop(0)
        if path not in texts:
            continue
        text = without_comments(texts[path])
        room -= len(text)
        if room < 0 or len(text) > FILE_BYTES:
            return None
        imported = imports.of(text)
        if imported is None:
            return NoPython(path, *complaint(text))
        if (missing := next(_missing(imported, path, texts, folder), None)) is not None:
            return NoModule(path, *missing)
        for file in (*_imported(imported, path, texts), *_scanned(path, texts)):
            if file not in seen:
                seen.add(file)
                waiting.append(file)
    return None


def _imported(imports: Iterable[Import], path: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the files that the top of a module imports, the packages on the way first."""
    folder = path.rpartition("/")[0]
    for line in imports:
        parts = _parts(line)
        base = _base_of(line, folder, texts)
        yield from _files(base, parts, texts)
        for name in line.names:
            yield from _files(base, [*parts, name], texts)


def _missing(
    imports: Iterable[Import], path: str, texts: Mapping[str, str], root: Path
) -> Iterator[tuple[int, str]]:
    """Yield the lines at the top of a module that import what its own package lacks, each with that."""
    folder = path.rpartition("/")[0]
    for line in imports:
        if _is_missing(_base_of(line, folder, texts), _parts(line), texts, root, absolute=not line.level):
            yield line.line, line.module


def _parts(line: Import) -> list[str]:
    return line.module.split(".") if line.module else []


def _base_of(line: Import, folder: str, texts: Mapping[str, str]) -> str:
    """Return the folder in which an import of a file in `folder` is looked up."""
    return _above(folder, line.level - 1) if line.level else _base(folder, texts)


def _is_missing(base: str, parts: list[str], texts: Mapping[str, str], root: Path, *, absolute: bool) -> bool:
    """Return whether a package of the repository has no such module: no file, folder or library of its name.

    Not what is made when it is installed, nor what another package of the same name may have, nor what is
    installed into it: axolotl's has `axolotl.contribs` from two packages of PyPI.
    """
    for depth in range(1, len(parts) + 1):
        stem = "/".join(filter(None, (base, *parts[:depth])))
        package = texts.get(f"{stem}/{PACKAGE}")
        if package is not None and SHARED.search(package):
            return False
        if package is not None:
            continue
        if (absolute and depth == 1) or f"{stem}.py" in texts or is_there(root, stem):
            return False
        end = "/".join(parts[:depth])
        others = any(f"/{end}.py" in f"/{file}" or f"/{end}/" in f"/{file}" for file in texts)
        return not others and not any(
            f"{parts[depth - 1]}.py" in without_comments(text) for text in texts.values()
        )
    return False


def is_there(root: Path, stem: str) -> bool:
    """Return whether anything has a module's name: a folder, or a file of any ending."""
    folder, _, name = stem.rpartition("/")
    try:
        entries = [entry.name for entry in (root / folder).iterdir()]
    except OSError:
        return True  # what cannot be seen may be there
    return any(entry == name or entry.startswith(f"{name}.") for entry in entries)


def _files(base: str, parts: list[str], texts: Mapping[str, str]) -> Iterator[str]:
    for depth in range(1, len(parts) + 1):
        stem = "/".join(filter(None, (base, *parts[:depth])))
        yield from (file for file in (f"{stem}/{PACKAGE}", f"{stem}.py") if file in texts)


def _base(folder: str, texts: Mapping[str, str]) -> str:
    """Return the folder in which a file's own package lies, where absolute imports are looked up."""
    while folder and f"{folder}/{PACKAGE}" in texts:
        folder = folder.rpartition("/")[0]
    return folder


def _above(folder: str, levels: int) -> str:
    for _ in range(levels):
        folder = folder.rpartition("/")[0]
    return folder


def _scanned(path: str, texts: Mapping[str, str]) -> Iterator[str]:
    folder, _, name = path.rpartition("/")
    scanned = SCANNED_SUFFIX.search(without_comments(texts[path])) if name == PACKAGE else None
    for file in texts if scanned is not None else ():
        if file.rpartition("/")[0] == folder and scanned is not None and file.endswith(scanned[1]):
            yield file

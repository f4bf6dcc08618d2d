# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a training script imports whatever its options say, and the first such file that is no Python.

Imports at the top of a file alone count, none behind a question; and what a package's `__init__.py` imports
of its folder by the end of the files' names, as BasicSR's do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from trainlint.expressions.patterns import later
from trainlint.files.syntax_tree import parsed
from trainlint.repository.survey.python_files import FILE_BYTES, complaint
from trainlint.repository.trainer.mentioned_words import words_of

SCANNED_SUFFIX: Final = later(r"""scandir\(\w+\)\s+if\s+\w+\.endswith\(\s*['"](_\w+\.py)['"]\s*\)""")
"""How a registry's package finds the files that it imports: by the end of their names, in its own folder."""
PACKAGE: Final = "__init__.py"
MOST_BYTES: Final = 2 << 20
"""Characters that are parsed: traiNNer-redux's train.py imports 1.5 MB, and hostile ones take 5 s."""


class NoPython(Struct, frozen=True):
    """A file that is no Python at `line`; `sure`: no Python 3 can read it."""

    path: str
    line: int
    why: str
    sure: bool


@lru_cache(maxsize=32)
def first_broken(folder: Path, entry: str) -> NoPython | None:
    """Return the first file that a script surely imports and no Python reads; None: none, or too much."""
    words = words_of(folder)
    texts = dict(zip(words.files, words.texts, strict=False)) if words is not None else {}
    waiting, seen, room = [entry], {entry}, MOST_BYTES
    while waiting:
        path = waiting.pop(0)
        if path not in texts:
            continue
        room -= len(texts[path])
        if room < 0 or len(texts[path]) > FILE_BYTES:
            return None
        tree = parsed(texts[path])
        if tree is None:
            return NoPython(path, *complaint(texts[path]))
        for file in (*_imported(tree, path, texts), *_scanned(path, texts)):
            if file not in seen:
                seen.add(file)
                waiting.append(file)
    return None


def _imported(tree: ast.Module, path: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the files that the top of a module imports, the packages on the way first."""
    folder = path.rpartition("/")[0]
    for node in tree.body:
        match node:
            case ast.Import(names=names):
                for name in names:
                    yield from _files(_base(folder, texts), name.name.split("."), texts)
            case ast.ImportFrom(module=module, names=names, level=level):
                parts = module.split(".") if module else []
                base = _above(folder, level - 1) if level else _base(folder, texts)
                yield from _files(base, parts, texts)
                for name in names:
                    yield from _files(base, [*parts, name.name], texts)


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
    scanned = SCANNED_SUFFIX.search(texts[path]) if name == PACKAGE else None
    for file in texts if scanned is not None else ():
        if file.rpartition("/")[0] == folder and scanned is not None and file.endswith(scanned[1]):
            yield file

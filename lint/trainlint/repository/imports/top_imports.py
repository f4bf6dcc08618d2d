# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What Python files import at their top, kept between runs by their texts: parsing them takes the longest.

What is kept are digests of texts, lines and names, in the user's own cache.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Final, TypeAlias

from msgspec import DecodeError, Struct, msgpack

from trainlint.files.syntax_tree import parsed
from trainlint.shipped.kept_data import keep_bytes, kept_bytes

NAME: Final = "top-imports"
MOST_KEPT: Final = 1000
"""Files whose imports are kept, those of the last runs: a LLaMA-Factory run imports 75, of 50 KB together."""
PYTHON: Final = ".".join(map(str, sys.version_info[:2]))
"""What is no Python depends on who reads it."""


class Import(Struct, frozen=True, array_like=True):
    """A module that a line imports, or imports `names` from; `level` as in ast.ImportFrom."""

    line: int
    level: int
    module: str
    names: tuple[str, ...] = ()


Imports: TypeAlias = tuple[Import, ...] | None
"""Those of one file; None: it is no Python."""


class TopImports:
    """The imports of files: those that are kept, and the others parsed."""

    def __init__(self) -> None:
        self._kept = _kept()
        self._asked: dict[str, Imports] = {}

    def of(self, text: str) -> Imports:
        """Return what a file imports at its top, none behind a question."""
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        self._asked[digest] = self._kept[digest] if digest in self._kept else top_imports(text)
        return self._asked[digest]

    def keep(self) -> None:
        """Keep what had to be parsed, and what else was asked for last."""
        if self._asked.keys() <= self._kept.keys():
            return
        older = {digest: made for digest, made in self._kept.items() if digest not in self._asked}
        latest = [*older.items(), *self._asked.items()][-MOST_KEPT:]
        keep_bytes(NAME, PYTHON, msgpack.encode(dict(latest)))


def top_imports(text: str) -> Imports:
    """Return what the top of a file imports; None where it is no Python."""
    tree = parsed(text)
    return None if tree is None else tuple(_imports(tree))


def _imports(tree: ast.Module) -> Iterator[Import]:
    for node in tree.body:
        match node:
            case ast.Import(names=names):
                yield from (Import(node.lineno, 0, name.name) for name in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                yield Import(node.lineno, level, module or "", tuple(name.name for name in names))


def _kept() -> Mapping[str, Imports]:
    body = kept_bytes(NAME, PYTHON)
    try:
        return {} if body is None else msgpack.decode(body, type=dict[str, Imports])
    except DecodeError:
        return {}

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A slip in a file of networks or recipes, at its line; which names a file has, and which one was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NoReturn

from trainlint.catalogue.zoo.builders import tree
from trainlint.errors import UsageError, most_alike

ENTRY_FORMS: Final[Mapping[str, str]] = {
    "BUILDERS": '"NameInConfigs": "ClassHere", or ("ClassHere", {"argument": 1}, ["argument it lacks"])',
    "RECIPES": '"dialect.NameInConfigs": "ClassHere"',
}
"""What an entry of a table looks like."""


def slip(file: Path, node: ast.AST, message: str) -> NoReturn:
    """Raise UsageError for what is wrong at a node of a file."""
    raise UsageError(f"{file}:{getattr(node, 'lineno', 1)}: {message}")


def bound(file: Path) -> frozenset[str]:
    """Return the names that a file imports, assigns or defines; `*` where it imports all of a module."""
    bound_names = set()
    for node in ast.walk(tree(file)):
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                bound_names |= {(alias.asname or alias.name).partition(".")[0] for alias in names}
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                bound_names.add(name)
    return frozenset(bound_names)


def meant(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" where a known name is near; else nothing."""
    near = most_alike(word, list(known))
    return f'; did you mean "{near}"?' if near else ""

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The files of a repository that a traced step was made from: its classes', and all that these import.

A package that imports its whole folder by a loop has no part in it: what of that was used is known by the
classes that were made.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from trainlint.trace.own_code.repository import Repository


def files_behind(repository: Repository, files: list[str]) -> set[str]:
    """Return paths from the root: of `files`, of the classes that were built, and of what they import."""
    modules = {module for built in repository.built for base in built.__mro__ if (module := base.__module__)}
    waiting = [repository.root / file for file in files]
    waiting += [Path(path) for name in modules if (path := _file(sys.modules.get(name))) is not None]
    sources: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file not in sources and repository.holds(str(file)):
            sources.add(file)
            waiting += _imported(file)
    return {file.relative_to(repository.root).as_posix() for file in sources}


def _imported(file: Path) -> Iterator[Path]:
    """Yield the files of the modules that a file's import statements name, and of names that are modules."""
    package = next((module.__package__ for module in _loaded(file)), "") or ""
    for node in ast.walk(ast.parse(file.read_bytes())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        for name in names:
            if (path := _file(sys.modules.get(name))) is not None:
                yield Path(path)


def _loaded(file: Path) -> Iterator[ModuleType]:
    yield from (module for module in list(sys.modules.values()) if _file(module) == str(file))


def _file(module: ModuleType | None) -> str | None:
    path = getattr(module, "__file__", None)
    return path if isinstance(path, str) else None

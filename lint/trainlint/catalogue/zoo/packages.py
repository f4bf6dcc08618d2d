# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Packages of networks and recipes: where their files are and what Python imports them as."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from trainlint.shipped.extensions import extensions
from trainlint.shipped.resource_paths import PACKAGE

OWN: Final = "trainlint_zoo"
"""The package that travels with trainlint, next to it in a wheel and in a checkout."""
NETWORKS: Final = "networks"
RECIPES: Final = "recipes"
"""Folders of a package, at any depth, in which files with `BUILDERS` and with `RECIPES` are looked for."""


class Package(NamedTuple):
    """A package that brings networks or recipes: its import name and its folder."""

    name: str
    folder: Path

    def files(self, kind: str) -> Iterator[Path]:
        """Yield its files under folders called `kind` (NETWORKS or RECIPES), sorted."""
        for parts in sorted(_modules(str(self.folder))):
            if kind in parts[:-1]:
                yield self.folder.joinpath(*parts)

    def module(self, file: Path) -> str:
        """Return what Python imports one of its files as."""
        return ".".join((self.name, *file.relative_to(self.folder).with_suffix("").parts))


def _modules(folder: str, *inner: str) -> Iterator[tuple[str, ...]]:
    """Yield the Python files below a folder, but for those that begin with an underscore, as paths' parts."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _modules(entry.path, *inner, entry.name)
            elif entry.name.endswith(".py") and not entry.name.startswith("_"):
                yield *inner, entry.name


@cache
def own() -> Package:
    """Return the package that travels with trainlint."""
    return Package(OWN, PACKAGE.parent / OWN)


@cache
def packages() -> tuple[Package, ...]:
    """Return every package that networks and recipes are looked for in, trainlint's own first."""
    return (own(), *(Package(extension.name, extension.folder) for extension in extensions()))


@cache
def files(kind: str) -> tuple[Path, ...]:
    """Return every file of networks, or of recipes, that is installed."""
    return tuple(file for package in packages() for file in package.files(kind))


def listed(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Return the Python files that the user named, those of a folder sorted."""
    folders = (sorted(path.glob("*.py")) if path.is_dir() else [path] for path in paths)
    return tuple(file for folder in folders for file in folder)


def module_of(file: Path) -> str | None:
    """Return what Python imports a file of an installed package as; None for any other file."""
    for package in packages():
        if file.is_relative_to(package.folder):
            return package.module(file)
    return None

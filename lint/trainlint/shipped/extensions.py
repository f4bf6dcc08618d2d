# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Packages that extend trainlint: an entry point of the group `trainlint` names each.

A package brings what lies in its folder: `networks/` and `recipes/` (catalogue/zoo/packages.py),
`schemas/*.json`, `rules/*.yaml`, `gpus.toml`. To be found it is not imported. Whoever installs one wants it;
the working folder is no place where something is installed, even where PYTHONPATH names it: it may be a
linted tree.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from trainlint.errors import UsageError, most_alike
from trainlint.shipped.resource_paths import PACKAGE

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "trainlint"
"""The group of entry points; the value of each is a package's import name."""
ENTRY_POINTS_FILE: Final = "entry_points.txt"
METADATA_SUFFIXES: Final = (".dist-info", ".egg-info")
"""Endings of the folders that say what is installed."""


CONTENT_MARKS: Final = {
    "rules": b"examples:", "schemas": b"x-trainlint", "networks": b"BUILDERS", "recipes": b"RECIPES",
    "formats": b"FORMAT", "gpus.toml": b"[",
}  # fmt: skip
"""What a package may bring, and what is in a file of it."""
ALIKE_RATIO: Final = 0.85
"""How alike a name is that lacks a letter ("rule" and "rules": 0.89)."""


class Extension(NamedTuple):
    """A package that extends trainlint: what Python imports it as, and its folder."""

    name: str
    folder: Path


@cache
def extensions() -> tuple[Extension, ...]:
    """Return the installed packages that extend trainlint. Raises UsageError for one that is not whole."""
    by_name = {}
    for folder in _installed():
        if _mentions(folder / ENTRY_POINTS_FILE):
            for point in _points(folder):
                by_name[point.value] = _extension(point, folder)
    return tuple(by_name.values())


def brought(name: str) -> tuple[Path, ...]:
    """Return the files or folders of a name (`rules`, `schemas`, `gpus.toml`) that extensions bring."""
    paths = (extension.folder / name for extension in extensions())
    return tuple(path for path in paths if path.exists())


def _installed() -> Iterator[Path]:
    """Yield the folders that say what is installed; of a package that is there twice the first, as Python."""
    seen = set()
    for place in _places():
        try:
            names = sorted(os.listdir(place))  # noqa: PTH208 - hundreds, of which few are looked at
        except OSError:
            continue
        for name in names:
            project = name.partition("-")[0].lower()
            if name.endswith(METADATA_SUFFIXES) and project not in seen:
                seen.add(project)
                yield place / name


def _places() -> Iterator[Path]:
    """Yield the folders of the import path where packages are installed."""
    here = Path.cwd()
    for place in map(Path, filter(None, sys.path)):
        if place.is_dir() and (place == PACKAGE.parent or not place.samefile(here)):
            yield place


def _mentions(file: Path) -> bool:
    """Say whether a list of entry points has our group: most have not, and importlib.metadata is slow."""
    try:
        return f"[{GROUP}]".encode() in file.read_bytes()
    except OSError:
        return False


def _points(folder: Path) -> Iterator[EntryPoint]:
    from importlib.metadata import PathDistribution  # noqa: PLC0415  # see _mentions

    yield from PathDistribution(folder).entry_points.select(group=GROUP)


def _extension(point: EntryPoint, folder: Path) -> Extension:
    package = _folder(point.value)
    if package is None:
        project = folder.name.partition("-")[0]
        raise UsageError(
            f'{folder / ENTRY_POINTS_FILE}: the entry point {point.name} = "{point.value}" of the installed '
            f'package "{project}" should name a package that can be imported, and there is none of that '
            f'name; reinstall or uninstall "{project}"'
        )
    _check_names(package)
    return Extension(point.value, package)


def _check_names(package: Path) -> None:
    """Refuse a folder or file whose name is almost one that is read: what it has would be missed."""
    for entry in sorted(package.iterdir()):
        near = None if entry.name in CONTENT_MARKS else most_alike(entry.name, CONTENT_MARKS, ALIKE_RATIO)
        if near and not (package / near).exists() and _brings(entry, CONTENT_MARKS[near]):
            raise UsageError(f'{entry}: trainlint does not read "{entry.name}"; did you mean "{near}"?')


def _brings(entry: Path, sign: bytes) -> bool:
    """Say whether a file, or one of a folder, has what makes it one of ours."""
    files = [entry] if entry.is_file() else [file for file in entry.iterdir() if file.is_file()]
    return any(sign in file.read_bytes() for file in files)


def _folder(name: str) -> Path | None:
    """Return where a package lies, without importing it; None where no package of that name is there."""
    if not name.isidentifier():
        return None
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def install(extension: Extension, folder: Path) -> None:
    """Put a copy of an extension into a folder, as one that is installed there."""
    import shutil  # noqa: PLC0415 - slow to import

    shutil.copytree(extension.folder, folder / extension.name, ignore=shutil.ignore_patterns("__pycache__"))
    metadata_folder = folder / f"{extension.name}{METADATA_SUFFIXES[0]}"
    metadata_folder.mkdir()
    (metadata_folder / ENTRY_POINTS_FILE).write_text(
        f"[{GROUP}]\n{extension.name} = {extension.name}\n", encoding="utf-8"
    )

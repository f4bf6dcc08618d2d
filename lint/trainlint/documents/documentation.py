# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is documentation: it is judged like the rest, and edited only where its file is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from trainlint.documents.discover import InputFile

if TYPE_CHECKING:
    from trainlint.session.many_files import Input

SUFFIXES: Final = frozenset({".md", ".markdown", ".mdown", ".rst"})
FOLDERS: Final = frozenset({"doc", "docs", "documentation"})
README: Final = "readme"


def is_documentation(path: str, named: Sequence[str] = ()) -> bool:
    """Return whether a file is documentation, by its own name or a folder's that it lies in.

    Folders count from the `named` one on that it was met in: what that lies in says nothing.
    """
    file = PurePath(path)
    if file.suffix.lower() in SUFFIXES or file.stem.lower().startswith(README):
        return True
    return any(part.lower() in FOLDERS for part in _below(file, named).parts[:-1])


def spared(inputs: Iterable[Input], named: Sequence[str]) -> frozenset[str]:
    """Return the paths of the documentation among some inputs that was not named."""
    return frozenset(
        item.path
        for item in inputs
        if isinstance(item, InputFile) and not item.explicit and is_documentation(item.path, named)
    )


def _below(file: PurePath, named: Sequence[str]) -> PurePath:
    """Return a file's path from the name of the named folder on."""
    folders = [Path(name) for name in named if file.is_relative_to(name)]
    if not folders:
        return file
    nearest = max(folders, key=lambda folder: len(folder.parts))
    return PurePath(nearest.resolve().name, file.relative_to(nearest))

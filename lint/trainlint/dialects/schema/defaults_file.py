# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The file of defaults that a command names (timm's -c): found next to the command, read, and never run.

A property with `"x-defaults": true` names a YAML or TOML file that the script gives to argparse's
set_defaults, or as a namespace to begin with (sd-scripts). The tables of a TOML file are only headings.
The folder in which the command is run is not known: it is taken to be that of the file which holds the
command, or one above it, up to the root of its repository (without one, the working directory). Nothing
outside is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from trainlint.config.toml import parse_toml
from trainlint.config.yaml import parse_yaml
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.headings import without_headings
from trainlint.errors import UnreadableError
from trainlint.files.safe_open import is_path, is_there
from trainlint.files.text_source import load_source
from trainlint.model.document import Document

MOST_DEFAULTS_BYTES: Final = 1_000_000
"""The largest file of defaults that is read: train.py has about 170 arguments, of a line each."""
TOML: Final = ".toml"
MOST_FOLDERS_UP: Final = 8
"""How many folders up a repository's root is looked for."""


class Defaults(Struct, frozen=True):
    """What a file sets, with the line of each key; or `unknown`, why that is not known."""

    flag: str
    path: str
    values: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    unknown: str = ""


def defaults_of(document: Document, dialect: Dialect) -> Defaults | None:
    """Return the defaults that a command takes from a file; None where it names none."""
    flag = dialect.defaults_flag
    named = document.value.get(flag) if flag else None
    if flag is None or named in (None, "", True):
        return None
    text = str(named)
    if dialect.headings and not text.endswith(TOML):
        text += TOML  # sd-scripts puts it behind a name that lacks it
    if (flag,) in document.meta.get("unresolved", ()) or "$" in text:
        return Defaults(flag, text, unknown=f'"{text}" is only known when the command runs')
    path = file_named(document, text)
    if isinstance(path, str):
        return Defaults(flag, text, unknown=path)
    status = path.stat()
    return _read(flag, text, str(path), status.st_mtime_ns, status.st_size)


def file_named(document: Document, text: str) -> Path | str:
    """Return the file that a document names, or why there is none that may be read."""
    if not is_path(text):
        return "that is not a file name"
    try:
        folders = list(_folders(Path(document.source.path).resolve().parent))
        for folder in folders:
            there = Path(os.path.realpath(folder / text))
            if there.exists():
                inside = there.is_relative_to(folders[-1])
                return there if inside else f'"{text}" lies outside of {folders[-1].name or "this folder"}'
    except (OSError, ValueError, RuntimeError):
        return f'"{text}" cannot be looked for'
    return f'"{text}" is not here'


def _folders(folder: Path) -> Iterator[Path]:
    """Yield the folder of a command and those above it, up to the root of what may be read."""
    above = [folder, *folder.parents][:MOST_FOLDERS_UP]
    root = next((candidate for candidate in above if is_there(candidate / ".git")), None)
    here = Path.cwd()
    if root is None:
        root = here if folder.is_relative_to(here) else folder
    for parent in [folder, *folder.parents]:
        yield parent
        if parent == root:
            return


def forget() -> None:
    """Read every file of defaults again."""
    _read.cache_clear()


@lru_cache(maxsize=32)
def _read(flag: str, text: str, path: str, _changed: int, size: int) -> Defaults:
    """Read a file once for all commands that name it."""
    if size > MOST_DEFAULTS_BYTES:
        return Defaults(flag, text, unknown=f'"{text}" is larger than {MOST_DEFAULTS_BYTES // 1_000_000} MB')
    try:
        source = load_source(path)
        document = without_headings(parse_toml(source)[0]) if path.endswith(TOML) else parse_yaml(source)[0]
    except UnreadableError as error:
        return Defaults(flag, text, unknown=f'"{text}" {error}')
    if not isinstance(document.value, Mapping):
        return Defaults(flag, text, unknown=f'"{text}" is not a mapping of arguments to values')
    values = {str(name): value for name, value in document.value.items()}
    lines = {name: document.source.position(document.nearest((name,)).value.start)[0] for name in values}
    return Defaults(flag, text, values, lines)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The versions that a lock file settles: poetry.lock, uv.lock and pdm.lock (TOML), Pipfile.lock (JSON)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, Final

FILES: Final = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")
MOST_LOCK_BYTES: Final = 1 << 23
"""Bytes that are read of one: with the hashes of 500 packages it has 2 MB."""

Locked = tuple[str, str, int]
"""A package's name, its version as a clause ("==2.5.1+cu124"), and where it is in the text."""


def locked(file: str, text: str, names: Collection[str]) -> Iterator[Locked]:
    """Yield the packages of these names that a lock file settles; nothing where it is no such file."""
    if file == "Pipfile.lock":
        yield from _pipenv(text, names)
        return
    # all three write a package's name and version on two lines, one below the other
    pattern = rf'(?m)^name = "({"|".join(names)})"[ \t]*\r?\nversion = "([\w.+!-]{{1,60}})"'
    for match in re.finditer(pattern, text):
        yield match[1], f"=={match[2]}", match.start()


def _pipenv(text: str, names: Collection[str]) -> Iterator[Locked]:
    try:
        sections: Any = json.loads(text)
    except (ValueError, RecursionError):
        return
    section = sections.get("default") if isinstance(sections, dict) else None
    entries = section if isinstance(section, dict) else {}
    for name in names:
        entry = entries.get(name)
        version = entry.get("version") if isinstance(entry, dict) else None
        if isinstance(version, str):
            yield name, version, max(text.find(f'"{name}"'), 0)

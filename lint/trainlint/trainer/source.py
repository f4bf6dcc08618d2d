# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A trainer's own source as text: which names it quotes, which keys it reads. Nothing of it is run."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from trainlint.trainer.ask import ask_options, ask_parser
from trainlint.trainer.structs import Structs, structs_of

LARGEST_FILE = 1 << 20
"""Bytes of a file that is read; the largest of BasicSR's own has 60 KB, of traiNNer-redux's 110 KB."""

MOST_FILES = 4000
"""Files that are read; the largest repository of the family (traiNNer-redux) has 250 in Python."""

MOST_BYTES = 32 << 20
"""Bytes that are read in all."""


@dataclass(frozen=True)
class Source:
    """A repository's Python: `marker` is the file by which it was found, `root` the struct of its options."""

    folder: Path
    marker: Path
    root: str | None = None

    @cached_property
    def structs(self) -> Structs | None:
        """The options as the trainer's own structs declare them; None where it has none that can be read."""
        if not self.root:
            return None
        return structs_of(ask_options(self.folder, self._marker), self.root)

    @property
    def _marker(self) -> str:
        return self.marker.relative_to(self.folder).as_posix()

    @cached_property
    def text(self) -> str | None:
        """All Python of the repository; None where it is too much to be sure of what is missing."""
        return _all_text(self.folder)

    @cached_property
    def flags(self) -> frozenset[str]:
        """The flags that the marker's own parser adds, as far as they can be read."""
        found = ask_parser(self.folder, self._marker) or {"flags": []}
        return frozenset(name for flag in found["flags"] for name in flag["names"] if name.startswith("-"))

    def quotes(self, word: str) -> bool | None:
        """Return whether a text is in quotes anywhere; None where not all could be read."""
        if self.text is None:
            return None
        return f"'{word}'" in self.text or f'"{word}"' in self.text

    def has(self, word: str) -> bool | None:
        """Return whether a word occurs anywhere, as the name of a class or an argument does."""
        if self.text is None:
            return None
        return re.search(rf"\b{re.escape(word)}\b", self.text) is not None

    def reads(self, key: str) -> bool | None:
        """Return whether a key is read without a default anywhere: `opt['key']`."""
        if self.text is None:
            return None
        quoted = rf"""['"]{re.escape(key)}['"]"""
        return bool(re.search(rf"\[\s*{quoted}\s*\]|\.pop\(\s*{quoted}\s*\)", self.text))

    def defaults(self, key: str) -> bool:
        """Return whether a key is read with a default somewhere: `opt.get('key')` that is no question."""
        asked = rf"""\.get\(\s*['"]{re.escape(key)}['"][^)\n]*\)(?!\s*:|\s+is\b)"""
        return re.search(asked, self.text or "") is not None

    @property
    def resolves_floats(self) -> bool | None:
        """Whether it changes how YAML's words are read, as traiNNer did to read 1e-4 as a number."""
        return None if self.text is None else "add_implicit_resolver" in self.text


@lru_cache(maxsize=32)
def source_in(folder: Path, marker: Path, root: str | None) -> Source:
    """Return a repository's source; its files are read when they are asked for, once."""
    return Source(folder, marker, root)


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(LARGEST_FILE + 1).decode("utf-8", "replace")


def _all_text(folder: Path) -> str | None:
    parts: list[str] = []
    room = MOST_BYTES
    for place, folders, files in os.walk(folder):  # follows no links
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place, name)
            if not name.endswith(".py") or path.is_symlink() or not path.is_file():
                continue
            size = path.stat().st_size
            room -= size
            if size > LARGEST_FILE or room < 0 or len(parts) >= MOST_FILES:
                return None
            try:
                parts.append(_text(path))
            except OSError:
                return None
    return "\n".join(parts)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An option file of a checkout, as a slip finds and changes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bench.planted.checkout import Checkout
from trainlint.config.edit import apply_edits, rename_key
from trainlint.config.value_by_path import absent, dig
from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError
from trainlint.model.document import Document, Path, Source
from trainlint.model.finding import Edit

FAMILIES = {
    "basicsr": (("model_type",), ("train", "optim_g")),
    "kair": (("netG", "net_type"), ("train", "G_optimizer_lr")),
    "mmsr": (("model",), ("train", "niter")),
}
"""Trainer -> the keys by which its option files are told."""


@dataclass(frozen=True)
class Planted:
    """A text with a slip in it: on which lines it is, and what was done.

    `named` is a key that is gone: there is no line at which it would be missed, so that the message names it.
    """

    text: str
    lines: frozenset[int]
    done: str
    named: str = ""


@dataclass(frozen=True)
class OptionFile:
    """A training option file of one of the families."""

    checkout: Checkout
    name: str
    document: Document
    family: str

    @cached_property
    def leaves(self) -> dict[str, Path]:
        """Return the paths of what training reads, by the key's own name; the first of a name counts."""
        found: dict[str, Path] = {}
        for path in _paths(self.document.value):
            if path[:1] != ("datasets",) or path[1:2] == ("train",):
                found.setdefault(str(path[-1]), path)
        return found

    def at(self, *path: str) -> Any:
        """Return a value, None where it is absent."""
        value = dig(self.document.value, path)
        return None if absent(value) else value

    def line(self, path: Path) -> int:
        """Return the line of a value's key."""
        place = self.document.places[path]
        return self.document.source.position((place.key or place.value).start)[0]

    def last_line(self, path: Path) -> int:
        """Return the line on which a value ends."""
        span = self.document.places[path].value
        text = self.document.source.text[span.start : span.end].rstrip()
        return self.document.source.position(span.start + max(len(text) - 1, 0))[0]

    def rewritten(self, path: Path, raw: str) -> Planted:
        """Write something else in place of a value."""
        span = self.document.places[path].value
        text = apply_edits(self.document.source.text, [Edit(span, raw)])
        return Planted(text, frozenset({self.line(path)}), f"{dotted(path)}: {raw}")

    def renamed(self, path: Path, name: str) -> Planted | None:
        """Spell a key otherwise."""
        edit = rename_key(self.document, path, name)
        if edit is None:
            return None
        text = apply_edits(self.document.source.text, [edit])
        return Planted(text, frozenset({self.line(path)}), f"{dotted(path)} -> {name}", named=str(path[-1]))

    def commented(self, path: Path) -> Planted | None:
        """Put a key and all below it behind comment marks."""
        first, last = self.line(path), self.last_line(path)
        lines = self.document.source.text.splitlines(keepends=True)
        json = self.document.format == "json"
        if json and not lines[first - 1].lstrip().startswith(","):
            return None
        mark = "// " if json else "# "
        lines[first - 1 : last] = [mark + line for line in lines[first - 1 : last]]
        return Planted("".join(lines), frozenset(), f"{dotted(path)} commented out", named=str(path[-1]))

    def with_line(self, number: int, text: str, done: str, around: int = 0) -> Planted:
        """Replace one line's text; the slip may be seen `around` lines further on."""
        lines = self.document.source.text.splitlines(keepends=True)
        end = lines[number - 1][len(lines[number - 1].rstrip("\r\n")) :]
        lines[number - 1] = text + end
        return Planted("".join(lines), frozenset(range(number - around, number + around + 1)), done)


def dotted(path: Path) -> str:
    """Return a path as people write it."""
    return ".".join(map(str, path))


def option_files(checkout: Checkout) -> Iterator[OptionFile]:
    """Yield the training option files of a checkout."""
    for name in checkout.option_names:
        text = (checkout.folder / name).read_bytes().decode("utf-8", "replace")
        try:
            documents = read(Source(name, text))
        except UnreadableError:
            continue
        if len(documents) == 1 and (family := _family(documents[0].value)):
            yield OptionFile(checkout, name, documents[0], family)


def _family(value: Any) -> str:
    for family, keys in FAMILIES.items():
        if isinstance(value, Mapping) and not any(absent(dig(value, key)) for key in keys):
            return family
    return ""


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, Mapping):
        for key, inside in value.items():
            yield (*path, key)
            yield from _paths(inside, (*path, key))

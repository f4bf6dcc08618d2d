# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A model's class with all above it, as a repository defines them, and the files of other models."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from msgspec import Struct

from trainlint.expressions.patterns import later
from trainlint.repository.trainer.mentioned_words import Words

CLASS: Final = later(r"(?m)^class (\w+)[ \t]*(?:\(([^)]*)\))?[ \t]*:")

PLAIN_BASES: Final = frozenset(("", "object", "ABC", "ABCMeta", "Module"))
"""Classes above a model's that read no option, by the last part of their names."""


class Lineage(Struct, frozen=True):
    """The `files` of a model's class and all above it, and all classes that are models, its `kin`."""

    kin: frozenset[str]
    files: Mapping[str, str]

    def is_of_another(self, file: str, text: str) -> bool:
        """Return whether a file has models of the same kind, and none of this lineage imports it."""
        if file in self.files or self.kin.isdisjoint(name for name, _ in _classes(text)):
            return False
        *_, stem = file.removesuffix(".py").split("/")
        imported = re.compile(rf"\b{re.escape(stem)}\b")
        return not any(map(imported.search, self.files.values()))


def lineage_of(model: str, words: Words) -> Lineage | None:
    """Return a model's lineage; None where a class of it is not in the repository."""
    waiting = list(named_classes(model, words))
    classes, files = set[str](), dict[str, str]()
    while waiting:
        name = waiting.pop()
        defined = [(file, text, bases) for file, text in words.training_code if name in text
                   for known, bases in _classes(text) if known == name]  # fmt: skip
        if not defined:
            return None
        classes.add(name)
        files.update((file, text) for file, text, _ in defined)
        above = {base for _, _, bases in defined for base in bases}
        waiting += [base for base in above if base not in classes]
    return Lineage(_kin_of(classes, words), files) if classes else None


def _kin_of(classes: set[str], words: Words) -> frozenset[str]:
    """Return classes with all that any file puts below them, however far."""
    known = [defined for _, text in words.training_code for defined in _classes(text)]
    kin, size = set(classes), 0
    while size < len(kin):
        size = len(kin)
        kin.update(name for name, bases in known if not kin.isdisjoint(bases))
    return frozenset(kin)


def named_classes(name: str, words: Words) -> Collection[str]:
    """Return the class of a name, or those that a choice by it imports: `elif model == 'sr': from ..`."""
    if re.fullmatch(r"\w+", name) and any(re.search(rf"(?m)^class {name}\b", text) for text in words.code):
        return {name}
    chosen = re.compile(rf"""['"]{re.escape(name)}['"][^\n]*:[^\n]*\n\s*from\s+[\w.]+\s+import\s+(\w+)""")
    return {match[1] for text in words.code for match in chosen.finditer(text)}


def _classes(text: str) -> Iterator[tuple[str, set[str]]]:
    for name, bases in CLASS.findall(text):
        yield name, {re.split(r"[.=]", base)[-1].strip() for base in bases.split(",")} - PLAIN_BASES

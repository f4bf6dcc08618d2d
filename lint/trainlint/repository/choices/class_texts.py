# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The classes of a data set with all above them, and those of a registry, as a repository writes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from trainlint.expressions.patterns import later
from trainlint.files.syntax_tree import tree_of

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words

OF_DATA: Final = later(r"(?:(?:torch\.)?(?:utils\.)?data\.)?Dataset")
"""torch's class above all data sets, however it is imported."""


def with_bases(names: Collection[str], words: Words) -> list[tuple[str, str]] | None:
    """Return the classes of some names, and all above them, with their texts; None: one lies elsewhere."""
    texts, waiting, seen = [], [*names], set[str]()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        classes = [(node, text) for text in words.texts if name in text for node in classes_of(text, name)]
        if not classes:
            return None
        for node, text in classes:
            texts.append((name, "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])))
            bases = [ast.unparse(base) for base in node.bases]
            waiting += [base for base in bases if not OF_DATA.fullmatch(base) and base not in seen]
    return texts


def classes_of(text: str, name: str | None = None) -> Iterator[ast.ClassDef]:
    """Yield the classes of a file, or those of one name."""
    tree = tree_of(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef) and name in (None, node.name):
            yield node


def registered_names(words: Words, registry: str, folder: str) -> set[str]:
    """Return what enters a registry by its decorator; without one, the classes of a folder's files."""
    entered = re.compile(rf"(?m)^@{registry}\.register\([^\n]*\n(?:@[^\n]*\n)*(?:class|def) (\w+)")
    names = {name for text in words.code for name in entered.findall(text)}
    files = [] if names else zip(words.files, words.texts, strict=False)
    return names or {
        node.name for file, text in files if file.startswith(f"{folder}/") for node in classes_of(text)
    }

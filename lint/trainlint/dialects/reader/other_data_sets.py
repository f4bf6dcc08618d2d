# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Keys of a data set that the classes of other data sets read, and that of its own phase does not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from trainlint.config.value_by_path import dig
from trainlint.dialects.reader.key_problem import mapping_of
from trainlint.dialects.reader.own_data_set import OF_DATA
from trainlint.files.syntax_tree import tree_of
from trainlint.model.document import Document
from trainlint.model.job import Problem
from trainlint.repository.keys.placed_uses import placed_uses

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.trainer_source import TrainerSource


def read_by_other_data(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether a phase lacks a key that only classes read which its own does not have below it."""
    path, words, key = mapping_of(problem), source.words, problem.lacks
    if words is None or key is None or source.structs is not None:
        return False
    if len(path) != len(("datasets", "phase")) or path[0] != "datasets":
        return False
    options = dig(document.value, path)
    name = options.get("type", options.get("mode")) if isinstance(options, Mapping) else None
    readers = _readers(key, words) if isinstance(name, str) else None
    if not readers:
        return False
    own = _with_bases(str(name), words)
    return own is not None and not any(
        re.search(rf"\b{re.escape(reader)}\b", text) for text in own for reader in readers
    )


def _readers(key: str, words: Words) -> set[str] | None:
    """Return the classes in which a key is used; None where it is used elsewhere too, or none can say."""
    files = dict(zip(words.files, words.texts, strict=False))
    if any(key in text and tree_of(text) is None for text in files.values()):
        return None
    readers = set()
    for place, _ in placed_uses(words, key):
        file, _, line = place.rpartition(":")
        around = [node.name for node in _classes(files[file]) if _has_line(node, int(line))]
        if not around:
            return None
        readers.update(around)
    return readers


def _with_bases(name: str, words: Words) -> list[str] | None:
    """Return the texts of the classes of a name, and of all below them; None where one lies elsewhere."""
    texts, waiting, seen = [], [name], set[str]()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        classes = [(node, text) for text in words.texts if name in text for node in _classes(text, name)]
        if not classes:
            return None
        for node, text in classes:
            texts.append("\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno]))
            bases = [ast.unparse(base) for base in node.bases]
            waiting += [base for base in bases if not OF_DATA.fullmatch(base) and base not in seen]
    return texts


def _classes(text: str, name: str | None = None) -> Iterator[ast.ClassDef]:
    tree = tree_of(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef) and name in (None, node.name):
            yield node


def _has_line(node: ast.ClassDef, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)

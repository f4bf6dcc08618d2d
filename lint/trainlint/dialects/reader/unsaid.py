# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Refusals that a trainer's own source does not have: an older version stops for fewer reasons."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeGuard

from trainlint.dialects.schema.dialect import Dialect
from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import repository_of
from trainlint.files.syntax_tree import tree_of
from trainlint.model.document import Document
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer
from trainlint.repository.trainer.mentioned_words import Words, words_of

PARTS: Final[Mapping[str, Sequence[str]]] = {
    "axolotl": ("src/axolotl/",),
    "basicsr": ("basicsr/train.py",),
    "diffusers": ("train_dreambooth",),
    "llamafactory": ("src/llamafactory/", "src/llmtuner/"),
    "kohya": ("library/train_util.py",),
    "simpletuner": ("simpletuner/helpers/", "helpers/configuration/"),
}
"""What a repository has by which it carries the source of a dialect's trainer."""
CONTINUED: Final = later(r"""["']\s*\n\s*[fr]?["']""")
"""Where a text goes on in the next line of a program."""
BETWEEN: Final = later(r"[\W_]+")


def is_unsaid(problem: Problem, document: Document, dialect: Dialect, trainer: Trainer) -> bool:
    """Return whether what a trainer stops with is nowhere in its source around a config."""
    said = problem.said
    return said is not None and is_nowhere((said,), dialect.id, document, trainer)


def is_mentioned(problem: Problem, document: Document, trainer: Trainer) -> bool:
    """Return whether the source around a config asks for the key that it is said to refuse: an older one."""
    words, key = _words(document, trainer), str(problem.path[-1]) if problem.path else ""
    asked = re.compile(rf"""\b(?:cfg|\w+_args)\.{re.escape(key)}\b|['"]{re.escape(key)}['"]""")
    return any(asked.search(text) for _, text in (words.training if words is not None and key else ()))


def is_nowhere(said: Sequence[str], dialect: str, document: Document, trainer: Trainer) -> bool:
    """Return whether none of some sentences is in the source of a trainer that lies around a config."""
    words = carried(dialect, document, trainer)
    if words is None:
        return False
    text = _all_of(tuple(text for _, text in words.training))
    return not any(_plain(sentence) in text for sentence in said)


def carried(dialect: str, document: Document, trainer: Trainer) -> Words | None:
    """Return what a trainer's source around a config mentions, be it of any version; None where none is."""
    words = _words(document, trainer) if dialect in PARTS else None
    parts = PARTS.get(dialect, ())
    is_there = words is not None and any(f"/{part}" in f"/{file}" for file in words.files for part in parts)
    return words if is_there else None


def asked_besides(
    said: Sequence[str], heard: Collection[str], document: Document, trainer: Trainer
) -> str | None:
    """Return the line that says one of some sentences and asks for a key of the config that was not heard."""
    words = _words(document, trainer)
    keys = {str(key) for key, value in document.value.items() if value} - {*heard}
    for file, text in words.training if words is not None and keys else ():
        plain = _plain(text)
        if not any(_plain(sentence) in plain for sentence in said):
            continue
        tree = tree_of(text)
        for node in ast.walk(tree) if tree is not None else ():
            if _never_stops(node, said):
                return f"{file}:{node.lineno}"
            if not isinstance(node, ast.If) or not any(_says(part, said) for part in node.body):
                continue
            if not keys.isdisjoint(_names_in(node.test)):
                return f"{file}:{node.lineno}"
    return None


def _words(document: Document, trainer: Trainer) -> Words | None:
    """Return what the trainer's source mentions, or else the repository around a config."""
    folder = trainer.root or repository_of(document.source.path)
    return words_of(folder) if folder is not None else None


def _never_stops(node: ast.AST, said: Sequence[str]) -> TypeGuard[ast.Assert]:
    """Return whether a statement has one of some sentences, and what it asserts is always so."""
    match node:
        case ast.Assert(test=ast.Constant(value=value), msg=ast.Constant(value=str(text))):
            return bool(value) and any(_plain(sentence) in _plain(text) for sentence in said)
    return False


def _says(node: ast.stmt, said: Sequence[str]) -> bool:
    """Return whether a statement stops with one of some sentences."""
    if not isinstance(node, ast.Raise):
        return False
    parts = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    text = _plain("".join(part for part in parts if isinstance(part, str)))
    return any(_plain(sentence) in text for sentence in said)


def _names_in(node: ast.expr) -> Iterator[str]:
    for part in ast.walk(node):
        match part:
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)) | ast.Name(id=name):
                yield name


@lru_cache(maxsize=4)
def _all_of(texts: tuple[str, ...]) -> str:
    return "\n".join(map(_plain, texts))


def _plain(text: str) -> str:
    """Return the words of a text alone, in lower case."""
    return BETWEEN.sub(" ", CONTINUED.sub("", text)).strip().lower()

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a data set's class that was never published reads of its options, in its own way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from trainlint.config.value_by_path import dig
from trainlint.dialects.check.class_names import among
from trainlint.dialects.reader.choice import names_of
from trainlint.dialects.reader.key_problem import OF_VALUES, OPTION_DEPTH
from trainlint.dialects.schema.binding import bindings
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import described
from trainlint.model.document import Document, Path
from trainlint.model.job import Problem
from trainlint.repository.choices.class_texts import OF_DATA

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.trainer_source import TrainerSource

OF_THE_LOADER: Final = ("batch.", "workers.", "prefetch.", "data.enlarge", "pin_memory", "accumulate")
"""Beginnings of the spec's fields for which a data set's class is not asked: the loader reads them."""


def of_own_data(problem: Problem, document: Document, dialect: Dialect) -> bool:
    """Return whether a problem is about what an unpublished data set's class reads."""
    path = (*problem.path, problem.lacks) if problem.lacks else problem.path
    return problem.rule in OF_VALUES and own_name(path, document, dialect) is not None


def own_name(path: Path, document: Document, dialect: Dialect) -> str | None:
    """Return the name of an unpublished data set that reads the option at a path; none of the loader's."""
    if len(path) < OPTION_DEPTH or path[0] != "datasets":
        return None
    fields = (
        binding.field
        for part in described(dialect.schema, document.value, path, dialect.valid)
        for binding in bindings(part)
    )
    if any(field.startswith(OF_THE_LOADER) for field in fields):
        return None
    options = dig(document.value, path[:2])
    unknown = (
        str(options[key])
        for key, names, note in _registries(document, dialect, path[:2], options)
        if not (isinstance(options[key], str) and among(options[key], names, note))
    )
    return next(unknown, None)


def file_of(name: str, words: Words) -> tuple[str, str] | None:
    """Return the file that has a data set's class, or from which a choice by that name imports one."""
    here = re.compile(rf"(?m)^class {re.escape(name)}\b")
    chosen = re.compile(rf"""['"]{re.escape(name)}['"][^\n]*:\s*\n\s*from\s+([\w.]+)\s+import\b""")
    modules = [
        match[1].strip(".").replace(".", "/") for text in words.code for match in chosen.finditer(text)
    ]
    for path, text in zip(words.files, words.code, strict=False):
        if here.search(text) or any(path.removesuffix(".py").endswith(module) for module in modules):
            return path, text
    return None


def own_data_takes(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether an unpublished data set never reads what a problem is about, or asks for a list of it.

    Of a class that torch's alone is above, its file says all; of another one nothing is said.
    """
    words, path = source.words, problem.path
    options = dig(document.value, path[:2])
    name = options.get("type", options.get("mode")) if isinstance(options, Mapping) else None
    if words is None or problem.lacks or len(path) < OPTION_DEPTH or not isinstance(name, str):
        return False
    here = re.compile(rf"(?m)^class {re.escape(name)}\(([^)]*)\)")
    for text in words.code:
        if (defined := here.search(text)) is None:
            continue
        key = re.escape(str(path[-1]))
        if dig(document.value, path) is None and _asks_for_none(key, text):
            return True
        listed = re.search(rf"""isinstance\([^,()]*\b{key}\b[^,()]*,\s*\(?[^)\n]*\blist\b""", text)
        if isinstance(dig(document.value, path), list) and listed:
            return True
        option = str(path[OPTION_DEPTH - 1])
        return OF_DATA.fullmatch(defined[1].strip()) is not None and f"'{option}'" not in text.replace(
            '"', "'"
        )
    return False


def _asks_for_none(key: str, text: str) -> bool:
    """Return whether a file asks whether a key has a value, `if size is not None:`, or has None for one."""
    value = rf"""(?:\b{key}|\[['"]{key}['"]\])"""
    if re.search(rf"(?m){value} is (?:not )?None\b|^\s*if (?:not )?[\w.]*{value}\s*:", text) is not None:
        return True
    got = re.search(rf"""\.get\(\s*['"]{key}['"]\s*(?:,\s*None\s*)?\)""", text)
    return got is not None and re.search(rf"""\[['"]{key}['"]\]""", text) is None


def own_data_takes_any_root(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether a data set's own file compares no storage with the one that a path is refused for."""
    if problem.rule != "wrong-value" or source.words is None or not _is_root(problem.path):
        return False
    options = dig(document.value, problem.path[:2])
    storage = dig(options, ("io_backend", "type"))
    here = re.compile(rf"(?m)^class {re.escape(str(options.get('type')))}\b")
    texts = [text for text in source.words.code if here.search(text)]
    return bool(texts) and not any(f"'{storage}'" in text.replace('"', "'") for text in texts)


def _is_root(path: Path) -> bool:
    return len(path) == OPTION_DEPTH and path[0] == "datasets" and str(path[-1]).startswith("dataroot")


def _registries(
    document: Document, dialect: Dialect, where: Path, options: Any
) -> Iterator[tuple[str | int, list[str], Mapping[str, Any]]]:
    """Yield the keys of a mapping whose values are names of one registry, with these and the annotation."""
    for key in options if isinstance(options, Mapping) else ():
        for part in described(dialect.schema, document.value, (*where, key), dialect.valid):
            if "x-names" in part:
                yield key, names_of(dialect, part), part["x-names"]

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a repository's Python uses a key, and where its reader of options sets keys that are no constants."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.files.syntax_tree import tree_of
from trainlint.repository.keys.key_uses import ANY_KEY, Use, uses
from trainlint.repository.keys.passed_keywords import unpassed_lines
from trainlint.repository.keys.published_uses import published_uses
from trainlint.repository.keys.remade_options import handed, remade
from trainlint.repository.trainer.mentioned_words import Words

LOADS: Final = ("yaml.load", "json.load", "safe_load", "toml.load", "OmegaConf.load")
"""What a file with a reader of options has in it."""

STARTS: Final = ("define_Model(", "create_model(", "build_model(")
"""What a script calls that starts a training."""

READER: Final = later(r"(?m)^def (?:parse|parse_options|yaml_load)\(")
"""What the trainers of the family read an option file by."""

Placed = tuple[str, Use]
"""A use with its file and line."""


def placed_uses(words: Words, key: str) -> Iterator[Placed]:
    """Yield each use of a key in a repository's Python, but for what trains nothing."""
    for path, text in words.training:
        if key in text:
            tree = tree_of(text)
            for use in uses(tree, (key,)) if tree is not None else ():
                yield f"{path}:{use.line}", use


def read_as_attribute(words: Words, key: str) -> str | None:
    """Return where options are asked for a key as an attribute, as no published trainer does: `opt.lr`."""
    asked = re.compile(rf"\b(?:\w*_)?(?:opts?|options|cfg|config)\.{re.escape(key)}\b(?!\s*=[^=])")
    for path, text in words.training:
        if key in text and (match := asked.search(text)) is not None:
            return f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
    return None


@lru_cache(maxsize=4)
def set_by_reader(words: Words) -> tuple[tuple[str, str | None], ...]:
    """Return where what reads options, or starts a training, sets keys that are no constants, or remakes all.

    Each with the key of the mapping that it sets them in, None for all options. As no published trainer does;
    what these hand all options to by a statement counts with them.
    """
    texts = dict(words.training)
    places: list[tuple[str, str | None]] = []
    called = set[str]()
    on_the_way = {
        path
        for path, text in texts.items()
        if any(mark in text for mark in (*LOADS, *STARTS)) or READER.search(text)
    }
    for path in on_the_way:
        tree, text = tree_of(texts[path]), texts[path]
        if tree is None:
            continue
        called.update(handed(tree))
        places += _set_in(path, tree, texts)
        if READER.search(text) or any(mark in text for mark in STARTS):
            places += [(f"{path}:{line}", section) for line, section in remade(tree)]
    defines = re.compile(rf"(?m)^def (?:{'|'.join(map(re.escape, sorted(called)))})\(") if called else None
    for path, text in texts.items():
        if defines is not None and path not in on_the_way and defines.search(text):
            places += _set_in(path, tree, texts) if (tree := tree_of(text)) is not None else ()
    return tuple(sorted(places, key=lambda place: place[0]))


def _set_in(path: str, tree: ast.Module, texts: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Yield where a file sets keys that are no constants, as no published one does."""
    known = {digest for keys in published_uses().values() for digest in keys.get(ANY_KEY, ())}
    own = [use for use in uses(tree, (ANY_KEY,)) if use.digest not in known]
    idle = unpassed_lines(tree, texts.values()) if own else ()
    for use in own:
        if use.line not in idle:
            yield f"{path}:{use.line}", use.within

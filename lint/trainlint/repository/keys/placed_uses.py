# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a repository's Python uses a key, and where its reader of options sets keys that are no constants."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from trainlint.files.syntax_tree import parsed
from trainlint.repository.keys.key_uses import ANY_KEY, Use, uses
from trainlint.repository.keys.published_uses import published_uses
from trainlint.repository.trainer.mentioned_words import Words

OTHER_FOLDERS: Final = ("docs", "test", "tests")
"""Folders whose Python trains nothing."""

LOADS: Final = ("yaml.load", "json.load", "safe_load", "toml.load", "OmegaConf.load")
"""What a file with a reader of options has in it."""

Placed = tuple[str, Use]
"""A use with its file and line."""

tree_of = lru_cache(maxsize=256)(parsed)


def placed_uses(words: Words, key: str) -> Iterator[Placed]:
    """Yield each use of a key in a repository's Python, but for what trains nothing."""
    for path, text in zip(words.files, words.texts, strict=False):
        if key in text and not trains_nothing(path):
            tree = tree_of(text)
            for use in uses(tree, (key,)) if tree is not None else ():
                yield f"{path}:{use.line}", use


def set_by_reader(words: Words) -> Iterator[str]:
    """Yield where readers of options set keys that are no constants, as no published one does."""
    known = {digest for keys in published_uses().values() for digest in keys.get(ANY_KEY, ())}
    for path, text in zip(words.files, words.texts, strict=False):
        if any(load in text for load in LOADS) and not trains_nothing(path):
            tree = tree_of(text)
            for use in uses(tree, (ANY_KEY,)) if tree is not None else ():
                if use.digest not in known:
                    yield f"{path}:{use.line}"


def trains_nothing(path: str) -> bool:
    """Return whether a file of a repository is one of its tests, or of its documents."""
    return not set(OTHER_FOLDERS).isdisjoint(path.replace("\\", "/").split("/")[:-1])

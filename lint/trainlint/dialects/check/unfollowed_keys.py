# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository's own lines do with a key, so that the published trainers do not say what becomes of it.

A schema says what the published lines do with a value. Where a repository has others that use the same key,
it may set, convert, ask for or pass over it; and a script of its own may read the file otherwise. What is
wrong by the schema is then a warning with the place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from trainlint.dialects.check.unread_by_trainer import OF_THE_START, OF_VALUES, listed_names
from trainlint.dialects.schema.dialect import Dialect
from trainlint.files.syntax_tree import parsed
from trainlint.model.document import Document, Path
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer
from trainlint.repository.keys.key_uses import ANY_KEY, Use, uses
from trainlint.repository.keys.published_uses import published_uses

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.trainer_source import TrainerSource

OTHER_FOLDERS: Final = ("docs", "test", "tests")
"""Folders whose Python trains nothing."""
LOADS: Final = ("yaml.load", "json.load", "safe_load", "toml.load", "OmegaConf.load")
"""What a file with a reader of options has in it."""
OF_TEXTS: Final = ("duplicate-key", "several-documents", "unreadable")
"""Rules of what any reader meets."""

tree_of = lru_cache(maxsize=256)(parsed)


def unfollowed(problem: Problem, document: Document, dialect: Dialect, source: TrainerSource) -> str | None:
    """Say which line of a repository does something else with a problem's key; None where none does."""
    words = source.words
    if words is None or document.format == "command" or problem.rule in OF_TEXTS:
        return None
    marker = source.marker.relative_to(source.folder).as_posix()
    if (place := _reader_of_its_own(document, words, marker)) is not None:
        return f"its own {place} reads this file itself"
    known = published_uses().get(dialect.id)
    keys = [step for step in problem.path if isinstance(step, str)]
    if known is None or source.structs is not None or not (keys or problem.lacks):
        return None
    if (own := _unlisted_step(problem, document, dialect)) is not None:
        return f"what its own {own} reads was not followed"
    if problem.lacks:
        place = _may_lack(problem.lacks, words, known.get(problem.lacks, ()), known.get(ANY_KEY, ()))
        return f"its own {place} may do without" if place else None
    place = _used_otherwise(problem, keys, words, known.get(keys[-1], ()))
    return f"its own {place} may change that" if place else None


def set_by_its_own(
    paths: Iterable[Path], document: Document, dialect: Dialect, trainer: Trainer | None
) -> str | None:
    """Say which line of the repository around a config sets a value of it; None where none surely does."""
    if trainer is None or trainer.named or trainer.source is None or document.format == "command":
        return None
    known, words = published_uses().get(dialect.id), trainer.source.words
    if known is None or words is None or trainer.source.structs is not None:
        return None
    for path in paths:
        keys = [step for step in path if isinstance(step, str)]
        place = _set_by(keys, words, known.get(keys[-1], ())) if keys else None
        if place is not None:
            return f"its own {place} may change that"
    return None


def _unlisted_step(problem: Problem, document: Document, dialect: Dialect) -> str | None:
    """Return a config's model of which nothing is known, where a problem may be about what that reads."""
    notes = dialect.trainer.own
    if notes is None or not notes.get("uncompared") or problem.rule not in OF_VALUES:
        return None
    path, name = (*problem.path, problem.lacks), document.value.get(notes["step"])
    known = listed_names(document, dialect, (notes["step"],))
    return str(name) if path[0] not in OF_THE_START and known and str(name) not in known else None


def _reader_of_its_own(document: Document, words: Words, marker: str) -> str | None:
    """Return the script that names a config's file and loads such files itself."""
    name = document.source.path.replace("\\", "/").rpartition("/")[2]
    for path, text in zip(words.files, words.texts, strict=False):
        if name in text and path != marker and any(load in text for load in LOADS):
            return path
    return None


def _used_otherwise(problem: Problem, keys: list[str], words: Words, known: Collection[str]) -> str | None:
    """Return where a repository sets a key, or uses one in another way where its value is wrong."""
    if problem.rule in OF_VALUES:
        return next((place for place, use in _uses(words, keys[-1]) if use.digest not in known), None)
    return _set_by(keys, words, known)


def _set_by(keys: list[str], words: Words, known: Collection[str]) -> str | None:
    """Return where a repository sets a key, whatever its value is."""
    within = keys[-2] if len(keys) > 1 else None
    for place, use in _uses(words, keys[-1]):
        if use.sets and use.surely and use.within in (None, within) and use.digest not in known:
            return place
    return None


def _may_lack(key: str, words: Words, known: Collection[str], known_of_any: Collection[str]) -> str | None:
    """Return where a repository may do without a key, or set it."""
    found = list(_uses(words, key))
    own = [(place, use) for place, use in found if use.digest not in known]
    may_set = [place for place, use in own if not use.reads]
    if not may_set and not any(use.surely or use.digest in known for _, use in found if use.reads):
        may_set = [
            place for place, _ in own
        ]  # all that is left of what stops without it is behind a question
    return next(iter(may_set), None) or _set_by_reader(words, known_of_any)


def _set_by_reader(words: Words, known: Collection[str]) -> str | None:
    """Return where a reader of options sets keys that are no constants, as no published one does."""
    for path, text in zip(words.files, words.texts, strict=False):
        if any(load in text for load in LOADS) and not _trains_nothing(path):
            tree = tree_of(text)
            for use in uses(tree, (ANY_KEY,)) if tree is not None else ():
                if use.digest not in known:
                    return f"{path}:{use.line}"
    return None


def _uses(words: Words, key: str) -> Iterator[tuple[str, Use]]:
    for path, text in zip(words.files, words.texts, strict=False):
        if key in text and not _trains_nothing(path):
            tree = tree_of(text)
            for use in uses(tree, (key,)) if tree is not None else ():
                yield f"{path}:{use.line}", use


def _trains_nothing(path: str) -> bool:
    return not set(OTHER_FOLDERS).isdisjoint(path.replace("\\", "/").split("/")[:-1])

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository's own lines do with a key, so that the published trainers do not say what becomes of it.

A schema says what the published lines do with a value. Where a repository has others that use the same key,
it may set, convert, ask for or pass over it; and a script of its own may read the file otherwise. What is
wrong by the schema is then a warning with the place.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from trainlint.dialects.reader.key_problem import OF_VALUES, mapping_of
from trainlint.dialects.reader.own_model import is_uncompared, unlisted_step
from trainlint.dialects.schema.dialect import Dialect
from trainlint.model.document import Document, Path
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer
from trainlint.repository.keys.key_uses import Use
from trainlint.repository.keys.placed_uses import LOADS, Placed, placed_uses, set_by_reader
from trainlint.repository.keys.published_uses import published_uses

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.trainer_source import TrainerSource

OF_TEXTS: Final = ("duplicate-key", "several-documents", "unreadable")
"""Rules of what any reader meets."""

MODELS: Final = "models"
"""The folder of model classes, of which a config has one."""


def unfollowed(
    problem: Problem, document: Document, dialect: Dialect, source: TrainerSource, *, judged: bool
) -> str | None:
    """Say which line of a repository does something else with a problem's key; None where none does.

    `judged`: what it chooses among was looked at, so that only a line that sets the key counts.
    """
    words = source.words
    if words is None or document.format == "command" or problem.rule in OF_TEXTS:
        return None
    markers = (source.marker.relative_to(source.folder).as_posix(), *dialect.trainer.markers)
    folder = os.path.relpath(os.path.dirname(os.path.abspath(document.source.path)), source.folder)  # noqa: PTH100, PTH120 - as words.files are
    if (place := _reader_of_its_own(document, folder, words, markers)) is not None:
        return f"its own {place} reads this file itself"
    known = published_uses().get(dialect.id)
    path = mapping_of(problem) if problem.lacks else problem.path
    keys = [step for step in path if isinstance(step, str)]
    if known is None or source.structs is not None or not (keys or problem.lacks):
        return None
    key = problem.lacks or keys[-1]
    mentions = list(placed_uses(words, key))
    own = [(place, use) for place, use in mentions if use.digest not in known.get(key, ())]
    step = unlisted_step(problem, document, dialect)
    if any(MODELS not in place.split("/") for place, use in mentions if use.digest in known.get(key, ())):
        step = None  # the script reads it, whatever the model is
    if step is not None and is_uncompared(dialect):
        return f"what its own {step} reads was not followed"
    counted = _in_question(problem, keys, own, published=len(own) < len(mentions))
    if judged or (len(own) < len(mentions) and step is None):  # what uses it as published is come to
        counted = [(place, use) for place, use in counted if use.sets]
    if not counted and problem.lacks:
        place = set_by_reader(words)
        return f"its own {place} may set that" if place else None
    does = "may do without" if problem.lacks else "may change that"
    return f"its own {counted[0][0]} {does}" if counted else None


def _in_question(
    problem: Problem, keys: list[str], own: Sequence[Placed], *, published: bool
) -> list[Placed]:
    """Return the uses of its own after which a problem may be none; `published`: others are left."""
    if not problem.lacks and problem.rule in OF_VALUES:
        return list(own)
    if not problem.lacks:
        return [(place, use) for place, use in own if use.surely and _sets(use, keys[-2:-1])]
    here = (None, *keys[-1:])
    asking = [(place, use) for place, use in own if not use.reads and use.within in here]
    sure = published or any(use.reads and use.surely for _, use in own)
    return asking or ([] if sure else list(own))


def _sets(use: Use, mapping: list[str]) -> bool:
    return use.sets and use.within in (None, *mapping)


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
        for place, use in placed_uses(words, keys[-1]) if keys else ():
            if use.surely and _sets(use, keys[-2:-1]) and use.digest not in known.get(keys[-1], ()):
                return f"its own {place} may change that"
    return None


def _reader_of_its_own(document: Document, folder: str, words: Words, markers: tuple[str, ...]) -> str | None:
    """Return the script that names a config's file, and loads such files itself; no trainer's own reader.

    By its folder too, unless the script lies there: there are many of the name config.json.
    """
    *_, name = document.source.path.replace("\\", "/").split("/")
    longer = f"{os.path.basename(folder)}/{name}"  # noqa: PTH119 - as above
    for path, text in zip(words.files, words.texts, strict=False):
        here = os.path.dirname(path) == folder  # noqa: PTH120 - as above
        if (
            (name if here else longer) in text
            and not path.endswith(markers)
            and any(load in text for load in LOADS)
        ):
            return path
    return None

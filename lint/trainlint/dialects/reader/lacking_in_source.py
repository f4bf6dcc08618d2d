# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What only the trainer's own source can say is wrong: names that it does not have, keys that it never reads.

Of a fork's own classes no schema knows the data sets, schedulers and optimizers they choose among. Where the
repository is there, what no file of it mentions is not chosen; without it nothing of this is said.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from trainlint.config.value_by_path import dig
from trainlint.dialects.messages.typos import NAMES, one_edit
from trainlint.dialects.reader.choice import choice_is_there, listed_names, may_do_without
from trainlint.dialects.reader.words_around import is_class_shown
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import described
from trainlint.expressions.patterns import later
from trainlint.model.document import Document
from trainlint.model.job import Problem

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.trainer_source import TrainerSource

PLAIN_NAME: Final = later(r"[\w-]+")
"""A name that is looked up as it is; others may be taken apart first (DynaVSR: video_base+lrimgestimator)."""
METRICS: Final = "metrics"
SHORTEST: Final = 3
"""Letters of a name of which another one may be a slip."""


def lacking(problem: Problem, document: Document, dialect: Dialect, source: TrainerSource) -> Problem | None:
    """Return what a source says of a problem that it alone can settle; None where it has nothing to say."""
    if source.words is None or source.structs is not None:
        return None
    if problem.rule == "unknown-key":
        return _unread(problem, source)
    settle = {NAMES: _unnamed, "missing-key": _asked_for}[problem.rule]
    return settle(problem, document, dialect, source)


def _unnamed(problem: Problem, document: Document, dialect: Dialect, source: TrainerSource) -> Problem | None:
    """Return a name that no file has in any form, where names of its kind are chosen among.

    Sure where it is a slip of one that the source has, or the source raises for all that it does not have;
    another may be an installed package's.
    """
    name, words = str(dig(document.value, problem.path)), source.words
    if (
        words is None
        or not PLAIN_NAME.fullmatch(name)
        or is_class_shown(name, document)
        or _is_mentioned(name, problem, document, dialect, words)
        or not choice_is_there(problem, document, dialect, source)
    ):
        return None
    from trainlint.repository.choices.closed_choices import is_closed, is_ignored  # noqa: PLC0415  # not for what passes

    if is_ignored(words, str(problem.path[-1])) or _computed(problem, words):
        return None
    known = listed_names(document, dialect, problem.path)
    near = _slip_of(name, {*known, *words.quoted, *words.defined})
    hint = f'; did you mean "{near}"?' if near else ""
    sure = near is not None or is_closed(words, str(problem.path[-1]))
    return replace(
        problem, message=f"{problem.message}{hint}", suggestion=near, harmless=not sure, doubt=None
    )


def _computed(problem: Problem, words: Words) -> bool:
    """Return whether a metric is computed by its entry's name, so that nothing looks up its type."""
    return problem.path[-3:-2] == (METRICS,) and words.compares(str(problem.path[-2]))


def _is_mentioned(name: str, problem: Problem, document: Document, dialect: Dialect, words: Words) -> bool:
    """Return whether a source has a name; one that is put into longer ones, as a part of anything."""
    parts = described(dialect.schema, document.value, problem.path, dialect.valid)
    if any(part.get("x-names", {}).get("composed") for part in parts) or words.names_file(name):
        return words.mentions(name)
    return words.has_folded(name) or words.quotes_folded(name) or words.quotes(name) is not False


def _slip_of(name: str, words: Collection[str]) -> str | None:
    """Return the one word of which a name is a slip."""
    if len(name) < SHORTEST:
        return None
    near = {word for word in words if len(word) >= SHORTEST and one_edit(name, word)}
    return next(iter(near)) if len(near) == 1 else None


def _asked_for(
    problem: Problem, document: Document, dialect: Dialect, source: TrainerSource
) -> Problem | None:
    """Return a missing key that the source reads, and nowhere with a default, nor only for other configs."""
    key, words = str(problem.lacks), source.words
    if words is None or not source.reads(key) or source.defaults(key):
        return None
    if words.is_idle(key, document.value):
        return None
    if any(filled == key for _, filled in words.filled) or may_do_without(problem, document, dialect, source):
        return None
    return replace(problem, harmless=True, doubt=None)


def _unread(problem: Problem, source: TrainerSource) -> Problem | None:
    """Return a key that the source never mentions, where it reads one of nearly the same name."""
    key, near = str(problem.path[-1]), str(problem.suggestion)
    if source.takes(key) is not False or source.quotes(near) is not True:
        return None
    return replace(problem, doubt=None)

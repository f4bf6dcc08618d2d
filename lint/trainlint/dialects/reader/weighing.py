# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Problems held against the trainer that will read the config: forks add keys, values, types and defaults.

The schema says what the published versions do. Where the trainer's own source lies around the config it is
asked; where the user named the trainer, the schema holds; a config alone does not distinguish a mistake from
a fork's own option, unless no published version could run it. The questions, in this order: does the source
alone decide, has no line of it a part in it, does it take the value, does an own data set or model read it,
is it sure without the source, and do the repository's own lines do something else with the key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from trainlint.config.listed_keys import MANY_KEYS, ONLY_LISTED, lists_keys
from trainlint.dialects.messages.typos import NAMES
from trainlint.dialects.reader.excuse import excused
from trainlint.dialects.reader.key_problem import OF_TEXTS, value_at
from trainlint.dialects.reader.own_data_set import of_own_data, own_data_takes
from trainlint.dialects.reader.own_model import is_unread_by_own, of_own_step
from trainlint.dialects.reader.passed_over import is_passed_over
from trainlint.dialects.reader.unsaid import is_mentioned, is_unsaid
from trainlint.dialects.schema.dialect import Dialect
from trainlint.files.enclosing_folders import lies_with_tests
from trainlint.model.document import Document
from trainlint.model.job import Doubt, Problem
from trainlint.model.trainer import Trainer

if TYPE_CHECKING:
    from trainlint.repository.trainer.own_classes import Own
    from trainlint.repository.trainer.trainer_source import TrainerSource

SURE_ALONE: Final = (Doubt.DEFAULT, Doubt.FIGURE, Doubt.SPELLING)
"""What every published version does, so that a config alone is enough."""

OF_TRAINING: Final = ("train", "logger")
"""Sections that training alone reads."""

ONLY_IF_TRAINED: Final = "; right only if it is trained: its folder holds what is tested"
"""What is added to a missing key of an option file that has a train section among those for tests."""


def weigh(
    problems: tuple[Problem, ...],
    document: Document,
    dialect: Dialect,
    trainer: Trainer,
    own: Own | None = None,
) -> tuple[Problem, ...]:
    """Return the problems without those that the trainer's own source excuses; the rest is sure or not."""
    layered = trainer.source is not None and document.format != "command" and trainer.source.joins_files
    left = (problem for problem in problems if not (layered and _is_left_to_another(problem, document)))
    followed = (
        _as_followed(problem, document, dialect, trainer, judged=judged)
        for problem, judged in _weighed(left, document, dialect, trainer, own)
    )
    return tuple(problem for problem in followed if problem is not None)


def _weighed(
    problems: Iterable[Problem], document: Document, dialect: Dialect, trainer: Trainer, own: Own | None
) -> Iterator[tuple[Problem, bool]]:
    """Yield problems, each with whether the source's own choice was looked at and lacks the value."""
    source = trainer.source if document.format != "command" else None
    certain = trainer.named or not dialect.trainer.forks
    for problem in problems:
        if problem.doubt is Doubt.SOURCE:
            if trainer.source is None:
                continue
            from trainlint.dialects.reader.lacking_in_source import lacking  # noqa: PLC0415 - of a source alone

            if (settled := lacking(problem, document, dialect, trainer.source)) is not None:
                yield settled, False
            continue
        if is_passed_over(problem, document, dialect, trainer):
            continue
        taken = excused(problem, document, dialect, trainer) if problem.doubt else None
        if taken:
            continue
        if problem.rule == "missing-key" and trainer.root is not None and _is_tested(document):
            yield from _if_trained(problem)
            continue
        if not certain and (of_own := _of_own_classes(problem, document, dialect, source, own)) is not False:
            if of_own:
                yield replace(problem, doubt=problem.doubt or Doubt.TYPE), False
            continue
        warned = problem.harmless and problem.doubt is Doubt.KEY  # it stops nothing, whoever reads it
        held = warned or (certain and not (problem.doubt is Doubt.CLASS and trainer.around is not None))
        sure = held or (_sure_alone(problem, source) and not _untold(problem, dialect, source))
        yield replace(problem, doubt=None) if sure or taken is False else problem, taken is False


def _if_trained(problem: Problem) -> Iterator[tuple[Problem, bool]]:
    """Yield what an option file for tests lacks, but for what training alone reads."""
    if (*problem.path, problem.lacks)[0] not in OF_TRAINING:
        said = f"{problem.message.removesuffix(ONLY_IF_TRAINED)}{ONLY_IF_TRAINED}"  # it may be weighed twice
        yield replace(problem, doubt=None, harmless=True, message=said), False


def _of_own_classes(
    problem: Problem, document: Document, dialect: Dialect, source: TrainerSource | None, own: Own | None
) -> bool | None:
    """Return whether a data set or model that was never published may read a value; None: it never does."""
    of_data, of_step = of_own_data(problem, document, dialect), of_own_step(problem, own)
    if of_data and source is not None and own_data_takes(problem, document, source):
        return None
    if of_step and source is not None and is_unread_by_own(problem, document, dialect, source):
        return None
    return of_data or of_step


def _as_followed(
    problem: Problem, document: Document, dialect: Dialect, trainer: Trainer, *, judged: bool
) -> Problem | None:
    """Return a problem, as a warning where the repository's own lines do something else with its key.

    None where these are a model's that was never published: of what that reads nothing is known.
    """
    if problem.doubt is not None or problem.harmless or trainer.named:
        return problem
    if is_unsaid(problem, document, dialect, trainer):
        said = f"{problem.message}; the source around it does not say so"
        older = is_mentioned(problem, document, trainer)
        return None if older else replace(problem, harmless=True, message=said)
    if (why := _elsewhere(problem, document, dialect, trainer)) is not None:
        return replace(problem, harmless=True, message=f"{problem.message}; {why}")
    from trainlint.dialects.reader.own_lines import completed, read_by_unknown, unfollowed  # noqa: PLC0415 - of what fails alone
    from trainlint.dialects.reader.own_model import is_of_its_own_model  # noqa: PLC0415 - the same

    source = trainer.source
    if source is not None and is_of_its_own_model(problem, document, dialect, source):
        return None
    if trainer.root is None:
        why = read_by_unknown(problem, document)
    else:
        why = unfollowed(problem, document, dialect, trainer, judged=judged)
    why = why or completed(problem, document)
    if why is None:
        return problem
    return replace(problem, harmless=True, suggestion=None, message=f"{problem.message}; {why}")


def _elsewhere(problem: Problem, document: Document, dialect: Dialect, trainer: Trainer) -> str | None:
    """Say what else may take a value: another trainer, a class that its registry may not have, or nobody."""
    if problem.rule not in OF_TEXTS and lists_keys(document, MANY_KEYS):
        return ONLY_LISTED
    if trainer.fork and problem.rule not in OF_TEXTS:
        return f"what is installed comes from {trainer.fork}"
    if problem.rule != NAMES:
        return None
    from trainlint.dialects.reader.registries import doubt_of_name  # noqa: PLC0415 - of what fails alone

    return doubt_of_name(problem.path, dialect, trainer)


def _is_left_to_another(problem: Problem, document: Document) -> bool:
    """Return whether another of several option files may have what this one lacks or leaves empty."""
    if problem.rule == "missing-key":
        return True
    return problem.rule == "wrong-type" and bool(problem.path) and value_at(document, problem.path) is None


def _is_tested(document: Document) -> bool:
    """Return whether an option file that could train lies with those that test."""
    if document.format == "command" or "train" not in document.value:
        return False
    return lies_with_tests(document.source.path)


def _sure_alone(problem: Problem, source: TrainerSource | None) -> bool:
    """Return whether a config is enough: not where the source has a default for a missing key somewhere."""
    if problem.doubt is Doubt.DEFAULT and problem.lacks and source and source.structs is None:
        return not source.defaults(problem.lacks)
    return problem.doubt in SURE_ALONE


def _untold(problem: Problem, dialect: Dialect, source: TrainerSource | None) -> bool:
    """Return whether a trainer's own source may do without a key, or round a figure.

    Nothing says of such a dialect's classes whether they are the published ones.
    """
    notes = dialect.trainer.own
    compared = notes is not None and not notes.get("uncompared")
    return source is not None and not compared and problem.doubt in (Doubt.DEFAULT, Doubt.FIGURE)

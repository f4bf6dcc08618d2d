# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One warning for all problems of a rule that a fork may have its own reasons for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from trainlint.dialects.messages.typos import NAMES
from trainlint.dialects.messages.value_wording import dotted
from trainlint.dialects.reader.key_problem import mapping_of
from trainlint.dialects.schema.dialect import Dialect
from trainlint.model.document import Path
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer

MOST_NAMES: Final = 8
"""Names in one message: more of them do not make it clearer."""

SUMMED_DOUBTS: Final = {
    "unknown-key": "{n} keys unknown to {title}: {names}; a fork may read them",
    "unused-key": "{n} keys that {title} never reads: {names}; a fork may",
    "wrong-value": "{n} values unknown to {title}: {names}; a fork may",
    "wrong-type": "{n} values of a type that {title} does not take: {names}; a fork may",
    "number-as-string": "{n} numbers that PyYAML reads as strings: {names}; a fork's loader may read numbers",
    "none-as-string": "{n} words None where {title} reads a text or nothing: {names}; a fork may ask for it",
    "misspelt-name": "{n} names of classes unknown to {title}: {names}; right only if your fork has them",
    "network-arguments": "{n} arguments that networks of {title} do not take: {names}; a fork's own may",
    "missing-key": "{n} keys that {title} reads are missing: {names}; a fork may have defaults",
    "unknown-argument": "{n} arguments that classes of {title} do not take: {names}; a fork's own may",
}
"""What is said of several problems of a rule at once."""

SINGLE_DOUBT: Final = {
    "unused-key": "a fork may read it",
    "unknown-key": "a fork may read it",
    "missing-key": "its source does without it in one place",
    "number-as-string": "a fork's loader may read a number",
    "none-as-string": "a fork may ask for it",
    "misspelt-name": "right only if your fork has it",
}
"""What is added to a single problem; "a fork may take it" for the others."""


def summed_up(problems: tuple[Problem, ...], dialect: Dialect, trainer: Trainer) -> tuple[Problem, ...]:
    """Return the problems with those in doubt as one warning for each rule, at the first of them."""
    doubted: dict[str, list[Problem]] = {}
    for problem in problems:
        if problem.doubt is not None:
            doubted.setdefault(problem.rule, []).append(problem)
    kept_problems: list[Problem] = []
    for problem in problems:
        if problem.doubt is None:
            kept_problems.append(problem)
        elif parts := doubted.pop(problem.rule, None):
            kept_problems.append(_sum(parts, dialect, trainer))
    return tuple(kept_problems)


def _sum(parts: Sequence[Problem], dialect: Dialect, trainer: Trainer) -> Problem:
    first = parts[0]
    certain = f'if you run the original, say so with "--trainer {trainer.name}"'
    if first.rule == NAMES and trainer.root is None:
        certain = (
            f'--repo FOLDER looks into its source, "--trainer {trainer.name}" says that it is the original'
        )
    if len({part.message for part in parts}) == 1:
        perhaps = SINGLE_DOUBT.get(first.rule, "a fork may take it")
        link = f" {perhaps.capitalize()}" if first.message.endswith("?") else f"; {perhaps}"
        more = tuple(parts) if len(parts) > 1 else ()
        return replace(first, message=f"{first.message}{link}: {certain}", harmless=True, parts=more)
    date = f" (as of {dialect.trainer.as_of})" if dialect.trainer.as_of else ""
    text = SUMMED_DOUBTS[first.rule].format(n=len(parts), title=dialect.title + date, names=_names(parts))
    return replace(first, message=f"{text}: {certain}", harmless=True, suggestion=None, parts=tuple(parts))


def _names(parts: Sequence[Problem]) -> str:
    names = [f"{dotted(_meant_path(part))}{_named(part)}{_meant(part)}" for part in parts[:MOST_NAMES]]
    more = f" and {len(parts) - MOST_NAMES} more" if len(parts) > MOST_NAMES else ""
    return ", ".join(names) + more


def _named(part: Problem) -> str:
    """Return the name that a class was given, which says more than where."""
    name = re.search(r'"[^"]*"', part.message) if part.rule == NAMES else None
    return f" {name.group()}" if name else ""


def _meant_path(part: Problem) -> Path:
    """Return the path of the key or value; a missing one's mapping is where the problem is."""
    if part.lacks is None:
        return part.path
    return (*mapping_of(part), part.lacks)


def _meant(part: Problem) -> str:
    return f" ({part.suggestion}?)" if part.suggestion and (part.on_key or part.rule == NAMES) else ""

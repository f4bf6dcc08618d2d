# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A flag as the trainer's own parser takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.dialects.reader.key_problem import value_at
from trainlint.model.document import Document
from trainlint.model.job import Doubt, Problem

if TYPE_CHECKING:
    from trainlint.repository.trainer.trainer_source import TrainerSource


def is_flag(problem: Problem, document: Document, source: TrainerSource) -> bool | None:
    """Return whether argparse takes a flag as it is written, or a value of one whose choices it lists."""
    place = document.places.get(problem.path[:1])
    if (
        problem.doubt not in (Doubt.KEY, Doubt.MEMBER)
        or not source.flags
        or place is None
        or place.key is None
    ):
        return None
    written = document.meta.get("flags", {}).get(problem.path[0])
    if document.meta.get("called") or not written:  # where it is no flag as the program gets it
        written = _spelt_as(str(problem.path[0]), source)
    meant = _meant_flags(written, source)
    if problem.doubt is Doubt.KEY:
        return bool(meant)
    choices = source.flags[meant[0]] if len(meant) == 1 else None
    return None if choices is None else value_at(document, problem.path) in choices


def _spelt_as(name: str, source: TrainerSource) -> str:
    """Return a flag, known by its name alone, as the source spells it or one that it begins."""
    spellings = (f"--{name.replace('_', '-')}", f"--{name}", f"-{name}")
    return next((flag for flag in spellings if _meant_flags(flag, source)), spellings[0])


def _meant_flags(written: str, source: TrainerSource) -> list[str]:
    """Return the flags that a word may mean: itself in whole, or those that it cuts short."""
    if written in source.flags:
        return [written]
    return [flag for flag in source.flags if flag.startswith(written)]

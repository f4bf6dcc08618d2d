# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a problem of a key is about: the mapping, and the value in it."""

from __future__ import annotations

from typing import Any, Final

from trainlint.config.value_by_path import absent, dig
from trainlint.model.document import Document, Path
from trainlint.model.job import Problem

OF_VALUES: Final = ("missing-key", "number-as-string", "wrong-type", "wrong-value")
"""The rules of keys that something reads."""

OF_TEXTS: Final = ("duplicate-key", "several-documents", "unreadable")
"""Rules of what any reader meets."""

OF_THE_START: Final = ("datasets", "dist_params", "logger", "name", "num_gpu", "path", "val")
"""Sections that the script and the loaders read before a model class does, or in its place."""

CLASS_KEYS: Final = ("type", "mode", "dataset_type")
"""The keys by which the trainers of the family choose a data set's class."""

OPTION_DEPTH: Final = 3
"""Keys that lead to an option of a data set: datasets, its phase, the option."""


def mapping_of(problem: Problem) -> Path:
    """Return the path of the mapping that lacks a key; one with a suggestion is at the key that it has."""
    return problem.path[:-1] if problem.suggestion else problem.path


def value_at(document: Document, path: Path) -> Any:
    """Return the value at a path; None where there is none."""
    value = dig(document.value, path)
    return None if absent(value) else value

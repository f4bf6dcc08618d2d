# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a source chooses among names, and whether it may do without one.

A name is only missing from a choice that is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from trainlint.config.value_by_path import dig
from trainlint.dialects.reader.key_problem import mapping_of
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import Schema, described, resolve
from trainlint.model.document import Document, Path
from trainlint.model.job import Doubt, Problem

if TYPE_CHECKING:
    from trainlint.repository.trainer.trainer_source import TrainerSource


OF_MANY: Final = "type"
"""A key that many mappings have, each with its own choice."""


def choice_is_there(problem: Problem, document: Document, dialect: Dialect, source: TrainerSource) -> bool:
    """Return whether a source has any of the words among which one is missing: it chooses among them."""
    known = {
        word
        for part in described(dialect.schema, document.value, problem.path, dialect.valid)
        for word in (*part.get("enum", ()), *names_of(dialect, part), *part.get("x-names", {}).get("by", ()))
        if isinstance(word, str)
    }
    if problem.doubt is Doubt.MEMBER:  # one of them may be quoted for something else
        from trainlint.repository.choices.closed_choices import is_closed, looked_up  # noqa: PLC0415  # not for what passes

        key, mappings = str(problem.path[-1]), [str(step) for step in problem.path[:-1]]
        within = mappings[-1] if mappings and key == OF_MANY else None
        if source.words is not None and looked_up(source.words, key, within) is not None:
            return False
        if source.words is not None and is_closed(source.words, str(problem.path[-1])):
            return True
        return sum(source.quotes(word) is not False for word in known) >= min(2, len(known))
    return not known or any(source.has(word) is not False for word in known)


def listed_names(document: Document, dialect: Dialect, path: Path) -> set[str]:
    """Return the names that a schema lists for a value."""
    parts = described(dialect.schema, document.value, path, dialect.valid)
    return {name for part in parts for name in names_of(dialect, part)}


def takes_none(problem: Problem, source: TrainerSource) -> bool:
    """Return whether a choice of a source has a branch for none: `elif net_type is None:`."""
    if problem.rule != "wrong-value" or not problem.path or source.words is None:
        return False
    none = re.compile(rf"(?m)^\s*(?:el)?if {re.escape(str(problem.path[-1]))} (?:is|==) None:")
    return any(map(none.search, source.words.code))


def may_do_without(problem: Problem, document: Document, dialect: Dialect, source: TrainerSource) -> bool:
    """Return whether a source may do without a missing key, although it reads one of that name.

    It reads it in a mapping of its own, one level below, or chooses by it among no published names.
    """
    lacks, path = str(problem.lacks), mapping_of(problem)
    inside = dig(document.value, path)
    below = (
        [name for name, inner in inside.items() if _has(inner, lacks)] if isinstance(inside, Mapping) else []
    )
    if any(source.reads(name) and not _speaks(document, dialect, (*path, name)) for name in below):
        return True
    parts = described(dialect.schema, document.value, (*path, lacks), dialect.valid)
    known = [word for part in parts for word in part.get("examples", ())]
    return bool(known) and not any(source.quotes(word) is not False for word in known)


def _has(value: Any, key: str) -> bool:
    return isinstance(value, Mapping) and key in value


def _speaks(document: Document, dialect: Dialect, path: Path) -> bool:
    return bool(described(dialect.schema, document.value, path, dialect.valid))


def names_of(dialect: Dialect, part: Schema) -> list[str]:
    """Return the names that the registry of a subschema's `x-names` has; none without."""
    names = part.get("x-names", {}).get("names")
    return resolve(dialect.schema, names)["enum"] if names else []

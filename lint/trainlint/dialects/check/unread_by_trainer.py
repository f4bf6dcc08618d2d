# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the schema refuses and the trainer's own source has no part in.

A value is wrong only where something reads it: not where no line of the repository mentions its key, and not
for certain where an unpublished data set reads it. A name is only missing from a registry that is
there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from trainlint.config.value_by_path import dig
from trainlint.dialects.check.class_names import among
from trainlint.dialects.schema.binding import bindings
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import Schema, described, resolve
from trainlint.expressions.patterns import later
from trainlint.model.document import Document, Path
from trainlint.model.job import Doubt, Problem

if TYPE_CHECKING:
    from trainlint.repository.trainer.own_classes import Own
    from trainlint.repository.trainer.trainer_source import TrainerSource

OF_VALUES: Final = ("missing-key", "number-as-string", "wrong-type", "wrong-value")
"""The rules of keys that something reads."""

OF_TORCH: Final = ("optim", "scheduler")
"""Beginnings of the mappings that go to torch's classes, which are no part of a trainer's source."""

OF_THE_LOADER: Final = ("batch.", "workers.", "prefetch.", "data.enlarge", "pin_memory", "accumulate")
"""Beginnings of the spec's fields for which a data set's class is not asked: the loader reads them."""

PHASE: Final = ("datasets", "train")
"""How deep a phase of the data sets is."""

OF_THE_START: Final = ("datasets", "dist_params", "logger", "name", "num_gpu", "path", "val")
"""Sections that the script and the loaders read before a model class does, or in its place."""

OF_TRAINING: Final = "logger"
"""The section that only training reads."""

USUAL_LOSS: Final = "pixel_opt"
"""A key that a source with a model class reads; one without is not all there."""

LOSS_ENDING: Final = "_opt"
"""What keys of losses end in; a source with the ending alone may go through all keys that have it."""

OF_DATA: Final = later(r"(?:(?:torch\.)?(?:utils\.)?data\.)?Dataset")
"""torch's class above all data sets, however it is imported."""

OPTION_DEPTH: Final = 3
"""Keys that lead to an option of a data set: datasets, its phase, the option."""


def is_of_training(problem: Problem, document: Document) -> bool:
    """Return whether a problem is about what only training reads, in an option file for tests."""
    options = document.value
    if problem.path[:1] != (OF_TRAINING,) or "train" in options:
        return False
    phases = options.get("datasets")
    if not isinstance(phases, Mapping) or not phases:
        return False
    return not any(str(phase).startswith("train") for phase in phases)


def own_data_takes_any_root(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether a data set's own file compares no storage with the one that a path is refused for."""
    if problem.rule != "wrong-value" or source.words is None or not _is_root(problem.path):
        return False
    options = dig(document.value, problem.path[:2])
    storage = dig(options, ("io_backend", "type"))
    here = re.compile(rf"(?m)^class {re.escape(str(options.get('type')))}\b")
    texts = [text for text in source.words.code if here.search(text)]
    return bool(texts) and not any(f"'{storage}'" in text.replace('"', "'") for text in texts)


def _is_root(path: Path) -> bool:
    return len(path) == OPTION_DEPTH and path[0] == "datasets" and str(path[-1]).startswith("dataroot")


def is_unread(problem: Problem, source: TrainerSource) -> bool:
    """Return whether no line of a source mentions the key that a problem is about, or that names a loss."""
    if is_unread_loss(problem.path, source):
        return True
    if problem.rule not in OF_VALUES or source.structs is not None:
        return False
    keys = [step for step in problem.path if isinstance(step, str)]
    if any(key.startswith(OF_TORCH) for key in keys):
        return False
    key = problem.lacks or next(reversed(keys), None)
    return key is not None and source.has(key) is False


def is_unread_loss(path: Path, source: TrainerSource) -> bool:
    """Return whether a path leads to a loss's class, `train.x_opt.type`, and no line asks for any x_opt.

    Nor does a line that only asks whether it is there: `if train_opt.get('x_opt'):`.
    """
    if len(path) != OPTION_DEPTH or path[0] != "train" or path[-1] != "type" or source.structs is not None:
        return False
    key = str(path[1])
    if not key.endswith(LOSS_ENDING) or not source.has(USUAL_LOSS):
        return False
    if source.words is not None and source.words.only_asks(key):
        return True
    return source.has(key) is False and source.has(LOSS_ENDING) is False


def in_idle_code(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether a missing key is only read where its config does not come, or one of several like it."""
    if problem.lacks is None or source.structs is not None or source.words is None:
        return False
    key = str(problem.lacks)
    return source.words.reads_begun(key) or source.words.is_idle(key, document.value)


def of_own_phase(problem: Problem, source: TrainerSource) -> bool:
    """Return whether a key of "datasets" is a phase that the repository's own script asks for."""
    if problem.rule != "unknown-key" or problem.path[:1] != ("datasets",) or len(problem.path) != len(PHASE):
        return False
    return source.quotes(str(problem.path[-1])) is True


def of_own_positionals(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether words without a flag are as many as the script's own parser takes."""
    words = document.value.get("@args") if problem.path == ("@args",) else None
    return isinstance(words, list) and source.positionals is not None and len(words) <= source.positionals


def of_own_data(problem: Problem, document: Document, dialect: Dialect) -> bool:
    """Return whether a problem is about what an unpublished data set's class reads."""
    path = (*problem.path, problem.lacks) if problem.lacks else problem.path
    if problem.rule not in OF_VALUES or len(path) < OPTION_DEPTH or path[0] != "datasets":
        return False
    fields = (
        binding.field
        for part in described(dialect.schema, document.value, path, dialect.valid)
        for binding in bindings(part)
    )
    if any(field.startswith(OF_THE_LOADER) for field in fields):
        return False
    options = document.value["datasets"][path[1]]
    return any(
        not (isinstance(options[key], str) and among(options[key], names, note))
        for key, names, note in _registries(document, dialect, path[:2], options)
    )


def own_data_takes(problem: Problem, document: Document, source: TrainerSource) -> bool:
    """Return whether an unpublished data set never reads what a problem is about, or asks for a list of it.

    Of a class that torch's alone is above, its file says all; of another one nothing is said.
    """
    words, path = source.words, problem.path
    options = dig(document.value, path[:2])
    name = options.get("type", options.get("mode")) if isinstance(options, Mapping) else None
    if words is None or problem.lacks or len(path) < OPTION_DEPTH or not isinstance(name, str):
        return False
    here = re.compile(rf"(?m)^class {re.escape(name)}\(([^)]*)\)")
    for text in words.code:
        if (defined := here.search(text)) is None:
            continue
        key = re.escape(str(path[-1]))
        if dig(document.value, path) is None and _asks_for_none(key, text):
            return True
        listed = re.search(rf"""isinstance\([^,()]*\b{key}\b[^,()]*,\s*\(?[^)\n]*\blist\b""", text)
        if isinstance(dig(document.value, path), list) and listed:
            return True
        option = str(path[OPTION_DEPTH - 1])
        return OF_DATA.fullmatch(defined[1].strip()) is not None and f"'{option}'" not in text.replace(
            '"', "'"
        )
    return False


def _asks_for_none(key: str, text: str) -> bool:
    """Return whether a file asks whether a key has a value, `if size is not None:`, or has None for one."""
    value = rf"""(?:\b{key}|\[['"]{key}['"]\])"""
    if re.search(rf"(?m){value} is (?:not )?None\b|^\s*if (?:not )?[\w.]*{value}\s*:", text) is not None:
        return True
    got = re.search(rf"""\.get\(\s*['"]{key}['"]\s*(?:,\s*None\s*)?\)""", text)
    return got is not None and re.search(rf"""\[['"]{key}['"]\]""", text) is None


def takes_none(problem: Problem, source: TrainerSource) -> bool:
    """Return whether a choice of a source has a branch for none: `elif net_type is None:`."""
    if problem.rule != "wrong-value" or not problem.path or source.words is None:
        return False
    none = re.compile(rf"(?m)^\s*(?:el)?if {re.escape(str(problem.path[-1]))} (?:is|==) None:")
    return any(map(none.search, source.words.code))


def of_own_step(problem: Problem, own: Own | None) -> bool:
    """Return whether a problem is about what a model class reads that trains otherwise than published."""
    if problem.rule not in OF_VALUES or own is None or own.step is None or own.unknown_step() is None:
        return False
    path = (*problem.path, problem.lacks) if problem.lacks else problem.path
    return bool(path) and path[0] not in OF_THE_START and path != ("train", "total_iter")


def choice_is_there(problem: Problem, document: Document, dialect: Dialect, source: TrainerSource) -> bool:
    """Return whether a source has any of the words among which one is missing: it chooses among them."""
    known = {
        word
        for part in described(dialect.schema, document.value, problem.path, dialect.valid)
        for word in (*part.get("enum", ()), *_names(dialect, part), *part.get("x-names", {}).get("by", ()))
        if isinstance(word, str)
    }
    if problem.doubt is Doubt.MEMBER:  # one of them may be quoted for something else
        from trainlint.repository.trainer.closed_choices import is_closed  # noqa: PLC0415  # not for what passes

        if source.words is not None and is_closed(source.words, str(problem.path[-1])):
            return True
        return sum(source.quotes(word) is not False for word in known) >= min(2, len(known))
    return not known or any(source.has(word) is not False for word in known)


def listed_names(document: Document, dialect: Dialect, path: Path) -> set[str]:
    """Return the names that a schema lists for a value."""
    parts = described(dialect.schema, document.value, path, dialect.valid)
    return {name for part in parts for name in _names(dialect, part)}


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


def mapping_of(problem: Problem) -> Path:
    """Return the path of the mapping that lacks a key; one with a suggestion is at the key that it has."""
    return problem.path[:-1] if problem.suggestion else problem.path


def _has(value: Any, key: str) -> bool:
    return isinstance(value, Mapping) and key in value


def _speaks(document: Document, dialect: Dialect, path: Path) -> bool:
    return bool(described(dialect.schema, document.value, path, dialect.valid))


def _registries(
    document: Document, dialect: Dialect, where: Path, options: Any
) -> Iterator[tuple[str | int, list[str], Mapping[str, Any]]]:
    """Yield the keys of a mapping whose values are names of one registry, with these and the annotation."""
    for key in options if isinstance(options, Mapping) else ():
        for part in described(dialect.schema, document.value, (*where, key), dialect.valid):
            if "x-names" in part:
                yield key, _names(dialect, part), part["x-names"]


def _names(dialect: Dialect, part: Schema) -> list[str]:
    """Return the names that the registry of a subschema's `x-names` has; none without."""
    names = part.get("x-names", {}).get("names")
    return resolve(dialect.schema, names)["enum"] if names else []

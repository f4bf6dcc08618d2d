# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What of a spec only some trainers heed: terms of a fork's keys, and how long a loop of its own runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from trainlint.dialects.messages.value_wording import place
from trainlint.dialects.reader.words_around import is_key_shown
from trainlint.dialects.schema.dialect import Dialect
from trainlint.expressions.patterns import later
from trainlint.model.document import Document, Path
from trainlint.model.job import Problem
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec, Value
from trainlint.model.trainer import Trainer

LENGTH: Final = "duration.iterations"
PERIODS: Final = "schedule.periods"
LOOKS_UP: Final = "get_position_from_periods"
"""The function by which BasicSR's schedules look up which period an iteration is in."""
POOL: Final = "data.pool_size"
DECLARING: Final = ("axolotl", "llamafactory")
"""Trainers whose sources declare all keys: one that a schema lacks is a fork's or a newer version's."""
BUILDING: Final = later(r"/(?:model|models|loaders|monkeypatch)(?:/|\.py$)")
"""Their files that build models."""
POOL_KEY: Final = "queue_size"
"""The option of the pool; without it a model class that has one takes its default."""


def heeded(
    spec: TrainSpec, dialect: Dialect, trainer: Trainer, document: Document
) -> tuple[TrainSpec, tuple[Problem, ...]]:
    """Return the spec with the terms that this trainer may have, and problems for keys it never reads."""
    if any(_loops_otherwise(trainer, str(path[-1])) for path in spec.at(LENGTH) if path):
        spec = _without(LENGTH, spec)
    if any(path == (POOL_KEY,) for path in spec.at(POOL)) and _keeps_no_pool(dialect, trainer, document):
        spec = _without(POOL, spec)
    if PERIODS in spec and _looks_periods_up_otherwise(trainer):
        spec = _without(PERIODS, spec)
    own = [*_own_terms(dialect, trainer, document)]
    if UNCOUNTED_FIELD not in spec and not own:
        return spec, ()
    kept: list[tuple[dict[str, str], Path]] = [*own]
    unread: list[Problem] = []
    for term, path in zip(spec.get(UNCOUNTED_FIELD) or (), spec.at(UNCOUNTED_FIELD), strict=True):
        if term["fork"] and _passes_over(trainer, str(path[-1])) and not is_key_shown(path[-1], document):
            if dialect.unknown == "reject":  # a fail already
                continue
            message = f'"{path[-1]}"{place(path[:-1])} has no effect: {dialect.title} does not read it'
            unread.append(Problem("unused-key", message, path, on_key=True))
        else:
            kept.append(({key: item for key, item in term.items() if key != "fork"}, path))
    fields = dict(_without(UNCOUNTED_FIELD, spec).fields)
    if kept:
        fields[UNCOUNTED_FIELD] = Value([term for term, _ in kept], tuple(path for _, path in kept))
    return TrainSpec(fields), tuple(unread)


def _own_terms(
    dialect: Dialect, trainer: Trainer, document: Document
) -> Iterator[tuple[dict[str, str], Path]]:
    """Yield what keys may add or spare that no published version has and the source builds its model by."""
    if trainer.named or dialect.id not in DECLARING:
        return
    known = dialect.schema["properties"]
    values = {str(key): value for key, value in document.value.items()}
    own = [key for key, value in values.items() if value and key not in known and not key.startswith("@")]
    if not own:
        return
    from trainlint.dialects.reader.unsaid import carried  # noqa: PLC0415 - where a config has keys of its own

    words = trainer.source.words if trainer.source is not None else carried(dialect.id, document, trainer)
    building = [text for file, text in (words.training if words is not None else ()) if BUILDING.search(file)]
    for key in own:
        read = re.compile(rf"""\b(?:cfg|\w+_args)\.{re.escape(key)}\b""")
        if any(map(read.search, building)):
            yield {"what": f"what this repository does by {key}", "direction": "unknown"}, (key,)


def _without(field: str, spec: TrainSpec) -> TrainSpec:
    return TrainSpec({name: value for name, value in spec.fields.items() if name != field})


def _keeps_no_pool(dialect: Dialect, trainer: Trainer, document: Document) -> bool:
    """Say whether the trainer's own model class, and all below it, never ask for the size of a pool."""
    notes, source = dialect.trainer.own, trainer.source
    if notes is None or source is None or source.words is None:
        return False
    from trainlint.dialects.reader.own_model import never_reads  # noqa: PLC0415 - where a source has a pool's size

    return never_reads(str(document.value.get(notes["step"])), POOL_KEY, source.words)


def _loops_otherwise(trainer: Trainer, key: str) -> bool:
    """Say whether the trainer's own loop never asks for the key that ends the published one's."""
    source = trainer.source
    return source is not None and source.words is not None and source.words.loops_without(key)


def _looks_periods_up_otherwise(trainer: Trainer) -> bool:
    """Say whether the trainer's own function may have a period behind all; the published one has none."""
    words = trainer.source.words if trainer.source is not None else None
    if words is None:
        return False
    from trainlint.files.syntax_tree import tree_of  # noqa: PLC0415 - where a source has periods

    for text in words.code:
        tree = tree_of(text) if f"def {LOOKS_UP}(" in text else None
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.FunctionDef) and node.name == LOOKS_UP:
                return not _is_as_published(node.body)
    return False


def _is_as_published(body: list[ast.stmt]) -> bool:
    """Return whether a function returns the first period that is not over, and nothing behind all."""
    from trainlint.repository.survey.passive_statements import passive  # noqa: PLC0415 - where a source has periods

    match [part for part in body if not passive(part)]:
        case [
            ast.For(
                body=[ast.If(test=ast.Compare(ops=[ast.LtE()]), body=[ast.Return()], orelse=[])], orelse=[]
            )
        ]:
            return True
    return False


def _passes_over(trainer: Trainer, key: str) -> bool:
    """Say whether it is known that the trainer does not read a key: the original, or a source without it."""
    return trainer.named or (trainer.source is not None and trainer.source.quotes(key) is False)

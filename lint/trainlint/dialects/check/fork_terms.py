# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Terms of memory that only a fork's keys bring: dropped where the original reads the config."""

from __future__ import annotations

from trainlint.dialects.messages.value_wording import place
from trainlint.dialects.schema.dialect import Dialect
from trainlint.model.document import Path
from trainlint.model.job import Problem
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec, Value
from trainlint.model.trainer import Trainer


def heeded(spec: TrainSpec, dialect: Dialect, trainer: Trainer) -> tuple[TrainSpec, tuple[Problem, ...]]:
    """Return the spec with the terms that this trainer may have, and problems for keys it never reads."""
    if UNCOUNTED_FIELD not in spec:
        return spec, ()
    kept: list[tuple[dict[str, str], Path]] = []
    unread: list[Problem] = []
    for term, path in zip(spec[UNCOUNTED_FIELD], spec.at(UNCOUNTED_FIELD), strict=True):
        if term["fork"] and _passes_over(trainer, str(path[-1])):
            if dialect.unknown == "reject":  # a fail already
                continue
            message = f'"{path[-1]}"{place(path[:-1])} has no effect: {dialect.title} does not read it'
            unread.append(Problem("unused-key", message, path, on_key=True))
        else:
            kept.append(({key: item for key, item in term.items() if key != "fork"}, path))
    fields = {name: value for name, value in spec.fields.items() if name != UNCOUNTED_FIELD}
    if kept:
        fields[UNCOUNTED_FIELD] = Value([term for term, _ in kept], tuple(path for _, path in kept))
    return TrainSpec(fields), tuple(unread)


def _passes_over(trainer: Trainer, key: str) -> bool:
    """Say whether it is known that the trainer does not read a key: the original, or a source without it."""
    return trainer.named or (trainer.source is not None and trainer.source.quotes(key) is False)

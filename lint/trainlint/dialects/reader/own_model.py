# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a model class that was never published reads, in its own way."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

from trainlint.config.value_by_path import dig
from trainlint.dialects.reader.choice import listed_names
from trainlint.dialects.reader.key_problem import OF_THE_START, OF_VALUES, mapping_of
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import described
from trainlint.model.document import Document, Path
from trainlint.model.job import Problem
from trainlint.repository.choices.model_lineage import lineage_of
from trainlint.repository.keys.placed_uses import placed_uses
from trainlint.repository.keys.published_uses import published_uses

if TYPE_CHECKING:
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.own_classes import Own
    from trainlint.repository.trainer.trainer_source import TrainerSource

TRAINING: Final = "train"
"""The section that a model class reads."""

MODELS: Final = "models"
"""The folder of model classes, of which a config has one."""

OF_CLASS: Final = "type"
"""The key by which a class is built of a mapping."""


def of_own_step(problem: Problem, own: Own | None) -> bool:
    """Return whether a problem is about what a model class reads that trains otherwise than published."""
    if problem.rule not in OF_VALUES or own is None or own.step is None or own.unknown_step() is None:
        return False
    path = (*problem.path, problem.lacks) if problem.lacks else problem.path
    return bool(path) and path[0] not in OF_THE_START and path != ("train", "total_iter")


def is_of_its_own_model(
    problem: Problem, document: Document, dialect: Dialect, source: TrainerSource
) -> bool:
    """Return whether a value is read otherwise in a repository, and its model is none that was published."""
    known, words = published_uses().get(dialect.id), source.words
    if known is None or words is None or problem.rule not in OF_VALUES:
        return False
    if unlisted_step(problem, document, dialect) is None:
        return False
    if problem.lacks or not problem.path:
        return _is_of_another_key(problem, document, words, known)
    key = str(problem.path[-1])
    return any(use.digest not in known.get(key, ()) for _, use in placed_uses(words, key))


def _is_of_another_key(
    problem: Problem, document: Document, words: Words, known: Mapping[str, Collection[str]]
) -> bool:
    """Return whether an own line reads a key of a mapping without a class that no published trainer has."""
    path = mapping_of(problem)
    mapping = dig(document.value, path)
    if problem.lacks != OF_CLASS or not path or path[0] == "datasets" or not isinstance(mapping, Mapping):
        return False
    return any(
        use.reads and use.within in (None, path[-1])
        for key in mapping
        if isinstance(key, str) and key not in known
        for _, use in placed_uses(words, key)
    )


def unlisted_step(problem: Problem, document: Document, dialect: Dialect) -> str | None:
    """Return a config's model of which nothing is known, where a problem may be about what that reads."""
    notes = dialect.trainer.own
    if notes is None or problem.rule not in OF_VALUES or document.format == "command":
        return None
    path, name = (*problem.path, problem.lacks), document.value.get(notes["step"])
    if path[0] == notes["step"]:  # about the model's own name
        return None
    parts = described(dialect.schema, document.value, (notes["step"],), dialect.valid)
    known = listed_names(document, dialect, (notes["step"],)).union(*(part.get("enum", ()) for part in parts))
    return str(name) if path[0] not in OF_THE_START and known and str(name) not in known else None


def is_uncompared(dialect: Dialect) -> bool:
    """Return whether nothing says of a dialect's classes whether they are the published ones."""
    notes = dialect.trainer.own
    return notes is not None and bool(notes.get("uncompared"))


def is_unread_by_own(problem: Problem, document: Document, dialect: Dialect, source: TrainerSource) -> bool:
    """Return whether an own model's class, and all below it that is there, never quote a key of training."""
    notes, words = dialect.trainer.own, source.words
    if notes is None or words is None or problem.lacks or len(problem.path) != len((TRAINING, "key")):
        return False
    if problem.path[0] != TRAINING:
        return False
    return never_reads(str(document.value.get(notes["step"])), str(problem.path[1]), words)


def never_reads(model: str, key: str, words: Words) -> bool:
    """Return whether the files of a model's class, and of all above it in the repository, never quote a key.

    Not where a class above it lies elsewhere, since that may read the key.
    """
    lineage, quoted = lineage_of(model, words), re.compile(rf"""['"]{re.escape(key)}['"]""")
    return lineage is not None and not any(map(quoted.search, lineage.files.values()))


def is_of_other_models(path: Path, document: Document, dialect: Dialect, source: TrainerSource) -> bool:
    """Return whether a key is read by models alone, and by no class of the one that a config names.

    Or a network's by none at all, though that builds another one.
    """
    notes, words, key = dialect.trainer.own, source.words, _key_of(path, dialect)
    if notes is None or words is None or key is None or source.structs is not None:
        return False
    if document.format == "command" or words.reads_begun(key) or words.reads_part(key):
        return False
    reads = re.compile(rf"""['"]{re.escape(key)}['"]|\bopt\w*(?:\.\w+)*\.{re.escape(key)}\b""")
    readers = [(file, text) for file, text in words.training_code if reads.search(text)]
    others = [network for network in notes["networks"] if key in notes["networks"] and network != key]
    model = document.value.get(notes["step"])
    name = notes.get("classes", {}).get(str(model).lower() if isinstance(model, bool) else str(model), model)
    lineage = lineage_of(str(name), words) if readers or others else None
    if lineage is None or not all(lineage.is_of_another(file, text) for file, text in readers):
        return False
    return bool(readers) or any(
        f"'{other}'" in text.replace('"', "'") for other in others for text in lineage.files.values()
    )


def _key_of(path: Path, dialect: Dialect) -> str | None:
    """Return the key by which a model reads a value: of training, of a network, or of its own options."""
    networks = (dialect.trainer.own or {}).get("networks", ())
    match path:
        case (section, str(key), *_) if section == TRAINING:
            return key
        case (str(key), *inner) if not inner or key in networks:
            return key
    return None

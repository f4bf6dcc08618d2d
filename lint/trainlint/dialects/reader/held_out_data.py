# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether the published keys alone say what a run of LLaMA-Factory is evaluated on: forks have others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import repository_of
from trainlint.model.document import COMMAND, Document

if TYPE_CHECKING:
    from trainlint.repository.trainer.trainer_source import TrainerSource

OWN_DATA: Final = later(
    r"(?!eval_dataset$)(?:eval|val|valid|validation|dev|test)_(?:data|datasets?|files?|path|set)"
)
"""What a key of a fork's own for such data is called; the other one is published."""


def splits_by_val_size(document: Document, source: TrainerSource | None) -> bool:
    """Return whether, for all that is known, the published keys alone give a run data to evaluate on."""
    words = source.words if source is not None else None
    if words is not None and not words.annotates("val_size"):
        return False
    own = [key for key in _given(document) if OWN_DATA.fullmatch(key)]
    folder = repository_of(document.source.path) if own and words is None else None
    if folder is not None:
        from trainlint.repository.trainer.mentioned_words import words_of  # noqa: PLC0415 - where such a key is

        words = words_of(folder)
    return words is None or not any(map(words.annotates, own))


def _given(document: Document) -> Iterator[str]:
    """Yield the keys that have a value, be it one that only the shell knows."""
    for key, value in document.value.items():
        if value not in ("", False) and (value is not None or document.format == COMMAND):
            yield str(key)

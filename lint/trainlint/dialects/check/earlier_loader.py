# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Numbers that earlier releases of a trainer read as text: they loaded a file by PyYAML, today's do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.dialects.messages.value_wording import dotted
from trainlint.dialects.schema import number_words
from trainlint.dialects.schema.dialect import Dialect, EarlierLoader
from trainlint.dialects.schema.schema_walk import described, kinds
from trainlint.files.enclosing_folders import beginning, inside
from trainlint.files.safe_open import is_file
from trainlint.model.document import Document
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer
from trainlint.repository.trainer.library_pins import pins_of

RULE: Final = "number-as-string"
YAML: Final = "yaml"
"""The format whose words a loader reads as numbers or not."""


def texts_to_earlier(document: Document, dialect: Dialect, trainer: Trainer) -> Iterator[Problem]:
    """Yield the numbers with a bare exponent of a file that a release with PyYAML may load.

    Where only such releases may, the trainer stops; where others may too, it is said who does.
    """
    earlier = dialect.loaded_before
    if earlier is None or document.format != YAML:
        return
    for path, text in number_words.bare_floats(document):
        parts = [*described(dialect.schema, document.value, path, dialect.valid)]
        if not any("number" in kinds(part) for part in parts):
            continue
        said, only = _releases(document, earlier, trainer)
        if said is None:
            return
        better = number_words.as_float(text)
        yield Problem(
            RULE,
            f'"{dotted(path)}" is the string "{text}" to {dialect.title} before {earlier.release}{said}: '
            f"write {better}",
            path,
            suggestion=better,
            harmless=not only or any(part.get("x-sometimes") for part in parts),
        )


def _releases(document: Document, earlier: EarlierLoader, trainer: Trainer) -> tuple[str | None, bool]:
    """Return what says which release loads a file, and whether it is surely an earlier one; None: a later."""
    own = inside(trainer.root, earlier.file) if trainer.root is not None else None
    if own is not None and (text := beginning(own)):
        return (None, False) if earlier.lacks in text else ("", True)
    pins = pins_of(document, earlier.library) if is_file(document.source.path) else ()
    if not all(pin.requirement.meets("0", earlier.release) for pin in pins):
        return None, False
    only = bool(pins) and not all(pin.requirement.meets(earlier.release, "") for pin in pins)
    return f" ({', '.join(map(str, pins))})" if only else "", only

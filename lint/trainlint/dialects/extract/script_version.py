# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which of the published versions a trainer's own source is: what its files have, and what they lack."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainlint.dialects.schema.dialect import SourceSign, Variant
from trainlint.files.enclosing_folders import beginning, inside
from trainlint.model.trainer import Trainer


def of_source(variants: Sequence[Variant], trainer: Trainer) -> Sequence[Variant]:
    """Return the readings that a trainer's source leaves open: all of them where it settles nothing."""
    if trainer.path is None or not any(variant.source for variant in variants):
        return variants
    folders = [Path(trainer.path).parent, *([trainer.root] if trainer.root is not None else [])]
    known = [variant for variant in variants if variant.source]
    shown = [variant for variant in known if all(_holds(sign, folders) for sign in variant.source)]
    return shown or variants


def _holds(sign: SourceSign, folders: Sequence[Path]) -> bool:
    paths = (inside(folder, sign.file) for folder in folders)
    path = next((path for path in paths if path is not None), None)
    if path is None:
        return False
    text = beginning(path)
    return all(words in text for words in sign.has) and not any(words in text for words in sign.lacks)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The Python of the repository that an identified trainer lies in, which may read a config."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from msgspec import Struct

from trainlint.dialects.schema.dialect import Dialect
from trainlint.expressions.patterns import later
from trainlint.model.document import Document
from trainlint.model.trainer import Trainer
from trainlint.repository.keys.placed_uses import LOADS
from trainlint.repository.trainer.mentioned_words import Words, words_of

PARSES: Final = ("option.parse(", "options.parse(", "parse_options(")
"""What a training script of BasicSR's family reads its options by."""

BUILDS: Final = ("define_Model(", "create_model(", "build_model(", "train_pipeline(")
"""What it then builds the model by that the options name."""

STARTS: Final = later(r"(?<!def )\b(?:define_Model|create_model|build_model|train_pipeline)\(")
"""A call of one of these."""

ELSEWHERE: Final = later(r"(?m)^[ \t]*from[ \t]+(\w+\.train)[ \t]+import\b")
"""What a script imports that leaves the training to a package's own."""

IN_A_PACKAGE: Final = 3
"""Parts of a marker's path where it lies in a package: basicsr/utils/options.py."""


class Surroundings(Struct, frozen=True):
    """`package` is the folder of the trainer that was identified, "" where that is all of the repository.

    `installed`: what reads a config is not here, but for what a script of the repository does before.
    """

    words: Words
    folder: Path
    markers: tuple[str, ...] = ()
    package: str = ""
    installed: bool = False

    @classmethod
    def of(cls, trainer: Trainer) -> Surroundings | None:
        """Return the Python around a trainer; None where there is none, or too much of it."""
        source = trainer.source
        folder = source.folder if source is not None else trainer.root
        words = words_of(folder) if folder is not None else None
        if folder is None or words is None:
            return None
        if source is None:
            return cls(words, folder, installed=True)
        marker = source.marker.relative_to(folder)
        package = marker.parts[0] if len(marker.parts) >= IN_A_PACKAGE else ""
        return cls(words, folder, (marker.as_posix(),), package)

    def has(self, place: str) -> bool:
        """Return whether a file is of the trainer that was identified: in its package, or next to that."""
        return not self.package or "/" not in place or place.startswith(f"{self.package}/")

    def reader_of(self, document: Document, dialect: Dialect) -> str | None:
        """Return the script that names a config's file and reads it itself; no trainer's own reader.

        It loads such files, or builds no model by what the options name. By its folder too, unless the script
        lies there: there are many of the name config.json.
        """
        here = os.path.relpath(os.path.dirname(os.path.abspath(document.source.path)), self.folder)  # noqa: PTH100, PTH120 - as words.files are
        *_, name = document.source.path.replace("\\", "/").split("/")
        longer = f"{os.path.basename(here)}/{name}"  # noqa: PTH119 - as above
        markers = (*self.markers, *dialect.trainer.markers)
        for path, text in zip(self.words.files, self.words.texts, strict=False):
            same = os.path.dirname(path) == here  # noqa: PTH120 - as above
            if (name if same else longer) in text and not path.endswith(markers) and _reads_itself(text):
                return path
        return None


def starts_none(words: Words) -> bool:
    """Return whether what a script trains by is not there, and no other file builds a model of the family."""
    if any(STARTS.search(text) for _, text in words.training):
        return False
    modules = {match[1].replace(".", "/") for _, text in words.training for match in ELSEWHERE.finditer(text)}
    return bool(modules) and not any(f"{module}.py" in words.files for module in modules)


def _reads_itself(text: str) -> bool:
    if any(load in text for load in LOADS):
        return True
    return any(parse in text for parse in PARSES) and not any(build in text for build in BUILDS)

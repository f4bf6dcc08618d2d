# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Names for which the trainer around a config imports a file that is not there, or lacks the class.

KAIR and BasicSR before 1.0 choose in functions: `if name == "swinir": from models.network_swinir import ..`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.config.value_by_path import dig
from trainlint.dialects.messages.typos import NAMES
from trainlint.dialects.schema.dialect import Dialect
from trainlint.model.document import COMMAND, Document, Path
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer
from trainlint.repository.choices.chosen_imports import lacking_for

CHOOSERS: Final[Mapping[str, Mapping[str, Path]]] = {
    "kair": {
        "define_Model": ("model",),
        "define_G": ("netG", "net_type"),
        "define_D": ("netD", "net_type"),
        "define_Dataset": ("datasets", "train", "dataset_type"),
    },
    "basicsr-legacy": {
        "create_model": ("model",),
        "define_G": ("network_G", "which_model_G"),
        "define_D": ("network_D", "which_model_D"),
        "create_dataset": ("datasets", "train", "mode"),
    },
}
"""Dialect -> the functions that choose, and by which key's value."""
ONLY_WITH: Final = {"define_D": ("gan", "srgan", "srragan")}
"""What is chosen for some models alone."""
FOLDED: Final = ("define_Dataset",)
"""What does not mind the case of a name."""


def chosen_files(document: Document, dialect: Dialect, trainer: Trainer) -> Iterator[Problem]:
    """Yield the names whose file or class the trainer's own source does not find."""
    source = trainer.source
    if dialect.id not in CHOOSERS or document.format == COMMAND or source is None or source.words is None:
        return
    for function, path in CHOOSERS[dialect.id].items():
        name = dig(document.value, path)
        if not isinstance(name, str) or document.value.get("model") not in ONLY_WITH.get(
            function, (document.value.get("model"),)
        ):
            continue
        why = lacking_for(source.words, source.folder, function, name.lower() if function in FOLDED else name)
        if why is not None:
            yield Problem(NAMES, f'no "{name}": {why}', path)

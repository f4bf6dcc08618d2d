# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A training loop of a repository's own, which has some keys alone: no class and no helper reads them."""

from __future__ import annotations

import re
from typing import Final

from trainlint.dialects.reader.surroundings import ELSEWHERE, Surroundings
from trainlint.expressions.patterns import later
from trainlint.model.document import Path

LOOP_KEYS: Final = (
    ("logger", "save_checkpoint_freq"),
    ("train", "warmup_iter"),
    ("val", "save_img"),
    ("val", "val_freq"),
)
"""What the loop of BasicSR's `train.py` reads and nothing else of the package does."""

STEPS: Final = later(r"(?<!def )(?<!super\(\))\.optimize_parameters\(")
"""A step of the loop; a class hands it on to the one above it as well."""


def loop_of(around: Surroundings) -> str | None:
    """Return the file of a repository's own loop; None where a script leaves it to an installed package."""
    training = [(path, text) for path, text in around.words.training if around.has(path)]
    modules = {match[1].replace(".", "/") for _, text in training for match in ELSEWHERE.finditer(text)}
    if any(f"{module}.py" not in around.words.files for module in modules):
        return None
    return next((path for path, text in training if STEPS.search(text)), None)


def unread_by_loop(path: Path, around: Surroundings) -> str | None:
    """Return the file of an own loop, where that has a key and no line of the repository mentions it."""
    if path not in LOOP_KEYS or around.words.reads_begun(str(path[-1])):
        return None
    mentioned = re.compile(rf"\b{re.escape(str(path[-1]))}\b")
    if any(mentioned.search(text) for _, text in around.words.training_code):
        return None
    return loop_of(around)

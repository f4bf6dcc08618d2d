# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Trainer classes that a repository derives from a library's, and starts: what these do is not followed."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import PurePath
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.repository.trainer.mentioned_words import Words

_DERIVED: Final = later(r"(?m)^class (\w+)\(\s*(?:[\w.]+,\s*)*(?:\w+\.)*(\w*Trainer)\b")
ENDING: Final = "Trainer"
ANY_STAGE: Final = ("", "Seq2Seq")
"""What the names of transformers' own trainers begin with, which any stage may be made of."""


def own_trainer(words: Words, bases: Collection[str], path: str) -> str | None:
    """Return a class derived from one of some bases that a line starts, with its place; None without one.

    Of a config whose path has a stage in it (recipes/sft/a.yaml) only that stage's trainers count.
    """
    stages = {base.removesuffix(ENDING).lower() for base in bases}
    named = stages.intersection(re.split(r"[\W_]+", PurePath(path).as_posix().lower())) - {""}
    for name, base, place in _derived(words):
        stage = base.removesuffix(ENDING)
        if base in bases and (len(named) != 1 or stage in ANY_STAGE or stage.lower() in named):
            return f"{name} ({place})"
    return None


@lru_cache(maxsize=4)
def _derived(words: Words) -> tuple[tuple[str, str, str], ...]:
    """Return the trainers that a repository derives and starts, each with its base and place."""
    derived_ones = [
        (match[1], match[2], f"{file}:{text.count(chr(10), 0, match.start()) + 1}")
        for file, text in words.training
        for match in _DERIVED.finditer(text)
    ]
    started = (re.compile(rf"(?<!class )\b{name}\b") for name, _, _ in derived_ones)
    return tuple(
        derived
        for derived, named in zip(derived_ones, started, strict=True)
        if any(_starts(text, derived[0], named) for _, text in words.training)
    )


def _starts(text: str, name: str, named: re.Pattern[str]) -> bool:
    """Return whether a file names a class in a line that neither defines nor imports it."""
    if name not in text:
        return False
    lines = (line.strip() for line in text.splitlines() if name in line)
    return any(
        named.search(line)
        and not line.startswith(("import ", "from ", "class ", "super(", "#", '"', "'"))
        and re.fullmatch(rf"{name},?", line) is None
        for line in lines
    )

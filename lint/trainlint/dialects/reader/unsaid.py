# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Refusals that a trainer's own source does not have: an older version stops for fewer reasons."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import repository_of
from trainlint.model.document import Document
from trainlint.model.job import Problem
from trainlint.model.trainer import Trainer
from trainlint.repository.trainer.mentioned_words import words_of

QUOTE: Final = later(r'\baxolotl stops with "(.+)"')
"""What axolotl's own checks say, word for word; what other trainers say is their libraries'."""
PACKAGE: Final = "src/axolotl/"
CONTINUED: Final = later(r"""["']\s*\n\s*[fr]?["']""")
"""Where a text goes on in the next line of a program."""
BETWEEN: Final = later(r"[\W_]+")


def is_unsaid(problem: Problem, document: Document, trainer: Trainer) -> bool:
    """Return whether what a trainer is said to stop with is nowhere in its source around a config."""
    quote = QUOTE.search(problem.message)
    if quote is None:
        return False
    folder = trainer.root or repository_of(document.source.path)
    words = words_of(folder) if folder is not None else None
    if words is None or not any(file.startswith(PACKAGE) for file in words.files):
        return False
    return _plain(quote[1]) not in _all_of(words.texts)


@lru_cache(maxsize=4)
def _all_of(texts: tuple[str, ...]) -> str:
    return "\n".join(map(_plain, texts))


def _plain(text: str) -> str:
    """Return the words of a text alone, in lower case."""
    return BETWEEN.sub(" ", CONTINUED.sub("", text)).strip().lower()

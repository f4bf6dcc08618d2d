# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From a document to jobs: which dialect it speaks, what is wrong with it, what it asks a trainer to do."""

from trainlint.normalise.dialect import Dialect
from trainlint.normalise.dialect_files import load_dialects
from trainlint.normalise.jobs import glanced, normalise, trainer_of
from trainlint.normalise.parser_words import unheld
from trainlint.normalise.recognise import recognise, resembles
from trainlint.normalise.slashes import held_to_its_loader

__all__ = [
    "Dialect", "glanced", "held_to_its_loader", "load_dialects", "normalise", "recognise",
    "resembles", "trainer_of", "unheld",
]  # fmt: skip

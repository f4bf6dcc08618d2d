# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From a document to jobs: which dialect it speaks, what is wrong with it, what it asks a trainer to do."""

from trainlint.dialects.extract.document_jobs import glanced, normalise, trainer_of
from trainlint.dialects.extract.recognise import recognise, resembles
from trainlint.dialects.extract.slash_comments import held_to_its_loader
from trainlint.dialects.load.dialect_files import load_dialects
from trainlint.dialects.schema.dialect import Dialect

__all__ = [
    "Dialect", "glanced", "held_to_its_loader", "load_dialects", "normalise", "recognise",
    "resembles", "trainer_of",
]  # fmt: skip

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What lies around configs is read once a run: a new run in the same process reads it afresh."""

from __future__ import annotations

from trainlint.catalogue import signature
from trainlint.dialects.extract import recognise
from trainlint.dialects.schema import defaults_file, joined_file
from trainlint.documents import file_format
from trainlint.repository.code import published_code
from trainlint.repository.environment import requirements_nearby
from trainlint.repository.imports import imported_files
from trainlint.repository.trainer import mentioned_words, python_texts, survey_client, trainer_source


def forget() -> None:
    """Forget what is known of the files around configs: they may have changed."""
    file_format.forget()
    survey_client.forget()
    requirements_nearby.forget()
    python_texts.texts_of.cache_clear()
    mentioned_words.words_of.cache_clear()
    imported_files.first_broken.cache_clear()
    trainer_source.source_in.cache_clear()
    published_code.forget()
    defaults_file.forget()
    joined_file.forget()
    recognise.forget()
    signature.forget()

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The option files that a program's own words name, as documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trainlint.documents.file_format import is_option_file, read
from trainlint.dry_run.starting.program import Program
from trainlint.errors import UnreadableError
from trainlint.files.text_source import load_source
from trainlint.model.document import Document


def option_documents(program: Program, folder: Path) -> Iterator[Document]:
    """Yield each document of the files, in the order of the words; what cannot be read is left out."""
    for word in program.own_words:
        path = folder / word
        if is_option_file(word) and path.is_file():
            try:
                yield from read(load_source(str(path)))
            except UnreadableError:
                continue

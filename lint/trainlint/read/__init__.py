# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file -> documents: plain values, and the place of every key and value. Knows nothing of training."""

from trainlint.read.discover import InputFile, discover
from trainlint.read.document import Document, Duplicate, Path, Place, Source, Span
from trainlint.read.formats import is_option_file, read
from trainlint.read.source import load_source, load_stdin, source_of

__all__ = [
    "Document",
    "Duplicate",
    "InputFile",
    "Path",
    "Place",
    "Source",
    "Span",
    "discover",
    "is_option_file",
    "load_source",
    "load_stdin",
    "read",
    "source_of",
]

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Jobs from text, by the real reader and the shipped dialects."""

from __future__ import annotations

from functools import cache

from trainlint.dialects import load_dialects, normalise, recognise
from trainlint.documents.file_format import read
from trainlint.files.text_source import source_of


@cache
def dialects():
    return load_dialects()


def jobs(text, path):
    """Return (dialect id, jobs) of a text's only document."""
    (document,) = read(source_of(text.encode(), path))
    dialect = recognise(document, dialects())
    return (dialect.id, normalise(document, dialect)) if dialect else (None, ())


def job(text, path, dialect):
    """Return the only job of a text in a dialect."""
    found, made = jobs(text, path)
    assert found == dialect
    (only,) = made
    return only


def command(text, dialect):
    """Return the only job of a command line."""
    return job(text + "\n", "run.sh", dialect)


def said(made):
    """Return (rule, message) of a job's problems."""
    return [(problem.rule, problem.message) for problem in made.problems]


def fields(made, *names):
    """Return some of a spec's fields, None for absent ones."""
    return tuple(made.spec.get(name) for name in names)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A program's command as a document, so that findings have a place in it and its batch can be edited."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.dry_run.program import Program
from trainlint.errors import UnreadableError
from trainlint.normalise.dialect import Dialect, parse_dialect
from trainlint.normalise.script import FIELDS
from trainlint.patterns import later
from trainlint.read import read
from trainlint.read.command import launched_document
from trainlint.read.document import Document, Path, Source
from trainlint.read.excerpt import Excerpt
from trainlint.read.launch import Launch
from trainlint.read.shell import Command, Word

ID: Final = "program"
BATCH: Final = later(
    "|".join([FIELDS[0][0], r"(?:per_device_)?(?:train_)?(?:micro_|mini_)?batch(?:_?size)?(?:_per_(?:gpu|device))?", "b"])
)
"""What programs call the flag of their batch."""


def dialect_of(program: Program) -> Dialect:
    """Return the dialect of a program that was run: nothing is known of its words, and all of what it did."""
    return parse_dialect(
        {
            "x-trainlint": {
                "id": ID, "title": program.name, "loader": "argparse", "formats": ["command"],
                "unknown": "ignore", "recognise": {"scripts": [program.name]}, "trainer": {"forks": False},
            },
            "type": "object",
        }
    )  # fmt: skip


def document_of(program: Program) -> Document:
    """Return the command as a document; its path says what it is."""
    source = Source(f"{program.name} (dry run)", shlex.join(program.words) + "\n")
    try:
        found = read(source)
    except UnreadableError:
        found = ()
    if len(found) == 1 and found[0].broken is None and found[0].format == "command":
        return found[0]
    words = tuple(_words(program.words))
    own = words[len(words) - len(program.own_words) :] if program.own_words else ()
    launch = Launch(None, program.script, own)
    return launched_document(Excerpt.of(source), Command(words, end=words[-1].end), launch)


def _words(words: Sequence[str]) -> Iterator[Word]:
    """Yield the words of a command with their places in its text."""
    at = 0
    for word in words:
        text = shlex.quote(word)
        quotes = text[0] in "\"'" and text != word
        yield Word(word, at + quotes, at + len(text) - quotes)
        at += len(text) + 1


def batch_flag(document: Document, batch: int | None) -> Path | None:
    """Return the one flag that holds the batch, by its name and its value; None where there is none, or several."""
    found = [
        name
        for name, value in document.value.items()
        if isinstance(value, str) and BATCH.fullmatch(name.lower()) and value == str(batch)
    ]
    return (found[0],) if len(found) == 1 else None

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A program's command as a document, so that findings have a place in it and its batch can be edited."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

from trainlint.dialects.extract.unknown_script import FIELDS
from trainlint.dialects.schema.dialect import Dialect, parse_dialect
from trainlint.documents.file_format import read
from trainlint.dry_run.starting.program import Program
from trainlint.expressions.patterns import later
from trainlint.model.document import Document, Path, ProgramText

ID: Final = "program"
BATCH: Final = later(
    "|".join(
        [
            FIELDS[0][0],
            r"(?:per_device_)?(?:train_)?(?:micro_|mini_)?batch(?:_?size)?(?:_per_(?:gpu|device))?",
            "b",
        ]
    )
)
"""What programs call the flag of their batch."""


def dialect_of(
    program: Program, derived: Mapping[str, Any], batch: Path | None = None, variants: Sequence[str] = ()
) -> Dialect:
    """Return the dialect of a program that was run: of its words, the flag of its batch alone is known.

    `derived` are the fields that its run has shown, `variants` the ways to guess that lead to different runs.
    """
    dashed = (
        []
        if batch is None
        else [f"{dashes}{spelt}" for dashes in ("--", "-") for spelt in _spellings(str(batch[0]))]
    )
    flag = {"type": "integer", "x-spec": "batch.per_process", "x-flags": dashed}
    values = {name: f"'{value}'" if isinstance(value, str) else value for name, value in derived.items()}
    return parse_dialect(
        {
            "x-trainlint": {
                "id": ID, "title": program.name, "loader": "argparse", "formats": ["command"],
                "unknown": "ignore", "recognise": {"scripts": [program.name]}, "trainer": {"forks": False},
                "derive": [{"field": name, "value": value} for name, value in values.items()],
                "variants": [{"name": name} for name in variants],
            },
            "type": "object",
            "properties": {} if batch is None else {str(batch[0]): flag},
        }
    )  # fmt: skip


def _spellings(name: str) -> tuple[str, str]:
    return name.replace("_", "-"), name


def document_of(program: Program) -> Document:
    """Return the command as a document; its path says what it is."""
    given = _given(program)
    source = ProgramText(
        f"{program.name} (dry run)", shlex.join(program.words) + "\n", script=program.script, own=given
    )
    (document,) = read(source)
    return document


def _given(program: Program) -> int:
    """Return how many of the command's last words are the program's own; a starter adds words to these."""
    own = program.own_words
    for count in range(len(own), -1, -1):
        if count == 0 or program.words[-count:] == own[-count:]:
            return count
    return 0


def batch_flag(document: Document, batch: int | None) -> Path | None:
    """Return the one flag that holds the batch, by its name and its value; None where there is not one."""
    flags = [
        name
        for name, value in document.value.items()
        if isinstance(value, str) and BATCH.fullmatch(name.lower()) and value == str(batch)
    ]
    return (flags[0],) if len(flags) == 1 else None

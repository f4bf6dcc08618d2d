# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Training commands that have none of a dialect's signs: `python train.py --data-dir D --model resnet50`.

They are a library's where the script around them imports it and takes its flags; where no script is around,
where the model is one of the library's and every flag one of its trainer's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from trainlint.commands.shell.working_folder import RunFolder, run_folders
from trainlint.dialects.check.timm_names import SOURCE_MARKS, names
from trainlint.dialects.extract.recognise import matches_file
from trainlint.dialects.schema.argparse_arguments import as_script_reads, flags
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import Schema
from trainlint.files.enclosing_folders import beginning
from trainlint.model.document import COMMAND, Document
from trainlint.repository.trainer.identity import imports

LEAST_FLAGS: Final = 30
"""Flags that a script has of a trainer of which it is a version: timm's first had 60, now it has 170."""
DATA: Final = ("data_dir", "dataset", "@args")
"""What says on which images: without it a command is nobody's in particular."""
META_PREFIX: Final = "@"
"""How names begin that are no flags."""


def sparse_dialect(
    document: Document, dialects: Sequence[Dialect], named: str | None, repo: Path | None
) -> Dialect | None:
    """Return the dialect of a command that none knows by its signs; `named` is that of the user."""
    if document.format != COMMAND or document.broken is not None:
        return None
    for dialect in dialects:
        if dialect.trainer.library and matches_file(document, dialect):
            script = _script(document, repo)
            if script is not None:
                if _is_version(script, dialect):
                    return dialect
            elif named == dialect.id or _speaks(document, dialect):
                return dialect
    return None


def may_be(document: Document, dialects: Sequence[Dialect]) -> Dialect | None:
    """Return the dialect whose script has the name of a command's that nobody knows, and is not around."""
    if document.format != COMMAND or _script(document, None) is not None:
        return None
    with_library = (dialect for dialect in dialects if dialect.trainer.library)
    return next((dialect for dialect in with_library if matches_file(document, dialect)), None)


def _script(document: Document, repo: Path | None) -> Path | None:
    name = str(document.meta.get("script") or "")
    places = (RunFolder(repo, ""),) if repo is not None else run_folders(document)
    return next((path for place in places if (path := place.file(name)) is not None), None)


def _is_version(script: Path, dialect: Dialect) -> bool:
    """Return whether a script imports the library and takes most of what the dialect knows."""
    text = beginning(script)
    if not imports(text, dialect.trainer.library):
        return False
    added = re.findall(r"""add_argument\([^)]*?['"]--([\w-]+)['"]""", text)
    return (
        len({name.replace("-", "_") for name in added} & dialect.schema["properties"].keys()) >= LEAST_FLAGS
    )


def _speaks(document: Document, dialect: Dialect) -> bool:
    """Return whether a command names one of the library's models, with no flag but its trainer's."""
    parsed = as_script_reads(document, dialect).value
    known = flags(document, dialect)
    return (
        {name for name in parsed if not name.startswith(META_PREFIX)} <= known.keys()
        and any(parsed.get(name) for name in DATA)
        and any(_is_model(part, parsed.get(name)) for name, part in known.items())
    )


def _is_model(part: Schema, value: Any) -> bool:
    note = part.get("x-names", {})
    if (
        note.get("table") != "models"
        or not isinstance(value, str)
        or any(mark in value for mark in SOURCE_MARKS)
    ):
        return False
    return value.partition(".")[0] in names("models")

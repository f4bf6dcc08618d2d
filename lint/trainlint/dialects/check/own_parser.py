# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The parser of the script that a command runs, where that lies around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trainlint.commands.shell.working_folder import RunFolder, run_folders
from trainlint.model.document import Document
from trainlint.repository.trainer.survey_client import ask_parser


def parser_around(document: Document, repo: Path | None = None) -> Mapping[str, Any] | None:
    """Return the parser of a command's script, where that lies around it, or in `repo`, and has one."""
    return next(parsers_around(document, repo), None)


def parsers_around(document: Document, repo: Path | None = None) -> Iterator[Mapping[str, Any] | None]:
    """Yield the parser of a command's script in each folder that has one; None of one without."""
    script = str(document.meta.get("script") or "")
    if document.format != "command" or not script.endswith(".py"):
        return
    places = (RunFolder(repo, ""),) if repo is not None else run_folders(document)
    for place in places:
        if place.file(script) is not None:
            yield ask_parser(place.outermost / place.below, Path(script).as_posix())

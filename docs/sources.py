# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where each network of the zoo comes from and under which license, as its file says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from trainlint.catalogue.zoo import builders, withdrawn
from trainlint.catalogue.zoo.packages import NETWORKS, own

LICENCE = re.compile(r"^# SPDX-Li[c]ense-Identifier: (?P<license>.+)$", re.MULTILINE)
SOURCE = re.compile(r"(?:Sources?(?: \([^)]*\))?: |Read with )(?P<source>.+?)(?:\. |\.?$)", re.DOTALL)
"""The sentence of a docstring that names repositories, commits and files."""


def rows() -> Iterator[str]:
    """Yield a line for every file of networks."""
    package = own()
    for file in package.files(NETWORKS):
        names = ", ".join(
            sorted(
                {name.rpartition(":")[2] for name in builders.names(file)},
                key=lambda name: (name.lower(), name),
            )
        )
        if names:
            place = file.relative_to(package.folder).as_posix()
            yield f"| {place} | {names} | {_source(file)} | {_licence(file)} |"


def removed() -> Iterator[str]:
    """Yield a line for every upstream whose networks were removed."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, row in withdrawn.rows().items():
        library = row.get("library", "")
        served = f"`pip install {library}`" if library else "stored profiles, `--networks`"
        key = (row["upstream"], row["why"], served, row["commit"])
        groups.setdefault(key, []).append(name.rpartition(":")[2])
    for (upstream, why, served, commit), names in groups.items():
        yield f"| {', '.join(names)} | {upstream} | {why} | {served} | {commit} |"


def _licence(file: Path) -> str:
    found = LICENCE.search(file.read_text(encoding="utf-8"))
    return found["license"] if found else ""


def _source(file: Path) -> str:
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    found = SOURCE.search(text)
    return " ".join(found["source"].split()) if found else ""

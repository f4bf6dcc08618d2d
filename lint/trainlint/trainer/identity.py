# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The trainer that will read a config: named by the user, found around it, or only guessed from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from trainlint.trainer.around import folders_above, inside
from trainlint.trainer.source import Source, source_in

BY_CONFIG = "config"
"""The basis of a trainer that nothing but the config speaks for: a fork may read it as well."""

BY_SOURCE = "source"

BY_SCHEMA = "schema"
"""The basis where a schema itself is asked (rules' examples): it is its own trainer."""

_VERSION = re.compile(r"""(?m)^(?:version\s*=\s*)?["']?(\d+(?:\.\w+)+)["']?\s*$""")


@dataclass(frozen=True, slots=True)
class Signs:
    """What a dialect says of its trainer: `as_of` is the date of what its schema knows.

    `markers` are files that show its source, as paths from the root of its repository; `structs` is the class
    in the first of them whose fields are the options. Without `forks` every published version is in the
    schema: it speaks for all of them. `library` is the package whose installed version decides its networks.
    """

    as_of: str = ""
    markers: tuple[str, ...] = ()
    structs: str | None = None
    forks: bool = True
    library: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """The trainer that the user named: a dialect's id, by `flag` or `setting`."""

    id: str
    basis: str


@dataclass(frozen=True, slots=True)
class Trainer:
    """A trainer as identified: its dialect's id, a version where one is written down, and how it is known."""

    name: str
    version: str | None = None
    basis: str = BY_CONFIG
    path: str | None = None
    source: Source | None = None

    @property
    def named(self) -> bool:
        """The user says that it is the original, or a version of it that takes what the schema takes."""
        return self.basis not in (BY_CONFIG, BY_SOURCE)


def identify(name: str, signs: Signs, config: str, script: str, named: Named | None) -> Trainer:
    """Return the trainer of a config in the dialect `name`; `script` is what a command starts, or ""."""
    if named is not None and named.id == name:
        return Trainer(name, basis=named.basis)
    markers = (script,) if script.endswith(".py") else signs.markers
    for folder in folders_above(config) if markers else ():
        found = [inside(folder, marker) for marker in markers]
        if marked := [path for path in found if path is not None]:
            return Trainer(
                name, _version(folder), BY_SOURCE, str(marked[0]), source_in(folder, marked[0], signs.structs)
            )
    return Trainer(name)


def _version(folder: Path) -> str | None:
    """Return the version that a repository states in a file of its root; None where it states none."""
    for name in ("VERSION", "pyproject.toml"):
        path = inside(folder, name)
        text = path.read_bytes()[:65536].decode("utf-8", "replace") if path else ""
        if match := _VERSION.search(text):
            return match[1]
    return None

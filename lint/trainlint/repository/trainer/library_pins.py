# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which version of its library a training command is meant for, as the files around it write it down.

Read: install lines of the command's own file, the library's own source next to the trainer's script, and
requirements.txt, environment.yml, pyproject.toml and setup.py of the nearest folder that says something.
Nothing is resolved or followed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from trainlint.commands.pip_installs import install_lines
from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import beginning, folders_above, inside
from trainlint.model.document import Document, Source
from trainlint.repository.environment.requirement import Requirement, asked

FILES: Final = {
    "requirements.txt": r"^[ \t]*",
    "environment.yml": r"^[ \t]*-[ \t]*[\"']?(?:[\w.-]+::)?",
    "environment.yaml": r"^[ \t]*-[ \t]*[\"']?(?:[\w.-]+::)?",
    "pyproject.toml": r"^[^#\n]{0,200}[\"']",
    "setup.py": r"^[^#\n]{0,200}[\"']",
}
"""A file's name -> what is before a requirement in it."""

_POETRY: Final = (
    r"(?m)^[ \t]*{}[ \t]*=[ \t]*(?:\{{[^\n}}]{{0,200}}?version[ \t]*=[ \t]*)?[\"']([^\"'\n]{{1,200}})[\"']"
)
_VERSION: Final = later(r"""(?m)^__version__\s{0,9}=\s{0,9}["'](\d[\w.+]{0,60})["']""")


class Pin(Struct, frozen=True):
    """A requirement and where it is written: "requirements.txt", "line 3"."""

    place: str
    requirement: Requirement

    def __str__(self) -> str:
        """Say it: "requirements.txt pins timm 1.0.9"."""
        return f"{self.place} {self.requirement.words}"


def pins_of(document: Document, library: str) -> tuple[Pin, ...]:
    """Return what the files around a document ask of a library's version; its own source decides alone."""
    if not library:
        return ()
    path = document.source.path
    script = str(document.meta.get("script") or "train.py")
    for folder in folders_above(path):
        source = inside(folder, f"{library}/version.py")
        if source and inside(folder, script) and (match := _VERSION.search(beginning(source))):
            place = _shown(source, path)
            return (Pin(place, Requirement(library, f"=={match[1]}")),)
    own = tuple(installed(document, library))
    for folder in folders_above(path):
        if listed := tuple(_listed(folder, path, library)):
            return own + listed
    return own


def installed(document: Document, library: str) -> Iterator[Pin]:
    """Yield what the lines of pip in a document's own file ask of a library's version.

    Those of a notebook are in its document's `meta`, as its cells have them.
    """
    noted = document.meta.get("installs")
    source = document.source if noted is None else Source(document.source.path, "\n".join(noted))
    for line in install_lines(source):
        if match := asked(library).search(source.text, line.start(1), line.end(1)):
            number, _ = source.position(match.start())
            place = f"line {number}" if noted is None else "a cell"
            yield Pin(place, Requirement(library, match[1]))


def _listed(folder: Path, config: str, library: str) -> Iterator[Pin]:
    for name, before in FILES.items():
        path = inside(folder, name)
        text = beginning(path) if path and str(path) != os.path.abspath(config) else ""  # noqa: PTH100  # a link's own name is meant
        place = _shown(path, config) if path else name
        for requirement in asked(library, before).finditer(text):
            conditional = (
                ";" in text[requirement.end() : _end(text, requirement.end())]
            )  # a marker: for some machines
            if not conditional:
                yield Pin(place, Requirement(library, requirement[1]))
        if name == "pyproject.toml":
            for match in re.finditer(_POETRY.format(re.escape(library)), text):
                bare = match[1][:1].isdigit()
                yield Pin(place, Requirement(library, f"=={match[1]}" if bare else match[1]))


def _end(text: str, start: int) -> int:
    """Return where the line ends."""
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _shown(path: Path, config: str) -> str:
    """Name a file as seen from the config's folder."""
    folder = Path(os.path.abspath(config)).parent  # noqa: PTH100 - as in folders_above
    return Path(os.path.relpath(path, folder)).as_posix()

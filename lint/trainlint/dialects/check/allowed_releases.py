# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which releases of a library a document may run with, by the files around it and its own lines of pip.

All of them where nothing asks for any.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from trainlint.documents.call_signatures import Releases, releases_of
from trainlint.files.enclosing_folders import folders_above, inside
from trainlint.model.document import Document
from trainlint.repository.environment import environment_for
from trainlint.repository.environment.requirement import Requirement
from trainlint.repository.trainer.library_pins import installed

OF_TRAINER: Final = {"llamafactory": {"transformers": ">=4.41.2,<=5.6.0"}}
"""What LLaMA-Factory 0.9.2 to 0.9.5 ask of the libraries below them (their METADATA, Apache-2.0)."""


class Allowed(Struct, frozen=True):
    """The releases of a library that nothing rules out, and what rules others out."""

    releases: Releases
    newest: int
    said: str

    @property
    def ends(self) -> bool:
        """Whether no later release than those that are known is let in."""
        return max(self.releases, default=0) < self.newest


def allowed_releases(document: Document, library: str, dialect: str) -> Allowed:
    """Return the releases of a library that a document may run with: none where its source lies around."""
    order = releases_of(library)
    newest = len(order) - 1
    path = document.source.path
    if any(inside(folder, f"{library}/__init__.py") for folder in folders_above(path)):
        return Allowed(frozenset(), newest, "")
    listed = environment_for(document).packages.get(library, ())
    requirements = {
        f"{package.place}: {library}{package.clauses}": Requirement(library, package.clauses)
        for package in listed
        if package.clauses and not package.at_an_address
    }
    requirements |= {str(pin): pin.requirement for pin in installed(document, library)}
    said = ", ".join(requirements)
    of_trainer: Mapping[str, str] = OF_TRAINER.get(dialect, {})
    if library in of_trainer:
        requirements["the trainer"] = Requirement(library, of_trainer[library])
    releases = frozenset(
        index
        for index, release in enumerate(order)
        if all(
            requirement.meets(release, order[index + 1] if index < newest else "")
            for requirement in requirements.values()
        )
    )
    return Allowed(releases, newest, said)

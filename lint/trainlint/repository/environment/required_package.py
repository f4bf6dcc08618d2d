# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A package that an environment file asks for, and the releases that it lets in."""

from __future__ import annotations

import re
from typing import Any, Final

from msgspec import Struct

from trainlint.commands.pip_installs import bounds_of
from trainlint.expressions.patterns import later
from trainlint.model.document import Release

_CUDA: Final = later(r"(?:whl/(?:nightly/|test/)?|\+)cu(\d{2})(\d)\b")
_CONDA: Final = later(r"^=(?!=)[ \t]*")
_CARET: Final = later(r"\^[ \t]*v?(\d{1,9})(?!\d|\.\d{10})(?:\.(\d+))?[\w.]*")


class PackageRequirement(Struct, frozen=True):
    """One requirement: `place` is its file and line, `clauses` what is asked of the version, "" for any.

    `oldest` and `newest` are the (major, minor) that the clauses let in, None where they set no bound;
    `cuda` is "12.1" for a build of 2.1.0+cu121, "" where none is named.
    """

    name: str
    place: str
    clauses: str = ""
    oldest: Release | None = None
    newest: Release | None = None
    cuda: str = ""

    @property
    def values(self) -> dict[str, Any]:
        """What rules see of it."""
        return {
            "place": self.place,
            "text": f"{self.name}{' ' * self.at_an_address}{self.clauses}",
            "oldest": list(self.oldest or ()),
            "newest": list(self.newest or ()),
            "cuda": self.cuda,
        }

    @property
    def at_an_address(self) -> bool:
        """Return whether one build is asked for whose version nothing says: numpy @ file:///build/numpy."""
        return self.clauses.startswith("@")

    def may_be(self, release: Release) -> bool:
        """Return whether a release, or a later one, may be installed."""
        return self.newest is None or self.newest >= release


def package(name: str, place: str, clauses: str) -> PackageRequirement:
    """Return a package from its clauses as pip, conda and Poetry write them."""
    clauses = clauses.strip().rstrip(",")
    cuda = _CUDA.search(clauses) if "cu" in clauses else None
    written = _CONDA.sub("==", clauses) if clauses.startswith("=") else clauses
    written = _CARET.sub(_as_range, written) if "^" in written else written
    oldest, newest = bounds_of(written)
    return PackageRequirement(name, place, clauses, oldest, newest, f"{cuda[1]}.{cuda[2]}" if cuda else "")


def _as_range(match: re.Match[str]) -> str:
    """Write Poetry's ^2.5 as a range."""
    major, minor = int(match[1]), int(match[2] or 0)
    return f">={major}.{minor},<{major + 1}" if major else f">=0.{minor},<0.{minor + 1}"

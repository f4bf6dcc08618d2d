# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a line asks of a library's version, as pip, conda and Poetry write it: timm==1.0.9, timm>=0.9,<1.1."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from trainlint.expressions.patterns import later

CLAUSE: Final = r"(?:===?|~=|!=|[<>]=?|\^|=)[ \t]*v?\d[\w.*+]*"
CLAUSES: Final = rf"({CLAUSE}(?:[ \t]*,[ \t]*{CLAUSE})*)(?![\w-])"
_CLAUSE: Final = later(r"(===?|~=|!=|[<>]=?|\^|=)[ \t]*v?(\d{1,9}(?!\d)(?:\.\d{1,9}(?!\d))*)(?!\.\d)(\.\*)?")
_EXACT: Final = ("==", "===", "=")
MOST_KNOWN: Final = 512
"""Versions and clauses that are kept: each of sixty releases of a library is held against the same few."""

Release = tuple[int, ...]
"""Numbers of a version, zeros at its end left out: 1.0 is 1."""

_HOLDS: Final[dict[str, Callable[[Release, Release], bool]]] = {
    "<": lambda version, bound: version < bound,
    "<=": lambda version, bound: version <= bound,
    ">": lambda version, bound: version > bound,
    ">=": lambda version, bound: version >= bound,
}


class Requirement(Struct, frozen=True):
    """What is asked of `library`, as written: "==1.0.9"."""

    library: str
    clauses: str

    @property
    def words(self) -> str:
        """Say it: "pins timm 1.0.9", "asks for timm>=0.9"."""
        clauses = _clauses(self.clauses)
        if len(clauses) == 1 and clauses[0][0] in _EXACT and not clauses[0][2]:
            return f"pins {self.library} {clauses[0][1]}"
        return f"asks for {self.library}{self.clauses}"

    def allows(self, version: str) -> bool:
        """Return whether a version is asked for; what follows its numbers (rc1, dev0) is not read."""
        match = re.match(r"\d+(?:\.\d+)*", version)
        release = _release(match.group()) if match else ()
        return all(
            _holds(operator, release, text, bool(wild)) for operator, text, wild in _clauses(self.clauses)
        )

    def meets(self, since: str, before: str) -> bool:
        """Return whether a version is asked for since the one and, where it is given, before the other.

        Each bound, and what comes right after it, stands for all versions around it.
        """
        bounds = (since, *(text for _, text, _ in _clauses(self.clauses)))
        candidates = (version for bound in bounds for version in (bound, f"{bound}.0.0.1"))
        return any(
            _release(since) <= _release(version)
            and (not before or _release(version) < _release(before))
            and self.allows(version)
            for version in candidates
        )


@cache
def asked(library: str, before: str = "") -> re.Pattern[str]:
    """Return what finds a library's requirement, its clauses as the first group."""
    return re.compile(
        rf"{before}(?<![\w./+-]){re.escape(library)}(?:\[[\w,-]*\])?[ \t]*{CLAUSES}",
        re.MULTILINE | re.IGNORECASE,
    )


@lru_cache(MOST_KNOWN)
def _clauses(text: str) -> tuple[tuple[str, str, str], ...]:
    """Return (operator, version, ".*" or "") of each clause."""
    return tuple(_CLAUSE.findall(text))


@lru_cache(MOST_KNOWN)
def _release(text: str) -> Release:
    numbers = [int(number) for number in text.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _holds(operator: str, version: Release, text: str, wild: bool) -> bool:
    bound = _release(text)
    length = text.count(".") + 1
    if operator in _HOLDS:
        return _HOLDS[operator](version, bound)
    if operator == "!=":
        return not _begins(version, text, length) if wild else version != bound
    if operator == "~=":  # the last number may grow
        return version >= bound and _begins(version, text, length - 1)
    if operator == "^":  # Poetry: what follows the first number that is not 0 may grow
        first = next((index for index, number in enumerate(bound) if number), length - 1)
        return version >= bound and _begins(version, text, first + 1)
    if wild or operator == "=":  # conda's = is a beginning
        return _begins(version, text, length)
    return version == bound


def _begins(version: Release, text: str, length: int) -> bool:
    """Return whether a version has the first numbers of `text`."""
    wanted = [int(number) for number in text.split(".")[:length]]
    return [*version, *[0] * length][: len(wanted)] == wanted

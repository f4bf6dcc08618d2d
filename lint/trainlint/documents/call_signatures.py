# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What classes of trl, peft and transformers take, release by release.

From call_signatures.json, which `python -m bench call_signatures` writes from the wheels (Apache-2.0).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

TABLE: Final = Path(__file__).with_name("call_signatures.json")
_ANY: Final = "**"

Releases = frozenset[int]
"""Releases of a library by their place in its list, oldest first."""


class Signature(Struct, frozen=True):
    """A class of a library: the releases that have it, and those in which it takes an argument."""

    library: str
    name: str
    releases: Releases
    arguments: Mapping[str, Releases]

    @property
    def base(self) -> Signature | None:
        """The class of transformers' whose arguments it takes as well, in the releases of `inheriting`."""
        named = (name for name in self.arguments if name.startswith("transformers."))
        return next((signature_of(name) for name in named), None)

    @property
    def inheriting(self) -> Releases:
        """The releases in which it takes what its base takes."""
        named = (having for name, having in self.arguments.items() if name.startswith("transformers."))
        return next(named, frozenset())

    def taking(self, argument: str) -> Releases:
        """Return the releases in which the class itself takes an argument."""
        return self.arguments.get(argument, frozenset()) | self.arguments.get(_ANY, frozenset())


@cache
def signature_of(full_name: str) -> Signature | None:
    """Return the class of that name ("trl.SFTConfig"); None for another one."""
    library, _, name = full_name.partition(".")
    written = _table().get(library, {}).get("classes", {}).get(name)
    if written is None:
        return None
    order = releases_of(library)
    having = _expanded(written["is"], order)
    arguments: dict[str, Releases] = {}
    for ranges, names in written.items():
        if ranges != "is":
            those = _expanded(ranges, order) if ranges else having
            arguments |= {
                argument: those | arguments.get(argument, frozenset()) for argument in names.split()
            }
    return Signature(library, name, having, arguments)


@cache
def releases_of(library: str) -> tuple[str, ...]:
    """Return the minor releases of a library that were read, oldest first."""
    return tuple(_table()[library]["releases"].split())


def _expanded(ranges: str, order: tuple[str, ...]) -> Releases:
    """Return the releases of "0.9-0.20 1.8-": since the one, before the other."""
    those: set[int] = set()
    for pair in ranges.split():
        since, _, before = pair.partition("-")
        those.update(range(order.index(since) if since else 0, order.index(before) if before else len(order)))
    return frozenset(those)


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table

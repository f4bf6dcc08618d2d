# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is known of a network without torch: where it is built, and which arguments it takes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from trainlint.catalogue.annotation import describe, fits, shown
from trainlint.errors import CLOSE_RATIO, most_alike


class Location(NamedTuple):
    """Where an architecture is built: the file, the class or function in it; a preset's own defaults."""

    file: Path
    name: str
    defaults: Mapping[str, Any] = {}
    lacking: Collection[str] = ()


class Param(NamedTuple):
    """One argument: its annotation as an expression (None: anything goes) and its default.

    A default that is no literal (`8 / 3`, a name) is not `readable`; it is None here.
    """

    name: str
    annotation: ast.expr | None
    default: Any = None
    required: bool = False
    readable: bool = True

    @property
    def expected(self) -> str:
        """The annotation in words: "a positive integer", "a list of integers"."""
        return describe(self.annotation)

    def accepts(self, value: Any) -> bool:
        """Return whether the constructor can work with this value."""
        return fits(self.annotation, value)


class Signature(NamedTuple):
    """What a network's constructor takes; `open` when it swallows every other keyword."""

    arch: str
    params: Mapping[str, Param]
    open: bool

    @property
    def defaults(self) -> dict[str, Any]:
        """Name -> default of every argument that has one that can be read."""
        return {name: p.default for name, p in self.params.items() if p.readable and not p.required}

    def problems(self, args: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return (argument, message) for all that would make the constructor fail on `args`."""
        return [*self._unknown(args), *self._missing(args), *self._mistyped(args)]

    def meant(self, name: str) -> str | None:
        """Return the argument that is nearly called so; None where it is one, or none is near."""
        if self.open or name in self.params:
            return None
        return most_alike(str(name), self.params, CLOSE_RATIO)

    def _unknown(self, args: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name in args if not self.open else ():
            if name not in self.params:
                near = self.meant(name)
                hint = f'; did you mean "{near}"?' if near else ""
                yield str(name), f'{self.arch} takes no argument "{name}"{hint}'

    def _missing(self, args: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name, param in self.params.items():
            if param.required and name not in args:
                yield name, f'{self.arch} needs the argument "{name}" ({param.expected})'

    def _mistyped(self, args: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name, value in args.items():
            param = self.params.get(name)
            if param and not param.accepts(value):
                yield name, f"{name} must be {param.expected}, is {shown(value)}"

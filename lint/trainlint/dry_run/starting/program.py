# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A program as it is started: interpreter, words and variables, as rank 0 of how many processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace


class Program(Struct, frozen=True):
    """A Python program: `arguments` follow the interpreter, `script` is the file, module or command.

    `processes` are those that a starter makes of it, None where none does; 0: one for each GPU. `starter` is
    its name. `words` are the command as it was given.
    """

    words: tuple[str, ...]
    interpreter: str
    arguments: tuple[str, ...]
    script: str
    environment: Mapping[str, str] = field(default_factory=dict)
    starter: str | None = None
    processes: int | None = None
    nodes: int = 1
    position: int = 0
    """Where in `arguments` the program's own words begin."""
    is_environment_named: bool = False
    """Whether the user named the interpreter as that of their framework: what it lacks the real run lacks."""

    @property
    def name(self) -> str:
        """What reports call it: the script, or the command of a package."""
        return self.script

    @property
    def own_words(self) -> tuple[str, ...]:
        """The words that the program itself is given."""
        return self.arguments[self.position :]

    @property
    def added_words(self) -> tuple[str, ...]:
        """The words that its starter gives it besides."""
        return tuple(word for word in self.own_words if word not in self.words)

    def with_own_words(self, words: Sequence[str]) -> Program:
        """Return the same program with other words of its own."""
        return replace(self, arguments=(*self.arguments[: self.position], *words))

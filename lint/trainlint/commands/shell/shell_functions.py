# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Functions of a shell script: in their bodies `$1` is their own argument, not the script's."""

from __future__ import annotations

from trainlint.commands.shell.shell_raw import RawCommand
from trainlint.commands.shell.shell_variables import Variables


class Functions:
    """Where a script's functions begin and end, as its commands are read in order."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._around: list[str | None] | None = None
        self._deep = 0
        self._named = False

    def take(self, raw: RawCommand, separator: str) -> None:
        """Take in a command and what separates it from the one before."""
        words = [word.literal for word in raw.words]
        if words[:1] == ["function"]:
            self._named = True
        named = self._named or (separator == "(" and raw.before.startswith(")"))
        if not self._deep and named and "{" in words[:3]:
            self._around, self._variables.arguments = self._variables.arguments, None
            self._deep, self._named = 1, False
        elif self._deep:
            self._deep += (words[:1] == ["{"]) - (words[:1] == ["}"])
            if not self._deep:
                self._variables.arguments = self._around

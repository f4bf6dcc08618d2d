# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A script's variables, environment and own arguments, as far as they are known without running it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainlint.errors import TooLargeError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import MOST_EXPORTED, VARIABLE_LENGTH, Budget

Value = str | tuple[str, ...] | None
"""A variable's text, an array's words, or None where it cannot be known."""

_DEFAULT = later(r"([A-Za-z_]\w*|\d+)(:?[-=])(.*)", re.DOTALL)
_ARRAY = later(r"([A-Za-z_]\w*)\[[@*]\]")
_HARMLESS = later(r"(?:^|/)(?:activate|[.]?bashrc|[.]?(?:bash_)?profile|conda[.]sh|setvars[.]sh)$")
"""Scripts that are sourced for the sake of the path and the like."""
_NAME = later(r"[A-Za-z_]\w*")
_INNER = later(r"\$\{?(\w+)\}?")


class Variables:
    """What a script has set so far; `unsure` while it is under a condition.

    `arguments` are those that it is called with, None for one that is not known; without them nothing is
    known of any. `budget` bounds what filling them in may cost.
    """

    def __init__(self, budget: Budget, arguments: Sequence[str | None] | None) -> None:
        self.env: dict[str, str] = {}
        self.arguments = None if arguments is None else list(arguments)
        self.unsure = False
        self._values: dict[str, Value] = {}
        self._budget = budget

    def assign(self, name: str, value: Value) -> None:
        """Set a variable; under a condition, a second value makes it unknown."""
        known = self._values.get(name, value)
        unsure = self.unsure and known != value
        too_long = value is not None and len(value) > VARIABLE_LENGTH  # A=$A$A, sixty times
        self._values[name] = None if unsure or too_long else value

    def set(self, name: str, value: Value) -> None:
        """Set a variable whatever it was before (a loop's)."""
        self._values[name] = value

    def follow(self, words: Sequence[str]) -> None:
        """Take in a command that sets variables to what only the shell knows."""
        program = words[0] if words else ""
        if program in ("source", ".") and words[1:]:
            if not _HARMLESS.search(words[1]):
                self._values = dict.fromkeys(self._values)
        elif program in ("read", "mapfile", "readarray", "getopts", "let", "unset"):
            for word in words[1:]:
                if (match := _NAME.match(word)) is not None:
                    self._values[match.group()] = None
        elif program == "printf" and words[1:2] == ["-v"] and words[2:]:
            self._values[words[2]] = None

    def forget(self, name: str) -> None:
        """Note that a variable's value is known only when the script runs (a loop's)."""
        self._values[name] = None

    def export(self, name: str, text: str) -> None:
        """Set a variable of the environment that the commands after it get; TooLargeError for too many."""
        self.env[name] = text
        if len(self.env) > MOST_EXPORTED:
            raise TooLargeError(f"exports more than {MOST_EXPORTED:,} variables, which no script does")

    def added(self, name: str, value: Value) -> Value:
        """Return what a variable is after `+=`."""
        known = self._values.get(name)
        if isinstance(known, tuple) and isinstance(value, tuple):
            return known + value
        return known + value if isinstance(known, str) and isinstance(value, str) else None

    def look_up(self, name: str) -> Value:
        """Return the value of what is between `${` and `}`, or after `$`."""
        name = name.partition(":")[2] if name.lower().startswith("env:") else name
        if match := _ARRAY.fullmatch(name):
            value = self._values.get(match.group(1))
            return (value,) if isinstance(value, str) else value
        if name.isdecimal() and self.arguments is not None:
            return self._argument(int(name))
        if match := _DEFAULT.fullmatch(name):
            value = self.look_up(match.group(1)) if match.group(1).isdecimal() else None
            value = self._values.get(match.group(1), value)
            return self._default(match.group(3)) if value in (None, "") else value
        value = self._values.get(name, self.env.get(name))
        return value[0] if isinstance(value, tuple) and value else value

    def shift(self, count: int) -> None:
        """Drop the first arguments."""
        del (self.arguments or [])[:count]

    def rest(self, first: int) -> Sequence[str] | None:
        """Return the arguments from the `first` (1) on ("$@", ${@:2}); None where one of them is unknown."""
        rest = None if self.arguments is None else self.arguments[max(first, 1) - 1 :]
        known = [text for text in rest or () if text is not None]
        return known if rest is not None and len(known) == len(rest) else None

    def _argument(self, number: int) -> str | None:
        """Return one of the script's own arguments, "" where it is given fewer; None for its name ($0)."""
        arguments = self.arguments or []
        return None if number == 0 else arguments[number - 1] if number <= len(arguments) else ""

    def _default(self, text: str) -> str | None:
        text = text.strip("\"'")
        if len(text) > VARIABLE_LENGTH or "$(" in text or "`" in text:
            return None
        values = [self._values.get(match.group(1)) for match in _INNER.finditer(text)]
        self._budget.spend(len(values))
        known = [value for value in values if isinstance(value, str)]
        if len(known) < len(values) or sum(map(len, known)) > VARIABLE_LENGTH:
            return None
        filled = iter(known)
        return _INNER.sub(lambda _: next(filled), text)

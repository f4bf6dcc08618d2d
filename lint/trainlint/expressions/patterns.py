# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Patterns: compiled when they are first used, and those of a schema that Python's own engine may match.

A file that passes takes half of the patterns that its modules hold, and compiling one takes 0.1 ms.

RE2, behind CEL, takes any pattern in time that grows with the text alone, but 20 microseconds to be asked,
and a file of 20,000 keys asks it 300,000 times. A pattern that repeats nothing has but a few ways through
it, so that Python's engine is as safe there, and much quicker.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

_compiled = cache(re.compile)


class _Later:
    """Has what a compiled pattern has, once it is asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._written = text, flags

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(_compiled(*self._written), name)
        setattr(self, name, attribute)  # the next time Python finds it itself
        return attribute


def later(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used; re.error comes then."""
    postponed: Any = _Later(text, flags)
    pattern: re.Pattern[str] = postponed  # it answers as one
    return pattern


_PART: Final = (
    r"[A-Za-z0-9_-]\??"  # a letter
    r"|\.\??"
    r"|\[\^?[A-Za-z0-9_-]+\]\??"  # a class
    r"|\((?:\?:)?|\)\??"  # a group
    r"|\||\^|\$"
)
_SIMPLE: Final = later(f"(?:{_PART})*")
MOST_CHOICES: Final = 12
"""Alternatives and optional parts of a pattern: 2**12 ways through it at most."""


@cache
def simple(pattern: str) -> re.Pattern[str] | None:
    """Return a schema's pattern for Python's engine; None where RE2 has to take it (or refuse it)."""
    if not _SIMPLE.fullmatch(pattern) or pattern.count("|") + pattern.count("?") > MOST_CHOICES:
        return None
    try:
        return re.compile(pattern.replace("$", r"\Z"))  # RE2's $ is the very end
    except re.error:
        return None

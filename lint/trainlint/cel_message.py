# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the CEL engine says of an expression that does not compile, in words of ours and in one line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from trainlint.patterns import later

_FAULT = later(r"(?:^|<input>:)(\d+):(\d+): (.*?)(?: \(in container ''\))?$", re.MULTILINE)
_UNDECLARED = later(r"undeclared reference to '([^']*)'")
_OVERLOAD = later(r"found no matching overload for '([^']*)' applied to '([^']*)'")
"""The engine's words: line, character and message; two of the messages."""


def readable(message: str, text: str, names: Iterable[str]) -> str:
    """Return the engine's first message in one line, with its place; the others follow from it."""
    found = _FAULT.search(message)
    if found is None:
        return f"{text!r} does not compile: {message.removeprefix('INVALID_ARGUMENT: ')}"
    line, column, said = found.groups()
    at = f"character {column}" if line == "1" else f"line {line}, character {column}"
    return f"{_plainly(said, names)} ({at} of {text!r})"


def _plainly(said: str, names: Iterable[str]) -> str:
    """Return a message of the engine without its names for operators and its lists of tokens."""
    if unknown := _UNDECLARED.match(said):
        near = get_close_matches(unknown[1], list(names), 1)
        return f"{unknown[0]}{f'; did you mean {near[0]!r}?' if near else ''}"
    if overload := _OVERLOAD.match(said):
        return f"{overload[1].strip('_')!r} does not take {overload[2]}"
    if said.startswith("Syntax error"):
        if "input '<EOF>'" in said:
            return "Syntax error: the expression ends too early"
        if "error at: '= '" in said:
            return "Syntax error: '=' is no operator; did you mean '=='?"
        return said.partition(" expecting ")[0].replace("token recognition error at: ", "at ")
    return said

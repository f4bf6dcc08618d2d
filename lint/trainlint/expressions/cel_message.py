# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the CEL engine says of an expression that does not compile, in words of ours and in one line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trainlint.errors import most_alike
from trainlint.expressions.patterns import later

_FAULT = later(r"(?:^|<input>:)(\d+):(\d+): (.*?)(?: \(in container ''\))?$", re.MULTILINE)
_UNDECLARED = later(r"undeclared reference to '([^']*)'")
_OVERLOAD = later(r"found no matching overload for '([^']*)' applied to '([^']*)'")
"""The engine's words: line, character and message; two of the messages."""


def readable(message: str, text: str, names: Iterable[str]) -> str:
    """Return the engine's first message in one line, with its place; the others follow from it."""
    match = _FAULT.search(message)
    if match is None:
        return f"{text!r} does not compile: {message.removeprefix('INVALID_ARGUMENT: ')}"
    line, column, first_message = match.groups()
    place = f"character {column}" if line == "1" else f"line {line}, character {column}"
    return f"{_plainly(first_message, names)} ({place} of {text!r})"


def undeclared(message: str) -> str | None:
    """Return the name that is not declared, where that is what the engine's first message says."""
    match = _FAULT.search(message)
    unknown = _UNDECLARED.match(match[3]) if match else None
    return unknown[1] if unknown else None


def _plainly(message: str, names: Iterable[str]) -> str:
    """Return a message of the engine without its names for operators and its lists of tokens."""
    if unknown := _UNDECLARED.match(message):
        near = most_alike(unknown[1], list(names))
        return f"{unknown[0]}{f'; did you mean {near!r}?' if near else ''}"
    if overload := _OVERLOAD.match(message):
        return f"{overload[1].strip('_')!r} does not take {overload[2]}"
    if message.startswith("Syntax error"):
        if "input '<EOF>'" in message:
            return "Syntax error: the expression ends too early"
        if "error at: '= '" in message:
            return "Syntax error: '=' is no operator; did you mean '=='?"
        return message.partition(" expecting ")[0].replace("token recognition error at: ", "at ")
    return message

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The words of messages about values: what is there, what was expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from trainlint.dialects.schema.schema_walk import Schema
from trainlint.model.document import Path

TYPES = {
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing (~)",
}

NAMES: Mapping[type, str] = {
    bytes: "binary data",
    complex: "a complex number",
    date: "a date",
    datetime: "a date with a time",
    time: "a time of day",
    set: "a set",
    frozenset: "a set",
}
"""What the loaders yield besides (YAML's !!binary, !!timestamp, !!set, TOML's times)."""

MOST_SHOWN_CHARACTERS = 60
"""Characters of a user's value that a message repeats."""

MOST_CHOICES = 16
"""Choices that a message lists before it breaks off."""


def dotted(path: Path) -> str:
    """Return a path as messages write it: train.optim_g.betas[0]."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def place(path: Path) -> str:
    """Return " in "train.optim_g"", or nothing for the document itself."""
    return f' in "{dotted(path)}"' if path else ""


def never_read(name: str, where: str, near: str) -> str:
    """Say of a key of a file of defaults that it is nearly an argument: set_defaults takes any key."""
    return f'"{name}"{where} is not an argument and is never read; did you mean "{near}"?'


def shown(value: Any) -> str:  # noqa: PLR0911 - one line per kind of value
    """Return a value with its type, shortened: the string "abc", the integer 3, a list."""
    match value:
        case None:
            return "nothing (~)"
        case bool():
            return "true" if value else "false"
        case str():
            return f'the string "{_short(value)}"'
        case int():
            return f"the integer {_short(_digits(value))}"
        case float():
            return f"the float {value}"
        case Mapping():
            return "a mapping"
        case list() | tuple():
            return "a list"
        case _:
            return NAMES.get(type(value), "a value of another kind")


def brief(value: Any) -> str:
    """Return a value as a message quotes it, without its type."""
    if isinstance(value, list | tuple | Mapping):
        return shown(value)
    if value is None or isinstance(value, bool):
        return shown(value)
    if isinstance(value, int):
        return _short(_digits(value))
    return (
        repr(value)
        if isinstance(value, float)
        else f'"{_short(value)}"'
        if isinstance(value, str)
        else shown(value)
    )


def expected(schema: Schema) -> str:
    """Return what a subschema accepts, in words."""
    if "const" in schema:
        return brief(schema["const"])
    if "enum" in schema:
        return "one of " + choices([str(item) for item in schema["enum"] if item is not None])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return either([expected(part) for part in schema[word]])
    types = schema.get("type", ())
    names = [types] if isinstance(types, str) else list(types)
    if names == ["number"] and schema.get("multipleOf") == 1:
        return "a whole number"
    return either([TYPES[name] for name in names if name != "null"] or [TYPES[name] for name in names])


def choices(names: Sequence[str]) -> str:
    """Return names as a list, broken off where there are many."""
    listed = ", ".join(names[:MOST_CHOICES])
    return f"{listed} …" if len(names) > MOST_CHOICES else listed


def either(words: Sequence[str]) -> str:
    """Return "a, b or c" without repeats or blanks."""
    kept = list(dict.fromkeys(word for word in words if word))
    return " or ".join([", ".join(kept[:-1]), kept[-1]] if len(kept) > 1 else kept)


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # Python refuses to print integers of more than 4300 digits
        return hex(value)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MOST_SHOWN_CHARACTERS else f"{line[:MOST_SHOWN_CHARACTERS]}…"

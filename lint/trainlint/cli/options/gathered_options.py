# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A command's parameters as frozen objects: the one place that knows click's own dict of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

Command = Callable[..., Any]


def gathered(**kinds: type[Struct]) -> Callable[[Command], Command]:
    """Hand a command objects of these classes, by the keyword's name, in place of the options in them.

    A class's fields are named after the options that they hold. A field that is itself of such a class holds
    an object of it, made of the same options. What no class has a field for stays a parameter of its own.
    """

    def decorated(command: Command) -> Command:
        @wraps(command)  # which keeps the options that were declared below
        def called(**parameters: Any) -> Any:
            taken: set[str] = set()
            objects = {name: _filled(kind, parameters, taken) for name, kind in kinds.items()}
            others = {name: value for name, value in parameters.items() if name not in taken}
            return command(**others, **objects)

        return called

    return decorated


def _filled(kind: type[Struct], parameters: dict[str, Any], taken: set[str]) -> Struct:
    """Return an object of a class; a field that the command has no option for keeps its default."""
    values: dict[str, Any] = {}
    for field in fields(kind):
        if field.name in parameters:
            values[field.name] = parameters[field.name]
            taken.add(field.name)
        elif isinstance(field.type, type) and issubclass(field.type, Struct):
            values[field.name] = _filled(field.type, parameters, taken)
    return kind(**values)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Message templates: `{expression}` or `{expression:unit}`, compiled when loaded, or when first said."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from math import floor
from typing import Any, Final

from msgspec import Struct

from trainlint.expressions.cel import (
    ANSWERS,
    Compiler,
    Expression,
    ExpressionError,
    compile_expression,
    key_of,
)
from trainlint.expressions.patterns import later
from trainlint.model.units import gib, hours_between

GIB = 2**30
ROUNDING_HOURS: Final = 1e-6
"""What an hour may lack by the rounding of its computation."""
_FIELD = later(r"\{([^{}]+)\}")


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def amount(value: float) -> str:
    """Write bytes as GiB, which cards are sold by: an amount that no card has, too."""
    return f"{gib(value)} GiB"


def hours(value: float) -> str:
    """Write hours with two digits or as whole ones."""
    return f"{value:.1f} h" if value < 10 else f"{value:.0f} h"  # noqa: PLR2004  # two digits


def at_least(value: float) -> str:
    """Write hours that are a lower bound, rounded down: 16.7 h are not "at least 17 h"."""
    step = 10 if value < 10 else 1  # noqa: PLR2004  # as many digits as `hours` writes
    return hours(floor(value * step + ROUNDING_HOURS) / step)


UNITS: Mapping[str, Callable[[Any], str]] = {
    "GiB": amount,
    "MiB": lambda value: f"{value / 2**20:,.0f} MiB",
    "GB": lambda value: f"{value / 1e9:.1f} GB" if value >= 1e9 else f"{value / 1e6:.0f} MB",  # noqa: PLR2004
    "h": hours,
    "least_h": at_least,
    "hours": lambda ends: hours_between(*ends),
    "n": _number,
}
"""What may follow the colon: bytes as GiB, MiB or GB (MB below 1 GB), hours, those of a lower bound,
a range of them ([low, high]), a count in thousands."""


class TemplatePart(Struct, frozen=True):
    """Literal text, or an expression with its unit; `name` where the expression is one bare name."""

    text: str = ""
    expression: Expression | None = None
    unit: str | None = None
    name: str | None = None


class Template(Struct, frozen=True, eq=False, dict=True):
    """A message: its text, and the variables that its expressions are compiled over, by what."""

    text: str
    variables: Mapping[str, str]
    compiled: Compiler

    @cached_property
    def parts(self) -> tuple[TemplatePart, ...]:
        """The text in parts. Raises ExpressionError."""
        parts, end = [], 0
        for match in _FIELD.finditer(self.text):
            parts.append(TemplatePart(self.text[end : match.start()]))
            parts.append(_part(match.group(1), self.variables, self.compiled))
            end = match.end()
        parts.append(TemplatePart(self.text[end:]))
        if stray := next((brace for part in parts for brace in "{}" if brace in part.text), None):
            raise ExpressionError(
                f'a "{stray}" without the other one in {self.text!r}: expected {{expression}}'
            )
        return tuple(parts)

    def format(self, values: Mapping[str, Any], is_default: Callable[[str], bool]) -> str:
        """Fill the message in; a bare name that holds the trainer's default is followed by "(default)"."""
        read, bare = self._names
        held = {name: values[name] for name in read if name in values}
        noted = key_of(held) if len(held) == len(read) else None
        if noted is None:
            return self._filled(values, is_default)
        key = noted, *map(is_default, bare)
        if key not in self._known:
            if len(self._known) >= ANSWERS:
                self._known.clear()
            self._known[key] = self._filled(values, is_default)
        return self._known[key]

    def _filled(self, values: Mapping[str, Any], is_default: Callable[[str], bool]) -> str:
        return "".join(_text(part, values, is_default) for part in self.parts)

    @cached_property
    def _names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names that the message reads, and those that are shown as they are."""
        read = {name for part in self.parts if part.expression is not None for name in part.expression.names}
        return tuple(sorted(read)), tuple(part.name for part in self.parts if part.name)

    @cached_property
    def _known(self) -> dict[Hashable, str]:
        """What it came to: an edit leaves most of what other rules find as it was."""
        return {}


def compile_template(
    text: str, variables: Mapping[str, str], compiled: Compiler = compile_expression
) -> Template:
    """Compile a message over `variables` by `compiled`, one that was checked before when it is said.

    Raises ExpressionError.
    """
    template = Template(text, variables, compiled)
    if compiled is compile_expression:
        _ = template.parts
    return template


def _part(inner: str, variables: Mapping[str, str], compiled: Compiler) -> TemplatePart:
    body, colon, unit = inner.rpartition(":")
    if not colon or unit.strip() not in UNITS:
        _check_unit(body, unit.strip(), inner, variables, compiled)
        body, unit = inner, ""
    body = body.strip()
    return TemplatePart(
        expression=compiled(body, variables),
        unit=unit.strip() or None,
        name=body if body in variables else None,
    )


def _check_unit(body: str, unit: str, inner: str, variables: Mapping[str, str], compiled: Compiler) -> None:
    """Refuse a unit that there is not; what is an expression as a whole (a ? b : c) has none."""
    if not body or not unit.isidentifier():
        return
    try:
        compiled(inner.strip(), variables)
    except ExpressionError:
        compiled(body.strip(), variables)  # whose own slip comes first
        raise ExpressionError(f'there is no unit "{unit}": expected one of {", ".join(UNITS)}') from None


def _text(part: TemplatePart, values: Mapping[str, Any], is_default: Callable[[str], bool]) -> str:
    if part.expression is None:
        return part.text
    value = part.expression(values)
    if part.name and isinstance(value, int) and isinstance(values.get(part.name), int):
        value = values[part.name]  # as written: CEL's integers have 64 bits
    text = UNITS[part.unit](value) if part.unit else show(value)
    return f"{text} (default)" if part.name and is_default(part.name) else text


def show(value: Any) -> str:
    """Write a value as a config would, short."""
    match value:
        case str():
            return value
        case bool() | None:
            return json.dumps(value)
        case float():
            return f"{value:g}"
        case list():
            return f"[{', '.join(show(item) for item in value)}]"
        case _:
            return str(value)

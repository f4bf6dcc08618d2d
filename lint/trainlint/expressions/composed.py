# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Expressions that a file writes in parts, one to a line: each part is CEL, and so is the whole.

A condition is an expression, a list of conditions that all hold, or one of

    {any: [..]}   {all: [..]}   {none: [..]}   {has: train.optim_g}
    {at_least: 3, of: [..]}           so many of them hold
    {every: path, of: [..], is: ..}   the condition holds for each of these values, called `path`

A value is an expression, a number or a truth value, a list of values, a mapping of values (a key that begins
with "?" is left out where its value is absent), or

    {each: key, of: .., where: .., make: ..}   a list: what is made of each that the condition holds for
    {find: .., in: {adam: .., sgd: ..}, else: ..}   what a table has under a key, or else another value
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trainlint.errors import RuleError
from trainlint.expressions.patterns import later

CONDITIONS = "an expression, a list of conditions, or a mapping with any, all, none, has, at_least or every"
VALUES = "an expression, a number, a list or a mapping of values"

MOST_NESTED_PARTS = 8
"""Parts in parts: no shipped expression has more than four, and CEL reads 32 levels of brackets."""

_PLAIN = later(r"[\w.]+|'[^'\\]*' in flat|!?\([^()]*\)|[\w.]+\((?:[^()]|\([^()]*\))*\)")
"""An expression that needs no brackets among others."""


def condition(written: Any, depth: int = 0) -> str:  # noqa: PLR0911  # one for each way to write it
    """Return the CEL of a condition. Raises RuleError where it is none."""
    match _shallow(written, depth):
        case str():
            return str(written).strip()
        case [_, *_]:
            return _joined(written, " && ", depth)
        case {"any": [_, *_] as parts, **rest} if not rest:
            return _joined(parts, " || ", depth)
        case {"all": [_, *_] as parts, **rest} if not rest:
            return _joined(parts, " && ", depth)
        case {"none": [_, *_] as parts, **rest} if not rest:
            return f"!({_joined(parts, ' || ', depth)})"
        case {"has": str() as key, **rest} if not rest:
            return f"{_quoted(key)} in flat"
        case {"at_least": (int() | str()) as least, "of": [_, *_] as parts, **rest} if not rest:
            if isinstance(least, int) and not 0 < least <= len(parts):
                raise RuleError(f"at_least: {least} of {len(parts)}: expected 1 to {len(parts)}")
            signs = ", ".join(condition(part, depth + 1) for part in parts)
            return f"[{signs}].filter(sign, sign).size() >= {_bracketed(str(least))}"
        case {"every": str() as name, "of": values, "is": held, **rest} if not rest:
            return f"{value(values, depth + 1)}.all({name}, {condition(held, depth + 1)})"
    raise RuleError(f"{_shown(written)} is not a condition: expected {CONDITIONS}")


def value(written: Any, depth: int = 0) -> str:  # noqa: PLR0911  # as above
    """Return the CEL of a value. Raises RuleError where it is none."""
    match _shallow(written, depth):
        case bool():
            return str(written).lower()
        case str():
            return str(written).strip()
        case int() | float():
            return repr(written)
        case list():
            return f"[{', '.join(value(item, depth + 1) for item in written)}]"
        case {"each": str() as name, "of": source, "make": template, **rest} if set(rest) <= {"where"}:
            kept = f".filter({name}, {condition(rest['where'], depth + 1)})" if rest else ""
            return f"{value(source, depth + 1)}{kept}.map({name}, {value(template, depth + 1)})"
        case {"greatest": items, **rest} if not rest:
            return f"math.greatest({value(items, depth + 1)})"
        case {"find": key, "in": Mapping() as table, "else": other, **rest} if table and not rest:
            entries = ", ".join(_entry(name, item, depth + 1) for name, item in table.items())
            return f"{{{entries}}}[?{value(key, depth + 1)}].orValue({value(other, depth + 1)})"
        case Mapping() if written and all(isinstance(key, str) for key in written):
            return f"{{{', '.join(_entry(key, item, depth + 1) for key, item in written.items())}}}"
    raise RuleError(f"{_shown(written)} is not a value: expected {VALUES}")


def in_lines(written: Any) -> str:
    """Return a condition for people to read: of several that all hold, one to a line."""
    parts = written if isinstance(written, list) else [written]
    return "\n&& ".join(_bracketed(condition(part)) if len(parts) > 1 else condition(part) for part in parts)


def longest(written: Any) -> str:
    """Return the longest expression that a condition or a value is written in."""
    parts: Iterable[Any] = ()
    if isinstance(written, Mapping):
        parts = written.values()
    elif isinstance(written, list):
        parts = written
    else:
        return str(written).strip()
    return max(map(longest, parts), key=len, default="")


def _entry(key: str, item: Any, depth: int) -> str:
    mark = "?" if key.startswith("?") else ""
    return f"{mark}{_quoted(key.removeprefix('?'))}: {value(item, depth)}"


def _joined(parts: list[Any], sign: str, depth: int) -> str:
    if len(parts) == 1:
        return condition(parts[0], depth + 1)
    return sign.join(_bracketed(condition(part, depth + 1)) for part in parts)


def _bracketed(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else f"({text})"


def _quoted(text: str) -> str:
    if "'" in text or "\\" in text:
        raise RuleError(f"{text!r} is not a key: it holds a quotation mark or a backslash")
    return f"'{text}'"


def _shallow(written: Any, depth: int) -> Any:
    if depth > MOST_NESTED_PARTS:
        raise RuleError(f"parts in parts, more than {MOST_NESTED_PARTS} deep")
    return written


def _shown(written: Any) -> str:
    text = repr(written)
    return text if len(text) <= 100 else f"{text[:100]}…"  # noqa: PLR2004  # a line's worth

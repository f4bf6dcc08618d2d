# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A type annotation read as an expression: does a config's value fit it, what does it ask for."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Any

from trainlint.expressions.patterns import later

_NAMES = {
    "int": "an integer",
    "Positive": "a positive integer",
    "float": "a number",
    "bool": "true or false",
    "str": "a string",
    "dict": "a mapping",
    "None": "null",
    "Unquoted": "a number without quotes",
}
_NUMERAL = later(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
_SEQUENCES = ("list", "tuple", "Sequence", "Iterable")


def fits(annotation: ast.expr | None, value: Any) -> bool:
    """Return whether a value suits an annotation; one that is absent or not understood takes anything."""
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return fits(left, value) or fits(right, value)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=choices):
            return value in _choices(choices)
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in _SEQUENCES:
            return isinstance(value, list | tuple) and all(fits(_item(inner), item) for item in value)
        case ast.Constant(value=None):
            return value is None
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return _is(name, value)
    return True


def _is(name: str, value: Any) -> bool:
    """Return whether code written for this type can use a value (any number is a truth value too)."""
    number = isinstance(value, int) and not isinstance(value, bool)
    checks: dict[str, bool] = {
        "int": number,
        "Positive": number and value > 0,
        "float": number or isinstance(value, float),
        "bool": value is None or isinstance(value, bool | int),
        "str": isinstance(value, str),
        "dict": isinstance(value, Mapping),
        "Unquoted": not (isinstance(value, str) and _NUMERAL.fullmatch(value)),
    }
    checks.update(dict.fromkeys(_SEQUENCES, isinstance(value, list | tuple)))
    return checks.get(name, True)


def describe(annotation: ast.expr | None) -> str:
    """Say an annotation in words: "a positive integer", "a list of numbers", "2 or 4"."""
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return f"{describe(left)} or {describe(right)}"
        case ast.Subscript(value=ast.Name(id="Literal"), slice=choices):
            return " or ".join(shown(choice) for choice in _choices(choices))
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in _SEQUENCES:
            words = describe(_item(inner)).removeprefix("an ").removeprefix("a ")
            return f"a list of {words}s"
        case ast.Constant(value=None):
            return "null"
        case ast.Name(id=name):
            return _NAMES.get(name, "a list" if name in _SEQUENCES else "any value")
    return "any value"


def _choices(node: ast.expr) -> tuple[Any, ...]:
    elements = node.elts if isinstance(node, ast.Tuple) else [node]
    return tuple(ast.literal_eval(element) for element in elements)


def _item(node: ast.expr) -> ast.expr:
    """Return the item type of list[X], tuple[X, ...] and Sequence[X]."""
    return node.elts[0] if isinstance(node, ast.Tuple) else node


def shown(value: Any) -> str:
    """Write a value as a config would: null, true, "text"."""
    return json.dumps(value, default=str, ensure_ascii=False)

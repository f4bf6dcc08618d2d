# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Statements that do nothing but say something."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

LOGGING_METHODS: Final = ("debug", "info", "warning", "warn", "error", "critical")
HARMLESS_CALLS: Final = (
    "format",
    "join",
    "keys",
    "len",
    "str",
    "type",
    "repr",
    "round",
    "int",
    "float",
    "list",
)
"""What may be called and only makes a text, a number or a list."""


def passive(node: ast.stmt) -> bool:
    """Return whether a statement does nothing but say something, or bind a name that is followed anyway."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id="logger" | "logging"), attr=word)) as call
        ):
            return word in LOGGING_METHODS and _quiet(call)
        case ast.Expr(value=ast.Call(func=ast.Name(id="print")) as call):
            return _quiet(call)
        case ast.Assign(targets=[ast.Name(id="logger")], value=ast.Call(func=ast.Name(id="get_root_logger"))):
            return True
        case ast.If(test=test, body=body, orelse=orelse):
            return not any(_calls(test)) and all(map(passive, body)) and all(map(passive, orelse))
    return False


def _quiet(call: ast.Call) -> bool:
    """Return whether a call's arguments do nothing but make a text."""
    parts = [*call.args, *(word.value for word in call.keywords)]
    return all(name in HARMLESS_CALLS for part in parts for name in _calls(part))


def _calls(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            yield getattr(inner.func, "id", getattr(inner.func, "attr", "?"))
        elif isinstance(inner, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            yield "?"

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a class's own constructor takes: names and defaults, as plain values."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef


def signature_of(node: ast.ClassDef, bound: Mapping[str, Sequence[ast.AST]]) -> dict[str, Any] | None:
    """Return the arguments of a class's own constructor; None where it has none of its own.

    {"params": [[name, required, readable, default]], "open": bool}; `open` where it takes any keyword.
    """
    own = [part for part in node.body if isinstance(part, Function) and part.name == "__init__"]
    if len(own) != 1 or own[0].decorator_list:
        return None
    return {**taken(own[0], bound, method=True), "passes": passed_on(own[0])}


def passed_on(node: Function) -> str | None:
    """Return the class whose constructor gets the keywords that this one does not name, "" for the next base.

    None where they go elsewhere, too, or nowhere: `Base.__init__(self, *args, **kwargs)` and nothing else.
    """
    if node.args.kwarg is None:
        return None
    name = node.args.kwarg.arg
    used = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name]
    calls = [
        part
        for part in ast.walk(node)
        if isinstance(part, ast.Call)
        and any(k.arg is None and isinstance(k.value, ast.Name) and k.value.id == name for k in part.keywords)
    ]
    if len(used) != 1 or len(calls) != 1 or any(k.arg is not None for k in calls[0].keywords):
        return None
    match calls[0].func:
        case ast.Attribute(value=ast.Name(id=base), attr="__init__"):
            return base
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
            return ""
    return None


def taken(node: Function, bound: Mapping[str, Sequence[ast.AST]], *, method: bool = False) -> dict[str, Any]:
    """Return what a function takes."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    pairs = [
        *zip(plain, [*missing, *arguments.defaults], strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    params = [[a.arg, *_default(value, bound)] for a, value in (pairs[1:] if method else pairs)]
    return {"params": params, "open": arguments.kwarg is not None}


def _default(value: ast.expr | None, bound: Mapping[str, Sequence[ast.AST]]) -> list[Any]:
    """Return [required, readable, default] of one argument."""
    if value is None:
        return [True, True, None]
    if isinstance(value, ast.Name) and len(bound.get(value.id, ())) == 1:
        node = bound[value.id][0]
        value = node.value if isinstance(node, ast.Assign) else value
    try:
        literal = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return [False, False, None]
    shown = plain(literal)
    return [False, shown is not None or literal is None, shown]


def plain(value: Any) -> Any:
    """Return a value of JSON's kinds; None for any other."""
    if isinstance(value, list | tuple):
        items = [plain(item) for item in value]
        return None if any(i is None and v is not None for i, v in zip(items, value, strict=True)) else items
    return value if isinstance(value, bool | int | float | str) else None


def all_arguments(node: ast.arguments) -> list[ast.arg]:
    """Return a function's arguments in order."""
    more = [a for a in (node.vararg, node.kwarg) if a is not None]
    return [*node.posonlyargs, *node.args, *node.kwonlyargs, *more]

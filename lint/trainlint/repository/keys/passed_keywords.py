# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a function does with its `**kwargs`, and whether any call of a repository passes it one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from trainlint.files.syntax_tree import tree_of

Function = ast.FunctionDef | ast.AsyncFunctionDef
LOOKS: frozenset[str] = frozenset({"get", "items", "keys", "values"})
"""Methods of a mapping that leave it as it is."""


def unpassed_lines(tree: ast.Module, texts: Iterable[str]) -> frozenset[int]:
    """Return the lines of a file that do nothing: they go through keywords which no call passes.

    `texts`: all that may call its functions. A call that is handed `**options`, or a mention of the function
    that is no call, keeps them open.
    """
    lines: set[int] = set()
    for function in ast.walk(tree):
        if isinstance(function, Function) and function.args.kwarg is not None:
            idle = set(_idle_if_empty(function, function.args.kwarg.arg))
            if idle and not _may_be_passed(function, texts):
                lines |= idle
    return frozenset(lines)


def _idle_if_empty(function: Function, keywords: str) -> Iterator[int]:
    """Yield the lines that do nothing where a function is passed no further keyword."""
    if _are_changed(function, keywords):
        return
    for node in ast.walk(function):
        match node:
            case ast.For(iter=items, body=body) if _looks_at(items, keywords):
                yield from range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr="update"), args=[ast.Name(id=name)], keywords=[])
            ) if name == keywords:
                yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _are_changed(function: Function, keywords: str) -> bool:
    """Return whether a function may put more into its keywords than it is passed."""
    harmless = {id(name) for node in ast.walk(function) for name in _looked_at(node)}
    return any(
        isinstance(node, ast.Name) and node.id == keywords and id(node) not in harmless
        for node in ast.walk(function)
    )


def _looked_at(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the mappings that a node looks into, and leaves as they are."""
    match node:
        case ast.For(iter=items):
            yield items
        case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in LOOKS:
            yield value
        case ast.Call(func=ast.Attribute(attr="update"), args=[other]):
            yield other
        case ast.Subscript(value=value, ctx=ast.Load()):
            yield value
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            yield right
    if isinstance(node, ast.Call):
        yield from (word.value for word in node.keywords if word.arg is None)


def _looks_at(items: ast.expr, keywords: str) -> bool:
    match items:
        case ast.Name(id=name) | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="items" | "keys")):
            return name == keywords
    return False


def _may_be_passed(function: Function, texts: Iterable[str]) -> bool:
    """Return whether a call may pass a function a keyword that is none of its parameters."""
    arguments = function.args
    named = {argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)}
    if function.decorator_list:
        return True
    for text in texts:
        if function.name not in text:
            continue
        tree = tree_of(text)
        if tree is None or _passes(tree, function.name, named):
            return True
    return False


def _passes(tree: ast.Module, name: str, named: set[str]) -> bool:
    """Return whether a file passes more to what is called by a name, or hands that on."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_called(node.func, name)]
    if any(word.arg not in named for call in calls for word in call.keywords):
        return True
    functions = {id(call.func) for call in calls}
    return any(id(node) not in functions and _mentions(node, name) for node in ast.walk(tree))


def _is_called(node: ast.AST, name: str) -> bool:
    return (
        isinstance(node, ast.Name | ast.Attribute) and getattr(node, "id", getattr(node, "attr", "")) == name
    )


def _mentions(node: ast.AST, name: str) -> bool:
    match node:
        case ast.alias(name=imported, asname=other):
            return other not in (None, name) and imported.rpartition(".")[2] == name
        case ast.Constant(value=str(text)):
            return text == name
    return _is_called(node, name)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a script makes other options of those that it read: by a union, a function, a class of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from trainlint.expressions.patterns import later

WHOLE: Final = later(r"opts?|options?|cfg|conf|config")
"""What all options are called."""
COPIES: Final = ("OrderedDict", "copy", "deepcopy", "dict", "dict_to_nonedict")
"""What leaves every key as it is; a mapping that gives None for a missing key is looked at elsewhere."""
OF_VALUES: Final = ("bool", "expanduser", "float", "int", "join", "len", "list", "str", "tuple")
"""What makes one value of another."""
LOADERS: Final = ("load", "loads", "safe_load")
READING: Final = ("open", "read", "Path", "join", "expanduser", "read_text")
"""What a file's text is got by before it is parsed."""


def remade(tree: ast.Module) -> Iterator[tuple[int, str | None]]:
    """Yield the lines that bind options to what is made of options, each with the section that it binds."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=value):
                if value is not None and _are_whole(target) and _makes(value):
                    yield node.lineno, None
                section = _section(target)
                if section is not None and isinstance(value, ast.Call) and _is_of_section(value, section):
                    yield node.lineno, section
            case ast.AugAssign(target=target, op=ast.BitOr()):
                if _are_whole(target) or _section(target) is not None:
                    yield node.lineno, _section(target)
            case ast.Call(func=ast.Attribute(attr=name, value=ast.Name(id="yaml" | "json")), args=[text, *_]):
                if name in LOADERS and any(call not in READING for call in _calls(text)):
                    yield node.lineno, None


def handed(tree: ast.Module) -> Iterator[str]:
    """Yield the names of the functions that get all options in a statement of their own: `fill(opt)`."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Call(func=function, args=args)) if any(map(_are_whole, args)):
                yield getattr(function, "attr", getattr(function, "id", ""))


def _are_whole(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
            return WHOLE.fullmatch(name) is not None
    return False


def _section(node: ast.AST) -> str | None:
    """Return the key of a section of all options: "train" of `opt["train"]`."""
    match node:
        case ast.Subscript(value=inner, slice=ast.Constant(value=str(key))) if _are_whole(inner):
            return key
    return None


def _is_of_section(call: ast.Call, section: str) -> bool:
    """Return whether a call makes a section of itself: `fill(opt["train"])`."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    parts = [inner for argument in call.args for inner in ast.walk(argument)]
    return name not in (*COPIES, *OF_VALUES) and any(_section(part) == section for part in parts)


def _makes(value: ast.expr) -> bool:
    """Return whether an expression takes options, and gives others than these or their copy."""
    match value:
        case ast.Name():
            return not _are_whole(value)
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in COPIES and _are_whole(inner):
            return False
        case ast.Call(func=function, args=args) if (
            getattr(function, "attr", getattr(function, "id", "")) in COPIES
        ):
            return any(map(_makes, args))
        case ast.Call() | ast.Dict() | ast.DictComp() | ast.BinOp(op=ast.BitOr()):
            return _takes(value)
    return False


def _takes(node: ast.AST) -> bool:
    """Return whether all options are somewhere in an expression, not one value of them."""
    if _are_whole(node):
        return True
    match node:
        case ast.Subscript() | ast.Call(func=ast.Attribute(attr="get")):
            return False
        case ast.Call(func=ast.Attribute(value=ast.Name()) as function) if function.attr != "items":
            rest = [part for part in ast.iter_child_nodes(node) if part is not function]
            return any(map(_takes, rest))
    return any(map(_takes, ast.iter_child_nodes(node)))


def _calls(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            yield getattr(inner.func, "attr", getattr(inner.func, "id", "?"))

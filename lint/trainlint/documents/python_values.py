# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Texts, numbers, lists and mappings that a program's expressions are, whatever its run does."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from trainlint.documents.python_names import MOST_LINKS, Names

LONGEST: Final = 10_000
"""Characters of a text that is put together."""
LARGEST: Final = 10**15
SCALARS: Final = (str, int, float, bool, type(None))
_OPERATORS: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip


class _Unknown:
    """The class of UNKNOWN."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()
"""What only the program's run knows."""


def value_of(node: ast.AST, names: Names, depth: int = 0) -> Any:
    """Return the plain value of an expression, or UNKNOWN."""
    known = names.expression(node)
    if known is None or known.item is not None or depth > MOST_LINKS:
        return UNKNOWN
    work = _WORK.get(type(known.node))
    try:
        return UNKNOWN if work is None else work(known.node, names, depth + 1)
    except (ArithmeticError, TypeError, ValueError, KeyError, IndexError):
        return UNKNOWN


def _constant(node: ast.Constant, _names: Names, _depth: int) -> Any:
    return node.value if isinstance(node.value, SCALARS) else UNKNOWN


def _list(node: ast.List | ast.Tuple | ast.Set, names: Names, depth: int) -> Any:
    return _all([value_of(element, names, depth) for element in node.elts])


def _mapping(node: ast.Dict, names: Names, depth: int) -> Any:
    keys = _all([UNKNOWN if key is None else value_of(key, names, depth) for key in node.keys])
    values = [value_of(value, names, depth) for value in node.values]
    return UNKNOWN if keys is UNKNOWN else dict(zip(keys, values, strict=True))


def _signed(node: ast.UnaryOp, names: Names, depth: int) -> Any:
    operand = value_of(node.operand, names, depth)
    if isinstance(node.op, ast.USub) and isinstance(operand, int | float):
        return -operand
    return not operand if isinstance(node.op, ast.Not) and operand is not UNKNOWN else UNKNOWN


def _operated(node: ast.BinOp, names: Names, depth: int) -> Any:
    left, right = value_of(node.left, names, depth), value_of(node.right, names, depth)
    work = _OPERATORS.get(type(node.op))
    if isinstance(left, str) and isinstance(right, str) and isinstance(node.op, ast.Add):
        return left + right if len(left) + len(right) <= LONGEST else UNKNOWN
    if work is None or not all(isinstance(side, int | float) for side in (left, right)):
        return UNKNOWN
    made = work(left, right)
    return made if abs(made) < LARGEST else UNKNOWN


def _joined(node: ast.JoinedStr, names: Names, depth: int) -> Any:
    texts = []
    for part in node.values:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        text = value_of(inner, names, depth)
        if text is UNKNOWN or (isinstance(part, ast.FormattedValue) and part.format_spec is not None):
            return UNKNOWN
        texts.append(str(text))
    joined = "".join(texts)
    return joined if len(joined) <= LONGEST else UNKNOWN


def _item(node: ast.Subscript, names: Names, depth: int) -> Any:
    root: ast.AST = node.value
    while isinstance(root, ast.Subscript):
        root = root.value
    if not isinstance(root, ast.Name) or root.id in names.bindings.filled:
        return UNKNOWN
    owner, key = value_of(node.value, names, depth), value_of(node.slice, names, depth)
    return owner[key] if isinstance(owner, dict | list) and key is not UNKNOWN else UNKNOWN


def _called(node: ast.Call, names: Names, _depth: int) -> Any:
    """Return torch's types that are asked for by their names."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name))]):
            return name if names.imported(owner) == "torch" else UNKNOWN
    return UNKNOWN


def _attribute(node: ast.Attribute, names: Names, depth: int) -> Any:
    """Return torch's types by their names, and what a class of constants has."""
    name = names.imported(node)
    if name.startswith("torch."):
        return name.removeprefix("torch.")
    known = names.expression(node.value)
    if known is None or node.attr in names.bindings.set_attributes:
        return UNKNOWN
    owner = known.node
    if (
        isinstance(owner, ast.Call)
        and isinstance(owner.func, ast.Name)
        and not (owner.args or owner.keywords)
    ):
        made = names.reaching(owner.func)
        owner = made.value if made is not None and made.value is not None else owner
    if not isinstance(owner, ast.ClassDef) or owner.bases:
        return UNKNOWN
    bindings = names.bindings.by_name.get((owner, node.attr), [])
    own = bindings[0].value if len(bindings) == 1 and not bindings[0].site.branch else None
    return UNKNOWN if own is None else value_of(own, names, depth)


def _all(values: list[Any]) -> Any:
    return UNKNOWN if any(value is UNKNOWN for value in values) else values


_WORK: Final[Mapping[type[ast.AST], Callable[[Any, Names, int], Any]]] = {
    ast.Constant: _constant, ast.List: _list, ast.Tuple: _list, ast.Set: _list, ast.Dict: _mapping,
    ast.UnaryOp: _signed, ast.BinOp: _operated, ast.JoinedStr: _joined, ast.Subscript: _item,
    ast.Call: _called, ast.Attribute: _attribute,
}  # fmt: skip

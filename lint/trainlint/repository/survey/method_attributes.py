# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A method's attributes: which it reads of its object, and which statements do nothing but keep an option.

`self.only_save_last = opt.get('only_save_last')` is such a statement. It makes nothing and holds nothing that
was not there, so that it matters only where somebody reads the attribute.
"""

from __future__ import annotations

import ast
from typing import Final

from trainlint.repository.survey.constructor_signature import Function, all_arguments
from trainlint.repository.survey.passive_statements import HARMLESS_CALLS, passive

ANY_ATTRIBUTE: Final = "*"
"""Instead of a name: which attributes are read cannot be told."""
ATTRIBUTE_FUNCTIONS: Final = ("getattr", "hasattr", "setattr", "delattr")
HIDDEN_ATTRIBUTES: Final = (
    "__dict__",
    "__getattribute__",
    "__getattr__",
    "__setattr__",
    "__delattr__",
    "__getstate__",
)
OPTIONS: Final = "opt"
"""The attribute in which BasicSR's family keeps its options."""
PLAIN_NODES: Final = (
    ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.IfExp, ast.JoinedStr,
    ast.FormattedValue, ast.List, ast.Tuple, ast.Dict, ast.Subscript, ast.Slice,
)  # fmt: skip
"""Expressions that make nothing large of plain parts."""


def reads_of(node: Function, keeping: Keeping) -> list[str]:
    """Return the attributes that a method names, but to keep an option; ANYTHING where it cannot be told."""
    first = keeping.first
    if first is None:
        return []
    attributes: set[str] = set()
    seen: set[int] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            seen.update(id(name) for name in _named_in(inner, first, attributes))
        elif isinstance(inner, ast.Attribute) and _is(inner.value, first):
            seen.add(id(inner.value))
            if id(inner) not in keeping.targets:
                attributes.add(ANY_ATTRIBUTE if inner.attr in HIDDEN_ATTRIBUTES else inner.attr)
        elif isinstance(inner, ast.Name) and inner.id == first and id(inner) not in seen:
            attributes.add(ANY_ATTRIBUTE)
    return sorted(attributes)


def _named_in(call: ast.Call, first: str, attributes: set[str]) -> list[ast.expr]:
    """Return the uses of `first` in a call that say which attribute they mean: getattr(self, "x")."""
    match call:
        case ast.Call(func=ast.Name(id=name), args=[asked, ast.Constant(value=str(word)), *_]) if (
            name in ATTRIBUTE_FUNCTIONS and _is(asked, first)
        ):
            attributes.add(word)
            return [asked]
        case ast.Call(func=ast.Name(id="super"), args=[ast.Name(), asked]) if _is(asked, first):
            return [asked]
    return []


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


class Keeping:
    """Which statements of a method only keep options."""

    def __init__(self, node: Function, first: str | None) -> None:
        self.first = first
        inner = {
            a.arg
            for n in ast.walk(node)
            if isinstance(n, ast.arguments)
            for a in all_arguments(n)
            if n is not node.args
        }
        built = node.name == "__init__"  # other methods are given what was made
        given = {a.arg for a in all_arguments(node.args)} - {first}
        self.options = given - inner if built else set[str]()
        bound = self._bound(node)
        self.options -= {name for name, only in bound.items() if not only}
        self.options |= {name for name, only in bound.items() if only} - given - inner
        self.targets = {id(target) for line in ast.walk(node) for target in self._targets(line)}
        """The attributes that are written by such statements."""

    def _bound(self, node: Function) -> dict[str, bool]:
        """Return which names are bound, and whether to options alone: train_opt = self.opt['train']."""
        plainly = {
            id(line.targets[0])
            for line in ast.walk(node)
            if isinstance(line, ast.Assign) and len(line.targets) == 1 and self.plain(line.value)
        }
        kept: dict[str, bool] = {}
        for name in ast.walk(node):
            if isinstance(name, ast.Name) and not isinstance(name.ctx, ast.Load):
                kept[name.id] = kept.get(name.id, True) and id(name) in plainly
        return kept

    def kept(self, node: ast.stmt) -> frozenset[str] | None:
        """Return the attributes that a statement keeps options in; None where it does anything else."""
        if isinstance(node, ast.If) and self.plain(node.test, asking=True):
            return self._all([line for line in (*node.body, *node.orelse) if not passive(line)])
        return frozenset(target.attr for target in self._targets(node)) or None

    def _all(self, body: list[ast.stmt]) -> frozenset[str] | None:
        kept = [self.kept(line) for line in body]
        known = [names for names in kept if names is not None]
        return frozenset().union(*known) if known and len(known) == len(kept) else None

    def _targets(self, node: ast.AST) -> list[ast.Attribute]:
        """Return the attributes that an assignment sets to what is made of options alone."""
        match node:
            case ast.Assign(targets=targets, value=value) if self.plain(value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value) if self.plain(value):
                targets = [target]
            case _:
                return []
        own = [t for t in targets if isinstance(t, ast.Attribute) and _is(t.value, self.first or "")]
        return own if len(own) == len(targets) else []

    def plain(self, node: ast.expr, *, asking: bool = False) -> bool:
        """Return whether an expression is made of constants and options; `asking`, of attributes as well."""
        match node:
            case ast.Name(id=name):
                return name in self.options
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == self.first:
                return asking or attr == OPTIONS
            case ast.Attribute(value=value):
                return self.plain(value, asking=asking)
            case ast.Call(func=ast.Name(id=name)):
                called = name in HARMLESS_CALLS
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                called = attr in (*HARMLESS_CALLS, "get") and self.plain(value, asking=asking)
            case _:
                called = isinstance(node, PLAIN_NODES)
        parts = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
        if isinstance(node, ast.Call):
            parts = [*node.args, *(word.value for word in node.keywords)]
        return called and all(self.plain(part, asking=asking) for part in parts)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the names of a program stand for, as far as its text alone says so; nothing is run.

A name has the value of the assignment that reaches it in any case: one in a branch reaches only what is
in that branch too, and a function sees what its module binds once.
"""

from __future__ import annotations

import ast
from typing import Final, NamedTuple

from trainlint.documents.python_bindings import Bindings, Bound, last_before
from trainlint.files.syntax_tree import parsed

MOST_LINKS: Final = 40
"""Names that lead from one to the next."""
MOST_STEPS: Final = 10_000
"""Expressions of a program that are followed: a training takes some hundred."""


class Expression(NamedTuple):
    """An expression that a name led to, and which of its parts (`model, tokenizer = load()`)."""

    node: ast.AST
    item: int | None = None


class Names:
    """The names of one program; `is_readable` is false for a text that is no Python, or too large."""

    def __init__(self, text: str) -> None:
        tree = parsed(text)
        self.bindings = Bindings(tree or ast.Module([], []))
        self.is_readable = tree is not None and self.bindings.is_whole
        self._called: dict[str, list[ast.Call]] = {}
        for call in self.bindings.calls:
            if isinstance(call.func, ast.Name):
                self._called.setdefault(call.func.id, []).append(call)
        self._left = MOST_STEPS

    def reaching(self, name: ast.Name) -> Bound | None:
        """Return the binding that a name has in any case; None where that is not certain."""
        site = self.bindings.sites[name]
        scope = site.scope
        own = self.bindings.by_name.get((scope, name.id))
        if name.id in self.bindings.shared:
            return None
        if own is not None:
            return last_before(own, site, (name.lineno, name.col_offset))
        while scope is not None:
            scope = self.bindings.sites[scope].scope
            outer = self.bindings.by_name.get((scope, name.id))
            if outer is not None and not isinstance(scope, ast.ClassDef):
                return outer[0] if len(outer) == 1 and not outer[0].site.branch else None
        return None

    def imported(self, node: ast.AST) -> str:
        """Return the full name that an expression has by the program's imports: trl.SFTTrainer, or ""."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute) and len(attributes) < MOST_LINKS:
            attributes.insert(0, node.attr)
            node = node.value
        first = self._imported(node) if isinstance(node, ast.Name) else ""
        return ".".join([first, *attributes]) if first else ""

    def _imported(self, name: ast.Name) -> str:
        scope = self.bindings.sites[name].scope
        while True:
            bindings = self.bindings.by_name.get((scope, name.id))
            if bindings is not None:
                return _import_of(bindings, name.id)
            if scope is None:
                return self._starred(name.id)
            scope = self.bindings.sites[scope].scope

    def _starred(self, name: str) -> str:
        """Return the full name by the one `from module import *` that there is."""
        nodes = [bound.value for bound in self.bindings.by_name.get((None, "*"), ())]
        modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        return f"{modules.pop()}.{name}" if len(modules) == 1 else ""

    def expression(self, node: ast.AST, item: int | None = None, depth: int = 0) -> Expression | None:
        """Return what a name leads to, through names, parameters and functions that return one thing."""
        self._left -= 1
        if depth > MOST_LINKS or self._left < 0:
            return None
        if isinstance(node, ast.Name):
            return self._of_name(node, item, depth)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and self._is_own(node.func):
            returned = self._returned(node.func)
            return None if returned is None else self.expression(returned, item, depth + 1)
        if isinstance(node, ast.Tuple | ast.List) and item is not None:
            return self.expression(node.elts[item], None, depth + 1) if item < len(node.elts) else None
        return Expression(node, item)

    def _of_name(self, name: ast.Name, item: int | None, depth: int) -> Expression | None:
        bound = self.reaching(name)
        if bound is None or (bound.item is not None and item is not None):
            return None
        value = self._argument(bound, name.id) if bound.value is None else bound.value
        if value is None:
            return None
        return self.expression(value, bound.item if item is None else item, depth + 1)

    def _argument(self, bound: Bound, name: str) -> ast.AST | None:
        """Return what the one call of a function gives a parameter."""
        function = bound.site.scope
        if not isinstance(function, ast.FunctionDef) or len(self.bindings.by_name[function, name]) > 1:
            return None
        calls, own = self._called.get(function.name, []), function.args
        if len(calls) != 1 or own.vararg or own.kwarg or function.decorator_list:
            return None
        (call,) = calls
        names = [argument.arg for argument in (*own.posonlyargs, *own.args)]
        given: dict[str | None, ast.expr] = {word.arg: word.value for word in call.keywords}
        if None in given or any(isinstance(argument, ast.Starred) for argument in call.args):
            return None
        given |= dict(zip(names, call.args, strict=False))
        defaults = dict(zip(reversed(names), reversed(own.defaults), strict=False))
        kept = zip(own.kwonlyargs, own.kw_defaults, strict=True)
        defaults |= {argument.arg: value for argument, value in kept if value is not None}
        return given.get(name, defaults.get(name))

    def _is_own(self, function: ast.Name) -> bool:
        """Return whether a name is bound to a function of the program, whichever."""
        bindings = self.bindings.by_name.get((None, function.id), ())
        return any(isinstance(bound.value, ast.FunctionDef | ast.AsyncFunctionDef) for bound in bindings)

    def _returned(self, function: ast.Name) -> ast.AST | None:
        """Return what a function of the program returns, where it has one `return` that is always reached."""
        bound = self.reaching(function)
        if bound is None or not isinstance(bound.value, ast.FunctionDef) or bound.value.decorator_list:
            return None
        returns = self.bindings.returns.get(bound.value, [])
        is_sure = len(returns) == 1 and not self.bindings.sites[returns[0]].branch
        return returns[0].value if is_sure else None


def _import_of(bindings: list[Bound], name: str) -> str:
    """Return the full name that imports bind a name to: the first, where a failed one is made up for."""
    imports = [bound.value for bound in bindings if isinstance(bound.value, ast.Import | ast.ImportFrom)]
    if not imports or any(bound.value is None for bound in bindings):
        return ""
    node = imports[0]
    alias = next(a for a in node.names if (a.asname or a.name.partition(".")[0]) == name)
    if isinstance(node, ast.Import):
        return alias.name if alias.asname else name
    return f"{node.module}.{alias.name}" if node.module and not node.level else ""

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where a program binds its names: each binding with the function and the branch that it is in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

MOST_NODES: Final = 400_000
"""Nodes of a program that is read: one of 250 kB has fewer, if a person wrote it."""
FUNCTION: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_DEFINED: Final = (*FUNCTION, ast.ClassDef)
_LOOP: Final = (ast.For, ast.AsyncFor, ast.While)
_BRANCHING: Final = (ast.If, ast.Try, ast.ExceptHandler, ast.Match, ast.match_case, *_LOOP)
_WITH_TARGET: Final = (ast.For, ast.AsyncFor, ast.AugAssign, ast.NamedExpr, ast.comprehension)
LOOP_VALUE: Final = "loop"

Branch = tuple[tuple[int, str], ...]
"""The statements that may be passed over, from the outermost on, each with the arm of it."""


class Site(NamedTuple):
    """Where something is: in which function (None: the module), and in which branch."""

    scope: ast.AST | None
    branch: Branch


class Bound(NamedTuple):
    """One binding of a name: `value` is None for what is no plain assignment, `item` one of its parts."""

    value: ast.AST | None
    site: Site
    start: tuple[int, int]
    """From where on it holds."""
    item: int | None = None


class Bindings:
    """A program's bindings by function and name, in the order of its text."""

    def __init__(self, tree: ast.Module) -> None:
        self.by_name: dict[tuple[ast.AST | None, str], list[Bound]] = {}
        self.sites: dict[ast.AST, Site] = {}
        self.calls: list[ast.Call] = []
        self.returns: dict[ast.AST | None, list[ast.Return]] = {}
        self.set_attributes: set[str] = set()
        self.filled: set[str] = set()
        """Names of what an item is put into, or taken out of."""
        self.shared: set[str] = set()
        """Names that a function sets outside of itself."""
        self.is_whole = self._walk(tree)

    def _walk(self, tree: ast.Module) -> bool:
        waiting: list[tuple[ast.AST, Site]] = [(tree, Site(None, ()))]
        while waiting:
            node, site = waiting.pop()
            if len(self.sites) >= MOST_NODES:
                return False
            self.sites[node] = site
            self._note_use(node, site)
            self._note_binding(node, site)
            inner = Site(node, ()) if isinstance(node, _DEFINED) else site
            waiting += [(child, _in_arm(node, child, arm, inner)) for arm, child in _children(node)]
        for bindings in self.by_name.values():
            bindings.sort(key=lambda bound: bound.start)
        return True

    def _note_use(self, node: ast.AST, site: Site) -> None:
        """Note calls and returns, and what is changed in place."""
        match node:
            case ast.Call():
                self.calls.append(node)
            case ast.Return():
                self.returns.setdefault(site.scope, []).append(node)
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                self.set_attributes.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                self.filled.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                self.shared.update(names)

    def _note_binding(self, node: ast.AST, site: Site) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value, site)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign(node.target, node.value, site)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                self._bind(alias.asname or alias.name.partition(".")[0], node, node, site)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._bind(node.name, node, node, site)
        else:
            self._note_valueless(node, site)
        if isinstance(node, FUNCTION):
            for argument in _arguments(node.args):
                self._bind(argument.arg, None, node, Site(node, ()))

    def _note_valueless(self, node: ast.AST, site: Site) -> None:
        """Note what binds a name without a plain value: loops, `with`, `del`, `+=`, walruses, patterns."""
        if isinstance(node, _WITH_TARGET):
            self._lose(node.target, site)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._lose(node.optional_vars, site)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._lose(target, site)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            self._bind(node.name, None, node, site)

    def _assign(self, target: ast.expr, value: ast.expr, site: Site) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, value, target, site)
        elif not isinstance(target, ast.Tuple | ast.List):
            return
        elif any(isinstance(element, ast.Starred) for element in target.elts):
            self._lose(target, site)
        elif isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
            for element, own in zip(target.elts, value.elts, strict=True):
                self._assign(element, own, site)
        else:
            for index, element in enumerate(target.elts):
                if isinstance(element, ast.Name):
                    self._bind(element.id, value, element, site, index)
                else:
                    self._lose(element, site)

    def _lose(self, target: ast.AST, site: Site) -> None:
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self._bind(node.id, None, target, site)

    def _bind(
        self, name: str, value: ast.AST | None, where: ast.AST, site: Site, item: int | None = None
    ) -> None:
        is_assigned = value is not None and not isinstance(where, _DEFINED)
        place = value if is_assigned else where  # what is assigned does not see the name yet
        edge = "end_" if is_assigned else ""
        start = (getattr(place, f"{edge}lineno", 0), getattr(place, f"{edge}col_offset", 0))
        self.by_name.setdefault((site.scope, name), []).append(Bound(value, site, start, item))


def last_before(bindings: list[Bound], site: Site, start: tuple[int, int]) -> Bound | None:
    """Return the last binding before a place, if it is reached wherever that place is."""
    before = [bound for bound in bindings if bound.start < start]
    if not before or before[-1].site.branch != site.branch[: len(before[-1].site.branch)]:
        return None
    loops = {step for step in site.branch if step[1] == LOOP_VALUE}
    again = any(loops & set(bound.site.branch) for bound in bindings[len(before) :])
    return None if again else before[-1]


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST):
                yield field, child


def _in_arm(node: ast.AST, child: ast.AST, arm: str, site: Site) -> Site:
    """Return where a child is; what always runs is in no branch: a `try`'s body, a main guard's."""
    always = isinstance(child, ast.expr) or (isinstance(node, ast.Try) and arm in {"body", "finalbody"})
    if not isinstance(node, _BRANCHING) or always or _is_main_guard(node):
        return site
    return Site(site.scope, (*site.branch, (id(node), LOOP_VALUE if isinstance(node, _LOOP) else arm)))


def _is_main_guard(node: ast.AST) -> bool:
    match node:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__")), orelse=[]):
            return True
    return False


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from (argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From classes by name to all that they lead to in a repository: digests, bases, methods, references."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from trainlint.repository.survey.constructor_signature import Function, signature_of
from trainlint.repository.survey.method_attributes import Keeping
from trainlint.repository.survey.module_scope import Found, Scopes
from trainlint.repository.survey.normal_form import Normal, Writer, root_of
from trainlint.repository.survey.passive_statements import passive
from trainlint.repository.survey.python_files import Files, NoPythonError, TooMuchError

MOST_DEFINITIONS: Final = 4_000
"""Definitions that are followed; BasicSR's largest class leads to 130, all of them to 700."""
BUILDERS: Final = "define_[A-Z]|define_Model|create_model"
"""Functions by which trainers without a registry choose a class: each branch imports its own."""
NAMES: Final = 200
"""Names that one question looks for: each is tried on every line that defines something."""
OPEN: Final = "cannot be followed"
Node = dict[str, Any]
UNKNOWN_METHOD: Final[Node] = {"refs": [], "selfs": [], "supers": [], "reads": [], "passes": None}
"""A method of which nothing is known but that it is there."""


class Graph:
    """Definitions by their id (path::name), as plain values.

    `stop` are names of functions and methods that are not followed: they do not shape a step.
    """

    def __init__(self, files: Files, stop: Collection[str] = ()) -> None:
        self.files, self.scopes, self.stop = files, Scopes(files), frozenset(stop)
        self.nodes: dict[str, Node] = {}
        self.waiting: deque[Found] = deque()

    def follow(self, ref: Found) -> str:
        """Enter what a name leads to, and all behind it; returns its id."""
        top = self._enter(ref)
        while self.waiting:
            self._read(self.waiting.popleft())
        return top

    def behind(self, keys: Iterable[str]) -> dict[str, Node]:
        """Return what ids lead to, themselves with it."""
        reached: dict[str, Node] = {}
        waiting = list(keys)
        while waiting:
            key = waiting.pop()
            if key in reached:
                continue
            node = reached[key] = self.nodes[key]
            waiting += [*node.get("refs", ()), *node.get("bases", ())]
            waiting += [ref for method in node.get("methods", {}).values() for ref in method["refs"]]
        return reached

    def _enter(self, ref: Found) -> str:
        key = _id(ref)
        if key not in self.nodes:
            if len(self.nodes) >= MOST_DEFINITIONS:
                raise TooMuchError(f"more than {MOST_DEFINITIONS:,} definitions")
            self.nodes[key] = {"name": ref.last, "path": ref.path, "kind": ref.kind, "full": ref.name}
            if ref.kind == "own" and ref.last not in self.stop:
                self.waiting.append(ref)
        return key

    def _read(self, ref: Found) -> None:
        node = self.nodes[_id(ref)]
        statements = self.scopes.bound(ref.path)[ref.name]
        node["line"] = getattr(statements[-1], "lineno", 1)
        try:
            if len(statements) == 1 and isinstance(statements[0], ast.ClassDef):
                node.update(self._class(ref, statements[0]))
            elif len(statements) == 1 and isinstance(statements[0], Function):
                node.update(kind="function", **self._written(self._function(ref, statements[0], None)))
            else:
                node.update(kind="value", **self._values(ref, statements))
        except RecursionError:
            node.update(kind="unknown")

    def _values(self, ref: Found, statements: list[ast.AST]) -> Node:
        """Write every statement that binds a name; several definitions of one are no definition."""
        writer = Writer(self._resolver(ref.path))
        for statement in statements:
            writer.value(statement)
        return self._written(writer.normal)

    def _class(self, ref: Found, node: ast.ClassDef) -> Node:
        resolve = self._resolver(ref.path)
        bases = [resolve(base) or Found("unknown", ref.path, "?") for base in node.bases]
        methods: dict[str, Node] = {}
        for part in node.body:
            for name, written in self._members(ref, part):
                methods[name] = {"line": part.lineno, **written}
        strange = [word.arg or "**" for word in node.keywords]
        strange += [ast.unparse(d) for d in node.decorator_list if not is_registration(d)]
        return {
            "kind": "class",
            "line": node.lineno,
            "bases": [self._enter(base) for base in bases],
            "methods": methods,
            "strange": strange,
            "registered": bool(node.decorator_list),
            "registries": [_registry(decorator) for decorator in node.decorator_list],
            "signature": signature_of(node, self.scopes.bound(ref.path)),
        }

    def _members(self, ref: Found, part: ast.stmt) -> list[tuple[str, Node]]:
        if isinstance(part, Function):
            if part.name in self.stop:
                return [(part.name, {**UNKNOWN_METHOD, "digest": ""})]
            normal = self._function(ref, part, ref.name)
            passes = _passes_on(part)
            return [(part.name, {**self._written(normal), "passes": passes})]
        if isinstance(part, ast.Assign | ast.AnnAssign):
            writer = Writer(self._resolver(ref.path), ref.name)
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            written = {**self._written(writer.value(part)), "passes": None}
            return [(target.id, written) for target in targets if isinstance(target, ast.Name)]
        if isinstance(part, ast.Pass | ast.Expr):
            return []
        return [("*", {**UNKNOWN_METHOD, "digest": OPEN})]

    def _function(self, ref: Found, node: Function, owner: str | None) -> Normal:
        inner = [n for n in ast.walk(node) if isinstance(n, ast.Import | ast.ImportFrom)]
        return Writer(self._resolver(ref.path, inner), owner).function(node)

    def named(self, path: str, function: Function, names: Collection[str]) -> Iterator[Found]:
        """Yield what a function imports or takes of a module under one of these names."""
        resolve = self._resolver(path)
        for node in ast.walk(function):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if alias.name in names:
                        yield self.scopes.imported(path, node, alias.asname or alias.name)
            elif isinstance(node, ast.Attribute) and node.attr in names and (taken := resolve(node)):
                yield taken

    def _resolver(self, path: str, inner: Collection[ast.Import | ast.ImportFrom] = ()) -> Any:
        local = {alias.asname or alias.name.partition(".")[0]: node for node in inner for alias in node.names}

        def resolve(node: ast.expr) -> Found | None:
            if isinstance(node, ast.Attribute):
                if root_of(node) is None:
                    return None
                above = resolve(node.value)
                if above is None or above.kind not in ("module", "outside"):
                    return None
                return self.scopes.member(above, node.attr)
            if not isinstance(node, ast.Name):
                return None
            if node.id in local:
                return self.scopes.imported(path, local[node.id], node.id)
            return self.scopes.find(path, node.id)

        return resolve

    def _written(self, normal: Normal) -> Node:
        kept = any(keeps is not None for keeps, _ in normal.parts)
        return {
            "digest": normal.digest,
            "refs": [self._enter(ref) for ref in normal.refs],
            "selfs": list(normal.selfs),
            "supers": list(normal.supers),
            "reads": normal.reads,
            **({"parts": normal.digests} if kept else {}),
        }


def _id(ref: Found) -> str:
    return f"{ref.path}::{ref.name}" if ref.kind == "own" else f"{ref.kind}::{ref.name}"


def _registry(node: ast.expr) -> str | None:
    """Return the name of the registry into which a decorator enters a class."""
    return root_of(node.func if isinstance(node, ast.Call) else node) if is_registration(node) else None


def is_registration(node: ast.expr) -> bool:
    """Return whether a decorator only enters a class into a registry: @ARCH_REGISTRY.register()."""
    call = node.func if isinstance(node, ast.Call) else node
    return isinstance(call, ast.Attribute) and call.attr in ("register", "register_module")


def _passes_on(node: Function) -> list[str] | None:
    """Return which attributes may not be read for a method to only call the one that it overrides.

    None where it does more than that, or calls it with other arguments than its own.
    """
    names = [argument.arg for argument in node.args.args]
    keeping = Keeping(node, names[0] if names else None)
    kept = [(line, keeping.kept(line)) for line in node.body if not passive(line)]
    body = [line for line, attributes in kept if attributes is None]
    if len(body) != 1 or node.decorator_list or not isinstance(body[0], ast.Expr | ast.Return):
        return None
    match body[0].value:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name), args=args, keywords=[]
        ):
            plain = not (node.args.kwonlyargs or node.args.vararg or node.args.kwarg)
            same = names[1:] == [a.id for a in args if isinstance(a, ast.Name)]
            if name == node.name and plain and same:
                return sorted({attribute for _, attributes in kept if attributes for attribute in attributes})
    return None


def definitions(graph: Graph, names: Collection[str]) -> Mapping[str, list[Found]]:
    """Return name -> where classes and functions of that name are defined at the top of a file."""
    wanted = [name for name in names if name.isidentifier()]
    if not wanted:
        return {}
    if len(wanted) > NAMES:
        raise TooMuchError(f"more than {NAMES} classes are asked for")
    places: dict[str, list[Found]] = {}
    pattern = rf"^[ \t]*(?:class|def)[ \t]+(?:{'|'.join(wanted)})\b"
    unread: list[str] = []
    for path in graph.files.having(pattern):
        bound = graph.scopes.bound(path)
        unread += [path] if graph.files.tree(path) is None else []
        for name in wanted:
            if any(isinstance(node, ast.ClassDef | Function) for node in bound.get(name, ())):
                places.setdefault(name, []).append(Found("own", path, name))
    lost = rf"^class[ \t]+({'|'.join(name for name in wanted if name not in places) or '-'})\b"
    for path in unread:
        if match := re.search(lost, graph.files.texts[path], re.MULTILINE):
            raise NoPythonError(path, match[1], graph.files.texts[path])
    return places


def built(graph: Graph, names: Collection[str]) -> set[str]:
    """Return the ids of what the functions that choose a class import or name under one of these names."""
    keys: set[str] = set()
    for path in graph.files.having(rf"^def (?:{BUILDERS})\b") if names else ():
        for name, statements in graph.scopes.bound(path).items():
            functions = [node for node in statements if isinstance(node, Function)]
            if re.fullmatch(BUILDERS, name):
                keys.update(_id(ref) for node in functions for ref in graph.named(path, node, names))
    return keys

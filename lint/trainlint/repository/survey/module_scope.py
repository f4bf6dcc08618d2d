# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The names of a module: what each is bound to, and where an import leads."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from trainlint.repository.survey.python_files import Files

BUILTINS: Final = frozenset(dir(builtins)) | {"copyright", "credits", "exit", "license", "quit"}
"""With those that the module site adds, which the reading process starts without."""
MOST_NESTED_IMPORTS: Final = 20
"""Imports of imports that are followed."""


@dataclass(frozen=True)
class Found:
    """What a name leads to.

    `kind` is own (a definition in `path`), module (of the repository), outside (`name` is its full name),
    builtin or unknown.
    """

    kind: str
    path: str
    name: str

    @property
    def last(self) -> str:
        """The last part of its name, the same wherever the file is."""
        return self.name.rpartition(".")[2]


class Scopes:
    """The module-level names of a repository's files."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self._bound: dict[str, dict[str, list[ast.AST]]] = {}

    def bound(self, path: str) -> dict[str, list[ast.AST]]:
        """Return name -> the statements that bind it at the top of a file, however they are nested."""
        if path not in self._bound:
            tree = self.files.tree(path)
            statements: dict[str, list[ast.AST]] = {}
            for name, node in _bindings(tree.body if tree else []):
                statements.setdefault(name, []).append(node)
            self._bound[path] = statements
        return self._bound[path]

    def find(self, path: str, name: str, depth: int = 0) -> Found:
        """Return what a name means at the top of a file."""
        nodes = self.bound(path).get(name)
        self.files.step(len(nodes or "-"))
        if nodes is None:
            return self._starred(path, name, depth)
        if len(nodes) == 1 and isinstance(nodes[0], ast.Import | ast.ImportFrom):
            return self.imported(path, nodes[0], name, depth)
        if len(nodes) == 1 and (dotted := _loaded_module(nodes[0])):
            return self._module(path, dotted)
        imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        if imports:
            targets = {self.imported(path, node, name, depth) for node in imports}
            others = [node for node in nodes if node not in imports]
            same = len(targets) == 1 and all(map(_is_nothing, others))
            return targets.pop() if same else Found("unknown", path, name)
        return Found("own", path, name)

    def imported(self, path: str, node: ast.Import | ast.ImportFrom, name: str, depth: int = 0) -> Found:
        """Return what an import statement binds a name to."""
        self.files.step(len(node.names))
        alias = next(a for a in node.names if (a.asname or a.name.partition(".")[0]) == name)
        if isinstance(node, ast.Import):
            return self._module(path, alias.name if alias.asname else name)
        dotted = _absolute(path, node)
        if dotted is None or depth > MOST_NESTED_IMPORTS:
            return Found("unknown", path, name)
        inner = self.files.module(f"{dotted}.{alias.name}" if dotted else alias.name, path)
        target = self.files.module(dotted, path) if dotted else None
        if target and alias.name in self.bound(target):
            return self.find(target, alias.name, depth + 1)
        if inner:
            return Found("module", inner, alias.name)
        starred = self._starred(target, alias.name, depth + 1) if target else None
        return starred or Found("outside", path, f"{dotted}.{alias.name}")

    def member(self, target: Found, name: str) -> Found:
        """Return what `name` means in a module that was found."""
        if target.kind == "outside":
            return Found("outside", target.path, f"{target.name}.{name}")
        if target.kind != "module":
            return Found("unknown", target.path, name)
        if name in self.bound(target.path):
            return self.find(target.path, name)
        folder = target.path.removesuffix("/__init__.py")
        inner = self.files.module(f"{folder}/{name}".replace("/", ".")) if folder != target.path else None
        return Found("module", inner, name) if inner else self._starred(target.path, name, 0)

    def _module(self, path: str, dotted: str) -> Found:
        own = self.files.module(dotted, path)
        return Found("module", own, dotted) if own else Found("outside", path, dotted)

    def _starred(self, path: str, name: str, depth: int) -> Found:
        """Look for a name in what a file imports with a star."""
        if depth > MOST_NESTED_IMPORTS:
            return Found("unknown", path, name)
        stars = self.bound(path).get("*", [])
        self.files.step(len(stars))
        for node in stars:
            dotted = _absolute(path, node) if isinstance(node, ast.ImportFrom) else None
            target = self.files.module(dotted, path) if dotted else None
            if target and target != path and name in self.bound(target):
                return self.find(target, name, depth + 1)
        if name in BUILTINS and not stars:
            return Found("builtin", path, name)
        return Found("unknown", path, name)


def _bindings(body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((a.asname or a.name.partition(".")[0], node) for a in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = (n for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))
            yield from ((name.id, node) for name in names if isinstance(name.ctx, ast.Store))
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While | ast.ExceptHandler):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _is_nothing(node: ast.AST) -> bool:
    """Return whether a name is bound to what cannot work in the place of a failed import."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=None) | ast.Name(id="object")):
            return True
    return False


def _loaded_module(node: ast.AST) -> str | None:
    """Return the module of `name = importlib.import_module("module")`."""
    match node:
        case ast.Assign(
            targets=[ast.Name()],
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id="importlib"), attr="import_module"),
                args=[ast.Constant(value=str(dotted))],
            ),
        ):
            return dotted
    return None


def _absolute(path: str, node: ast.ImportFrom) -> str | None:
    """Return the full name of the module that is imported from, as seen from the repository's root."""
    if not node.level:
        return node.module or ""
    parts = path.split("/")[:-1]
    if node.level - 1 > len(parts):
        return None
    above = parts[: len(parts) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])

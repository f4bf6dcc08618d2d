# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A definition's normal form: equal for two that do the same in the same words.

Removed are comments, docstrings, annotations, imports and lines that only log; local variables are numbered.
Attributes, arguments, constants and the names of what is called stay; a name from elsewhere becomes what
it leads to, by its full name outside of the repository and by its last one inside.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Final

from trainlint.repository.survey.constructor_signature import Function, all_arguments
from trainlint.repository.survey.method_attributes import Keeping, reads_of
from trainlint.repository.survey.module_scope import Found
from trainlint.repository.survey.passive_statements import passive

DIGEST_DIGITS: Final = 16
"""Hexadecimal digits of a digest, 64 bits: who forges one deceives trainlint about their own tree."""
FURTHER_MARK: Final = "+"
"""The mark of a method that is called on the super() of another class: it may be any further up."""
IGNORED_FIELDS: Final = ("annotation", "returns", "type_comment", "type_params", "kind", "ctx", "lineno")


@dataclass
class Normal:
    """A normal form as it grows: its words by statement, and what it leads to.

    A part of the words has the attributes in which its statement only keeps options, or None
    (method_attributes.py). `selfs` are the attributes of the first argument that are named, `reads` those
    that are read, `supers` the methods called on super(), with a mark where that is another class's.
    """

    parts: list[tuple[frozenset[str] | None, list[str]]] = field(default_factory=lambda: [(None, [])])
    refs: dict[Found, None] = field(default_factory=dict)
    selfs: dict[str, None] = field(default_factory=dict)
    supers: dict[str, None] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)

    def begin(self, keeps: frozenset[str] | None) -> None:
        """Begin another part."""
        if self.parts[-1][1]:
            self.parts.append((keeps, []))
        else:
            self.parts[-1] = (keeps, [])

    @property
    def digests(self) -> list[tuple[list[str] | None, str]]:
        """Each part's attributes and digest."""
        return [(keeps if keeps is None else sorted(keeps), _digest(words)) for keeps, words in self.parts]

    @property
    def digest(self) -> str:
        """The digest of all."""
        return digest_of(self.digests)


def _digest(words: Collection[str]) -> str:
    return hashlib.sha256("\0".join(words).encode("utf-8", "replace")).hexdigest()[:DIGEST_DIGITS]


def digest_of(parts: Collection[Any], unread: Collection[str] = ()) -> str:
    """Return one digest of a function's parts, without those that keep options which are not read."""
    return _digest([digest for keeps, digest in parts if keeps is None or not set(keeps) <= set(unread)])


Resolve = Callable[[ast.expr], Found | None]
"""A name, or a chain of attributes from one -> what it leads to; None for what is no module's."""


class Writer:
    """Writes the normal form of one definition."""

    def __init__(self, resolve: Resolve, owner: str | None = None) -> None:
        self.resolve, self.owner = resolve, owner
        self.normal = Normal()
        self.first: str | None = None
        self.keeping: Keeping | None = None
        self.kept: frozenset[str] = frozenset()
        self.numbers: dict[str, int] = {}
        self.local: frozenset[str] = frozenset()

    def function(self, node: Function) -> Normal:
        """Write a function or method."""
        self.kept = frozenset(
            a.arg for n in ast.walk(node) if isinstance(n, ast.arguments) for a in all_arguments(n)
        )
        stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        stored |= {n.name for n in ast.walk(node) if isinstance(n, Function) and n is not node}
        stored |= {n.name for n in ast.walk(node) if isinstance(n, ast.ExceptHandler) and n.name}
        free = {name for n in ast.walk(node) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
        self.local = frozenset(stored - free - self.kept)
        names = all_arguments(node.args)
        bound = self.owner is not None and not any(_is_static(decorator) for decorator in node.decorator_list)
        self.first = names[0].arg if names and bound else None
        self.keeping = Keeping(node, self.first)
        self.normal.reads = reads_of(node, self.keeping)
        for decorator in node.decorator_list:
            self._node(decorator)
        self._node(node.args)
        self._body(node.body)
        return self.normal

    def value(self, node: ast.AST) -> Normal:
        """Write a statement at the top of a module or class."""
        self._node(node)
        return self.normal

    def _word(self, *words: str) -> None:
        self.normal.parts[-1][1].extend(words)

    def _body(self, body: list[ast.stmt]) -> None:
        around = self.normal.parts[-1][0]
        for node in body:
            if not passive(node):
                self.normal.begin(self.keeping.kept(node) if self.keeping else None)
                self._node(node)
        self.normal.begin(around)
        self._word(";")

    def _node(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name | ast.Attribute) and self._named(node):
            return
        if isinstance(node, ast.Call) and self._super(node):
            return
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._word("Assign")
                self._node(node.target)
                self._node(node.value)
            return
        self._word(type(node).__name__)
        for name, value in ast.iter_fields(node):
            if name not in IGNORED_FIELDS:
                self._field(name, value, node)
        self._word(")")

    def _field(self, name: str, value: object, node: ast.AST) -> None:
        if isinstance(value, ast.AST):
            self._node(value)
        elif isinstance(value, list):
            if value and isinstance(value[0], ast.stmt):
                self._body(value)
                return
            for item in value:
                if isinstance(item, ast.AST):
                    self._node(item)
                else:
                    self._word(repr(item))
            self._word("]")
        elif name in ("name", "id") and isinstance(value, str) and value in self.local:
            self._word(self._number(value))
        elif name == "name" and isinstance(node, ast.ClassDef):
            self._word("class")
        else:
            self._word(f"{name}={type(value).__name__}:{value!r}")

    def _number(self, name: str) -> str:
        return f"${self.numbers.setdefault(name, len(self.numbers))}"

    def _named(self, node: ast.Name | ast.Attribute) -> bool:
        """Write a name from elsewhere by what it leads to; False for any other."""
        if isinstance(node, ast.Name):
            if node.id in self.local:
                self._word(self._number(node.id))
                return True
            if node.id in self.kept:
                self._word(f"argument {node.id}")
                return True
        elif isinstance(node.value, ast.Name) and node.value.id == self.first and self.first:
            self.normal.selfs[node.attr] = None
        root = root_of(node)
        if root is None or root in self.local or root in self.kept:
            return False
        ref = self.resolve(node)
        if ref is None or ref.kind == "module":
            return False
        if ref.kind != "builtin":
            self.normal.refs[ref] = None
        same = ref.kind == "own" or ref.name.partition(".")[0] in FAMILY
        self._word(f"{'own' if same else ref.kind}:{ref.last if same else ref.name}")
        return True

    def _super(self, node: ast.Call) -> bool:
        """Write super(), however it is spelt, and note which method is called on it."""
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=args), attr=name)
            ):
                own = not args or (isinstance(args[0], ast.Name) and args[0].id == self.owner)
                self.normal.supers[name if own else f"{FURTHER_MARK}{name}"] = None
            case ast.Call(func=ast.Name(id="super"), args=[]):
                self._word("super()")
                return True
            case ast.Call(func=ast.Name(id="super"), args=[ast.Name(id=owner), ast.Name()]):
                self._word("super()" if owner == self.owner else f"super({owner})")
                return True
        return False


def _is_static(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id == "staticmethod"


FAMILY: Final = ("basicsr", "realesrgan", "gfpgan")
"""Packages that are in some repositories and are installed for others."""


def root_of(node: ast.AST) -> str | None:
    """Return the name that a chain of attributes begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Options declared as classes, read from their syntax trees: which keys there are, what they take."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from trainlint.catalogue.annotation import fits

MAPPINGS = ("dict", "Dict", "Mapping", "OrderedDict")
SEQUENCES = ("list", "List", "tuple", "Tuple", "Sequence", "set", "frozenset")


CHECKED_BASE = "Struct"
"""The base of classes whose loader (msgspec's) refuses what is not of a field's type."""
ROOTS = (CHECKED_BASE, "BaseModel", "BaseSettings", "TypedDict", "NamedTuple", "Generic", "ABC", "object")
"""Bases that have no fields of their own."""


@dataclass(frozen=True, slots=True)
class Field:
    """A struct's field: its annotation, and whether it may be left out: it then has a value, not None.

    `checked`: a value of another type is refused.
    """

    annotation: ast.expr
    optional: bool
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Struct:
    """A class's own fields; `strict` where it says that unknown keys are refused.

    `open`: what its fields are called in a file, or what a base has, is not known.
    """

    bases: tuple[str, ...]
    fields: Mapping[str, Field]
    strict: bool
    open: bool = False


@dataclass(frozen=True)
class Structs:
    """The structs of one file, and the one that a whole config is."""

    classes: Mapping[str, Struct]
    root: str

    def field(self, path: tuple[str | int, ...]) -> Field | bool | None:
        """Return the field at a path; False where a struct refuses the key, None where it cannot be told."""
        here: list[ast.expr] = [ast.Name(self.root)]
        field: Field | bool | None = None
        for step in path:
            field = self._step(here, step)
            if not isinstance(field, Field):
                return field
            here = list(self._types(field.annotation))
        return field

    def admits(self, path: tuple[str | int, ...], value: Any) -> bool | None:
        """Return whether the field at a path takes a value; None where it cannot be told."""
        field = self.field(path)
        if not isinstance(field, Field) or not field.checked:
            return None
        kinds = list(self._types(field.annotation))
        plain = all(isinstance(kind, ast.Name | ast.Subscript | ast.Constant) for kind in kinds)
        if not plain or any(isinstance(kind, ast.Name) and kind.id in ("Any", "object") for kind in kinds):
            return None
        return any(_strictly(kind, value) for kind in kinds)

    def _step(self, here: list[ast.expr], step: str | int) -> Field | bool | None:
        refused = False
        for kind in here:
            match kind:
                case ast.Name(id=name) if name in self.classes:
                    whole = self._all(name)
                    if step in whole.fields:
                        return whole.fields[str(step)]
                    if whole.open:
                        return None
                    refused = refused or whole.strict
                case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=[_, inner])) if (
                    name in MAPPINGS
                ):
                    return Field(inner, optional=True)
                case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in SEQUENCES:
                    item = inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner
                    return Field(item, optional=True)
        return False if refused else None

    def _all(self, name: str, depth: int = 0) -> Struct:
        """Return a class with its bases' fields and what they say of unknown keys."""
        struct = self.classes[name]
        fields: dict[str, Field] = {}
        strict, unsure, roots = struct.strict, struct.open, set[str]()
        for base in struct.bases if depth < len(self.classes) else ():
            if base not in self.classes:
                roots.add(base)
                continue
            above = self._all(base, depth + 1)
            fields |= above.fields
            strict, unsure = strict or above.strict, unsure or above.open
            roots.update(above.bases)
        checked = CHECKED_BASE in roots
        own = {key: replace(field, checked=checked) for key, field in struct.fields.items()}
        return Struct(tuple(roots), {**fields, **own}, strict, unsure or not roots <= set(ROOTS))

    def _types(self, annotation: ast.expr) -> Iterator[ast.expr]:
        """Yield what an annotation is made of: of a union its members, of Annotated what it annotates."""
        match annotation:
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                yield from self._types(left)
                yield from self._types(right)
            case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[inner, *_])):
                yield from self._types(inner)
            case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
                yield from self._types(inner)
                yield ast.Constant(None)
            case ast.Subscript(value=ast.Name(id="Union"), slice=ast.Tuple(elts=members)):
                for member in members:
                    yield from self._types(member)
            case _:
                yield annotation


def _strictly(kind: ast.expr, value: Any) -> bool:
    """Return whether msgspec takes a value for a type: it converts none, and a boolean is not a number."""
    if isinstance(kind, ast.Name) and kind.id == "bool":
        return isinstance(value, bool)
    return fits(kind, value)


def structs_of(classes: Mapping[str, Any] | None, root: str) -> Structs | None:
    """Return a file's structs as survey/annotated_classes.py gives them; None without `root`."""
    if classes is None or root not in classes:
        return None
    return Structs({name: _struct(description) for name, description in classes.items()}, root)


def _struct(description: Mapping[str, Any]) -> Struct:
    fields = {
        name: Field(ast.parse(annotation, mode="eval").body, optional)
        for name, (annotation, optional) in description["fields"].items()
    }
    return Struct(tuple(description["bases"]), fields, description["strict"], description["renamed"])

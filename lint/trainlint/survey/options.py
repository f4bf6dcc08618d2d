# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file's classes with annotated fields (msgspec structs and their like), as plain values."""

from __future__ import annotations

import ast
from typing import Any, Final

from trainlint.survey.files import Files

ANNOTATION: Final = 2000
"""Characters of an annotation; the longest of traiNNer-redux's options has 320."""


def options_of(files: Files, path: str) -> dict[str, Any] | None:
    """Return the classes of a file; None where it cannot be read."""
    tree = files.tree(path) if path in files.texts else None
    return None if tree is None else classes_in(tree)


def classes_in(tree: ast.Module) -> dict[str, Any]:
    """Return class -> {bases, strict, fields: {name: [annotation, has a value when absent]}}.

    A field whose annotation is too long has "object" in its place: it takes anything.
    """
    return {node.name: _class(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _class(node: ast.ClassDef) -> dict[str, Any]:
    fields = {
        line.target.id: [_shown(line.annotation), _has_default(line.value)]
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }
    strict = any(
        word.arg == "forbid_unknown_fields"
        and isinstance(word.value, ast.Constant)
        and bool(word.value.value)
        for word in node.keywords
    )
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return {"bases": bases, "strict": strict, "fields": fields}


def _shown(annotation: ast.expr) -> str:
    text = ast.unparse(annotation)
    return text if len(text) <= ANNOTATION else "object"


def _has_default(value: ast.expr | None) -> bool:
    """Return whether a field has a value when it is absent; with None the code that reads it decides."""
    if isinstance(value, ast.Call) and getattr(value.func, "id", getattr(value.func, "attr", "")) == "field":
        return any(
            word.arg in ("default", "default_factory") and not _is_none(word.value) for word in value.keywords
        )
    return value is not None and not _is_none(value)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None

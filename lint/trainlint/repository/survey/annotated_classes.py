# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Classes with annotated fields (msgspec structs, pydantic models, dataclasses), as plain values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, Final

from trainlint.repository.survey.python_files import Files

ANNOTATION: Final = 2000
"""Characters of an annotation; the longest of traiNNer-redux's options has 320."""


FIELDS: Final = ("field", "Field")
RENAMING_SETTINGS: Final = ("rename", "alias_generator")
"""Settings by which all fields are called otherwise: msgspec's, pydantic's."""
ALIASES: Final = ("name", "alias", "validation_alias")
"""Keywords by which a field is called otherwise in a file: msgspec's, pydantic's."""


def declares(files: Files, name: str) -> bool:
    """Return whether a class anywhere in a repository has a field of a name, or one that files call so.

    Networks are left out: their annotations are attributes, not options.
    """
    word = re.escape(name)
    pattern = rf"""^[ \t]+{word}[ \t]*:|\b(?:{"|".join(ALIASES)})[ \t]*=[ \t]*["']{word}["']"""
    trees = (files.tree(path) for path in files.having(pattern))
    classes = (node for tree in trees if tree for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return any(name in _class(node)["fields"] for node in classes if "Module" not in _bases(node))


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
        name: [_shown(line.annotation), _has_default(line.value)]
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        for name in (line.target.id, *_aliases(line.value))
    }
    return {
        "bases": _bases(node),
        "strict": any(_refuses(word) for word in _settings(node)),
        "renamed": any(word.arg in RENAMING_SETTINGS for word in _settings(node)),
        "fields": fields,
    }


def _bases(node: ast.ClassDef) -> list[str]:
    """Return the last words of a class's bases: BaseModel of pydantic.BaseModel."""
    names = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
    return [getattr(base, "attr", getattr(base, "id", "?")) for base in names]


def _settings(node: ast.ClassDef) -> Iterator[ast.keyword]:
    """Yield what a class says of all its fields: keywords, model_config, what an inner Config has."""
    yield from node.keywords
    inner = [part for part in node.body if isinstance(part, ast.ClassDef) and part.name == "Config"]
    for line in [*node.body, *(part for block in inner for part in block.body)]:
        match line:
            case ast.Assign(targets=[ast.Name(id="model_config")], value=ast.Call(keywords=keywords)):
                yield from keywords
            case ast.Assign(targets=[ast.Name(id="model_config")], value=ast.Dict(keys=keys, values=values)):
                pairs = zip(keys, values, strict=True)
                yield from (ast.keyword(str(k.value), v) for k, v in pairs if isinstance(k, ast.Constant))
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if line not in node.body:
                yield ast.keyword(name, value)


def _refuses(word: ast.keyword) -> bool:
    """Return whether a setting refuses unknown keys: msgspec's forbid_unknown_fields, pydantic's extra."""
    value = word.value.value if isinstance(word.value, ast.Constant) else getattr(word.value, "attr", None)
    if word.arg == "extra":
        return value == "forbid"
    return word.arg == "forbid_unknown_fields" and bool(value)


def _aliases(value: ast.expr | None) -> Iterator[str]:
    """Yield how a field is called in a file besides its own name: field(name=...), Field(alias=...)."""
    for word in value.keywords if isinstance(value, ast.Call) else ():
        if word.arg in ALIASES and isinstance(word.value, ast.Constant) and isinstance(word.value.value, str):
            yield word.value.value


def _shown(annotation: ast.expr) -> str:
    text = ast.unparse(annotation)
    return text if len(text) <= ANNOTATION else "object"


def _has_default(value: ast.expr | None) -> bool:
    """Return whether a field has a value when it is absent; with None the code that reads it decides."""
    if isinstance(value, ast.Call) and getattr(value.func, "id", getattr(value.func, "attr", "")) in FIELDS:
        if value.args and isinstance(value.args[0], ast.Constant) and value.args[0].value is not None:
            return value.args[0].value is not ...
        return any(
            word.arg in ("default", "default_factory") and not _is_none(word.value) for word in value.keywords
        )
    return value is not None and not _is_none(value)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None

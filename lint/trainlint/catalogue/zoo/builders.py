# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks in a file that says so in `BUILDERS`, read from its syntax tree: the file imports torch."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from trainlint.catalogue.zoo.network_signature import Location, Param, Signature
from trainlint.errors import UsageError
from trainlint.expressions.patterns import later

Definition = ast.FunctionDef | ast.ClassDef

_MISSING = object()
_TABLE = later(r"^BUILDERS[^=\n]*= (?:\{[^\n]*\}|\{\n.*?^\})$", re.MULTILINE | re.DOTALL)
"""A file's BUILDERS, on one line or closed by a brace on a line of its own."""


def location(file: Path, name: str) -> Location | None:
    """Return what a file builds under a name; UsageError where it cannot be read."""
    entry = listing(file, "BUILDERS", name).get(name)
    if entry is None:
        return None
    match (entry,) if isinstance(entry, str) else entry:
        case (str(), *rest) as parts if len(rest) <= len(("defaults", "lacking")):
            return Location(file, *parts)
        case _:
            return Location(file, "")  # which catalogue/zoo/file_check.py refuses at its line


def names(file: Path) -> Iterator[str]:
    """Yield the names in a file's BUILDERS, of which alone the text is parsed: whole files take a second."""
    match = _TABLE.search(text_of(file))
    node = ast.parse(match[0]).body[0] if match else None
    if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
        keys = (key.value for key in node.value.keys if isinstance(key, ast.Constant))
        yield from (key for key in keys if isinstance(key, str))


def forget() -> None:
    """Read every file again when it is asked about next."""
    for known in (text_of, tree, listing, constants, constructor):
        known.cache_clear()


@cache
def text_of(file: Path) -> str:
    """Return a file's text; UsageError where it cannot be read."""
    try:
        return file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{file}:{line}: is not UTF-8 text: save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f'cannot read the network file "{file}": {error}') from error


@cache
def tree(file: Path) -> ast.Module:
    """Return a file's syntax tree; UsageError where it is no Python."""
    try:
        return ast.parse(text_of(file))
    except (SyntaxError, ValueError) as error:
        nul = text_of(file).count("\n", 0, text_of(file).find("\0")) + 1
        line = f":{getattr(error, 'lineno', None) or nul}"
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise UsageError(f"{file}{line}: not valid Python: {reason}") from error


@cache
def listing(file: Path, table: str, name: str) -> Mapping[str, Any]:
    """Return a table of a file that quotes `name` somewhere (text is searched first: parsing is slow)."""
    if f'"{name}"' not in text_of(file) and f"'{name}'" not in text_of(file):
        return {}
    entries = constants(file).get(table, {})
    return entries if isinstance(entries, dict) else {}


@cache
def constants(file: Path) -> Mapping[str, Any]:
    """Return a file's module-level names that are literals."""
    values: dict[str, Any] = {}
    for node in tree(file).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = _literal(value, {})
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                values[name] = _literal(value, {})
    return {name: value for name, value in values.items() if value is not _MISSING}


def _literal(node: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return _MISSING


@cache
def constructor(arch: str, file: Path, name: str) -> Signature:
    """Return the signature of a class or function; UsageError where the file does not define it."""
    function = constructor_of(name, definitions(file))
    if function is None:
        raise UsageError(f'the network file "{file}" names "{name}" in BUILDERS but does not define it')
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = [
        *zip(plain, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    params = {a.arg: _param(a, d, constants(file)) for a, d in pairs if a.arg != "self"}
    return Signature(arch, params, open=arguments.kwarg is not None)


def definitions(file: Path) -> Mapping[str, Definition]:
    """Return the classes and functions of a file by name."""
    return {node.name: node for node in tree(file).body if isinstance(node, Definition)}


def constructor_of(name: str, known: Mapping[str, Definition]) -> ast.FunctionDef | None:
    """Return the function, or the class's __init__ (its own or that of a base in the same file)."""
    node = known.get(name)
    if not isinstance(node, ast.ClassDef):
        return node
    for child in node.body:
        if isinstance(child, ast.FunctionDef) and child.name == "__init__":
            return child
    bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in known]
    return constructor_of(bases[0], known) if bases else None


def _param(argument: ast.arg, default: ast.expr | None, names: Mapping[str, Any]) -> Param:
    annotation = argument.annotation
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if default is None:
        return Param(argument.arg, annotation, required=True)
    value = _literal(default, names)
    if value is _MISSING:
        return Param(argument.arg, annotation, readable=False)
    return Param(argument.arg, annotation, value)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in files of networks and recipes, found before one of them is run: UsageError with file and line."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Final, NoReturn

from trainlint.errors import UsageError
from trainlint.zoo.packages import NETWORKS, RECIPES, Package, files, listed, own, packages
from trainlint.zoo.syntax import constructor_of, definitions, tree

TABLES: Final = ("BUILDERS", "RECIPES")
FORMS: Final[Mapping[str, str]] = {
    "BUILDERS": '"NameInConfigs": "ClassHere", or ("ClassHere", {"argument": 1}, ["argument it lacks"])',
    "RECIPES": '"dialect.NameInConfigs": "ClassHere"',
}
"""What an entry of a table looks like."""
IMPORTED: Final = ": from trainlint.signature import Positive"

Entry = tuple[str, ast.expr, ast.expr]
"""A table's name, and the key and value of one of its entries."""


@cache
def installed(kind: str) -> tuple[Path, ...]:
    """Return every installed file of networks, or of recipes; those of extensions are checked before."""
    check([file for package in packages() if package != own() for file in package.files(kind)])
    return files(kind)


def check_named(paths: Sequence[Path]) -> None:
    """Check what the user named: each file, and each folder, lists something, and all of it is right."""
    for path in paths:
        if not any(_tables(file) for file in listed([path])):
            what = "no file in it has" if path.is_dir() else "it has no"
            either = " or ".join(f"{table} = {{{FORMS[table].partition(', or')[0]}}}" for table in TABLES)
            raise UsageError(f'"{path}" brings no network and no recipe: {what} {either}')
    check(listed(paths))


def check_package(package: Package) -> None:
    """Check all files of a package; each file of networks, and each with a training step, has its table."""
    for kind, table in ((NETWORKS, "BUILDERS"), (RECIPES, "RECIPES")):
        for file in package.files(kind):
            expected = kind == NETWORKS or any(map(_is_recipe, tree(file).body))
            if expected and table not in _tables(file):
                _slip(file, tree(file), f"it has no {table}: expected {table} = {{{FORMS[table]}}}")
    check([*package.files(NETWORKS), *package.files(RECIPES)])


def _is_recipe(node: ast.stmt) -> bool:
    """Say whether it is a class that plays a training step."""
    return isinstance(node, ast.ClassDef) and any(
        isinstance(each, ast.FunctionDef) and each.name == "train_step" for each in node.body
    )


def check(among: Sequence[Path]) -> None:
    """Check files: their tables, the classes that these name, and that no name comes twice."""
    seen: dict[tuple[str, str], str] = {}
    for file in among:
        for table, key, value in _entries(file):
            name = key.value if isinstance(key, ast.Constant) else None
            if not isinstance(name, str):
                _slip(file, key, f"a key of {table} is {ast.unparse(key)}, expected a name in quotes")
            if (table, name) in seen:
                _slip(file, key, f'"{name}" is in {table} already, at {seen[table, name]}')
            seen[table, name] = f"{file}:{key.lineno}"
            if table == "BUILDERS":
                _check_network(file, name, value)
            elif not isinstance(value, ast.Constant) or value.value not in _bound(file):
                _slip(
                    file, value, f'{table} builds "{name}" from {ast.unparse(value)}, expected {FORMS[table]}'
                )


def _slip(file: Path, node: ast.AST, message: str) -> NoReturn:
    raise UsageError(f"{file}:{getattr(node, 'lineno', 1)}: {message}")


def _tables(file: Path) -> dict[str, ast.expr]:
    """Return the values of a file's tables by name."""
    found = {}
    for node in tree(file).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in TABLES:
                found[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if name in TABLES:
                found[name] = value
    return found


def _entries(file: Path) -> Iterator[Entry]:
    for table, value in _tables(file).items():
        if not isinstance(value, ast.Dict) or None in value.keys:
            _slip(file, value, f"{table} is read without running the file: write {{{FORMS[table]}}} out")
        yield from ((table, key, each) for key, each in zip(value.keys, value.values, strict=True) if key)


def _check_network(file: Path, name: str, value: ast.expr) -> None:
    """Check one entry of BUILDERS, and the constructor that it names."""
    try:
        written = ast.literal_eval(value)
    except ValueError:
        written = None
    parts = (written,) if isinstance(written, str) else written
    if not _well_formed(parts):
        _slip(
            file, value, f'BUILDERS builds "{name}" from {ast.unparse(value)}, expected {FORMS["BUILDERS"]}'
        )
    known = definitions(file)
    if parts[0] not in known:
        hint = _near(parts[0], known)
        _slip(
            file, value, f'BUILDERS builds "{name}" from "{parts[0]}", which the file does not define{hint}'
        )
    function = constructor_of(parts[0], known)
    if function is None:
        _slip(
            file,
            known[parts[0]],
            f'"{parts[0]}" has no __init__ here: write one with the config\'s arguments',
        )
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    names = [argument.arg for argument in arguments]
    for argument in (each for part in parts[1:] for each in part):
        if argument not in names:
            _slip(file, value, f'"{name}": {parts[0]} takes no argument "{argument}"{_near(argument, names)}')
    for each in arguments:
        _check_annotation(file, each)


def _well_formed(parts: object) -> bool:
    match parts:
        case (str(),) | (str(), dict()):
            return True
        case (str(), dict(), list() | tuple() as lacking):
            return all(isinstance(each, str) for each in lacking)
    return False


def _check_annotation(file: Path, argument: ast.arg) -> None:
    """Refuse an annotation with a name that nothing defines: it would be taken for "any value"."""
    annotation = argument.annotation
    match annotation:
        case ast.Constant(value=str(text)):
            try:
                annotation = ast.parse(text, mode="eval").body
            except SyntaxError:
                _slip(file, argument, f'the annotation of "{argument.arg}" is no type: "{text}"')
    bound = _bound(file)
    for node in ast.walk(annotation) if annotation is not None and "*" not in bound else ():
        if isinstance(node, ast.Name) and node.id not in bound and not hasattr(builtins, node.id):
            hint = IMPORTED if node.id == "Positive" else _near(node.id, [*bound, "Positive"])
            _slip(
                file,
                argument,
                f'the annotation of "{argument.arg}" is "{node.id}", which nothing defines{hint}',
            )


def _bound(file: Path) -> frozenset[str]:
    """Return the names that a file imports, assigns or defines; `*` where it imports all of a module."""
    found = set()
    for node in ast.walk(tree(file)):
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {(each.asname or each.name).partition(".")[0] for each in names}
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
    return frozenset(found)


def _near(word: str, known: Sequence[str] | Mapping[str, object]) -> str:
    near = get_close_matches(word, list(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in files of networks and recipes, found before one of them is run: UsageError with file and line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from trainlint.catalogue.zoo.builders import text_of, tree
from trainlint.catalogue.zoo.file_slip import ENTRY_FORMS, slip
from trainlint.catalogue.zoo.packages import NETWORKS, RECIPES, Package, files, listed, own, packages
from trainlint.errors import UsageError, most_alike
from trainlint.shipped.resource_paths import PACKAGE, resource

TABLES: Final = ("BUILDERS", "RECIPES")
ONE_LETTER: Final = 0.85
"""How alike the name of a table is of which it lacks a letter (0.93), or has another one (0.86)."""

Entry = tuple[str, ast.expr, ast.expr]
"""A table's name, and the key and value of one of its entries."""


def installed(kind: str) -> tuple[Path, ...]:
    """Return every installed file of networks, or of recipes; those of extensions are checked before."""
    brought(kind)
    return files(kind)


@cache
def brought(kind: str) -> tuple[Path, ...]:
    """Return the files of networks, or of recipes, that extensions bring: they are checked before."""
    files = tuple(file for package in packages() if package != own() for file in package.files(kind))
    check(files)
    return files


def check_named(paths: Sequence[Path], schemas: Sequence[Path] = ()) -> None:
    """Check what the user named: each file, and each folder, lists something, and all of it is right.

    `schemas` are the files and folders of the user's dialects, besides those of trainlint and of packages.
    """
    for path in paths:
        if not any(any(entries(file)) for file in listed([path])):
            what = "no file in it has" if path.is_dir() else "it has no"
            either = " or ".join(
                f"{table} = {{{ENTRY_FORMS[table].partition(', or')[0]}}}" for table in TABLES
            )
            raise UsageError(f'"{path}" brings no network and no recipe: {what} {either}')
    check(listed(paths))
    brought_schemas = (package.folder / "schemas" for package in packages())
    check_dialects(listed(paths), [*schemas, *brought_schemas])


def check_package(package: Package) -> None:
    """Check all files of a package; each file of networks, and each with a training step, has its table."""
    for kind in (NETWORKS, RECIPES):
        check_tables(package, kind)
    check([*package.files(NETWORKS), *package.files(RECIPES)])
    check_dialects([*package.files(NETWORKS), *package.files(RECIPES)], [package.folder / "schemas"])


def check_dialects(among: Iterable[Path], schemas: Sequence[Path]) -> None:
    """Refuse a recipe whose name begins with no dialect, and a network whose name does before a colon."""
    from trainlint.catalogue.zoo.recipe_check import check_dialect  # noqa: PLC0415  # for files that are not ours alone

    for file in among:
        for table, key, _ in entries(file):
            sign = "." if table == "RECIPES" else ":"
            name = key.value if isinstance(key, ast.Constant) else None
            if isinstance(name, str) and (table == "RECIPES" or sign in name):
                check_dialect(schemas, file, key, name, sign)


def check_tables(package: Package, kind: str) -> None:
    """Refuse a file of networks, and one with a training step, that has no table of what it brings."""
    table = "BUILDERS" if kind == NETWORKS else "RECIPES"
    for file in package.files(kind):
        if re.search(rf"^{table}\b[^=\n]*= *\{{", text_of(file), re.MULTILINE):
            continue
        if table in _tables(file):
            check([file])
        elif kind == NETWORKS or any(map(_is_recipe, tree(file).body)):
            slip(file, tree(file), f"it has no {table}: expected {table} = {{{ENTRY_FORMS[table]}}}")


@cache
def check_all_tables(kind: str) -> None:
    """Do the same for every package: what no table lists may have no table, or another name.

    A wheel's files were checked before it was built.
    """
    for package in packages():
        if package != own() or resource("rules").parent != PACKAGE:
            check_tables(package, kind)
            check_dialects(package.files(kind), [package.folder / "schemas"])


def _is_recipe(node: ast.stmt) -> bool:
    """Say whether it is a class that plays a training step."""
    return isinstance(node, ast.ClassDef) and any(
        isinstance(statement, ast.FunctionDef) and statement.name == "train_step" for statement in node.body
    )


def check(among: Sequence[Path]) -> None:
    """Check files: their tables, the classes that these name, and that no name comes twice."""
    if not among:
        return
    from trainlint.catalogue.zoo.network_check import check_network  # noqa: PLC0415  # for files that are not ours alone
    from trainlint.catalogue.zoo.recipe_check import check_recipe  # noqa: PLC0415  # the same

    seen: dict[tuple[str, str], str] = {}
    for file in among:
        for table, key, value in entries(file):
            name = key.value if isinstance(key, ast.Constant) else None
            if not isinstance(name, str):
                slip(file, key, f"a key of {table} is {ast.unparse(key)}, expected a name in quotes")
            if (table, name) in seen:
                slip(file, key, f'"{name}" is in {table} already, at {seen[table, name]}')
            seen[table, name] = f"{file}:{key.lineno}"
            if table == "BUILDERS":
                check_network(file, name, value)
            else:
                check_recipe(file, name, value)


def _tables(file: Path) -> dict[str, ast.expr]:
    """Return the values of a file's tables by name."""
    tables: dict[str, ast.expr] = {}
    for node in tree(file).body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if name in TABLES:
                if name in tables:
                    slip(
                        file, node, f"{name} is defined already, at line {tables[name].lineno}: expected one"
                    )
                tables[name] = value
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict()) if near := most_alike(
                name, TABLES, ONE_LETTER
            ):
                slip(file, node, f'trainlint does not read "{name}"; did you mean "{near}"?')
    return tables


def entries(file: Path) -> Iterator[Entry]:
    """Yield what the tables of a file list. Raises UsageError for a table that is none."""
    for table, value in _tables(file).items():
        if not isinstance(value, ast.Dict) or None in value.keys:
            slip(file, value, f"{table} is read without running the file: write {{{ENTRY_FORMS[table]}}} out")
        yield from ((table, key, entry) for key, entry in zip(value.keys, value.values, strict=True) if key)

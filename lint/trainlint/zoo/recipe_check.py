# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in an entry of RECIPES: the class that it names, what its methods take, the dialect in its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from trainlint.resources import resource
from trainlint.zoo.packages import Package
from trainlint.zoo.slip import FORMS, bound, meant, slip
from trainlint.zoo.syntax import definitions

GIVEN: Final[Mapping[str, tuple[str, ...]]] = {
    "__init__": ("step", "stage"),
    "train_step": ("batch",),
    "validate": ("height", "width"),
    "checkpoint": (),
}
"""What each method of a recipe is called with, in this order (trace/stage.py)."""


def check_recipe(file: Path, name: str, value: ast.expr) -> None:
    """Check one entry of RECIPES, and those methods of its class that the file defines."""
    if not isinstance(value, ast.Constant) or value.value not in bound(file):
        slip(file, value, f'RECIPES builds "{name}" from {ast.unparse(value)}, expected {FORMS["RECIPES"]}')
    node = definitions(file).get(value.value)
    for method in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(method, ast.FunctionDef) and method.name in GIVEN:
            _check_arguments(file, value.value, method)


def _check_arguments(file: Path, name: str, method: ast.FunctionDef) -> None:
    """Refuse a method that cannot be called with what it is given."""
    arguments, given = method.args, GIVEN[method.name]
    plain = [*arguments.posonlyargs, *arguments.args]
    least = len(plain) - len(arguments.defaults)
    most = len(plain) if arguments.vararg is None else len(given) + 1
    static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in method.decorator_list)
    wanted = len(given) + (not static)
    required = [None for default in arguments.kw_defaults if default is None]
    if not least <= wanted <= most or required:
        written, called = ast.unparse(arguments), ", ".join(("self", *given))
        slip(file, method, f"{name}.{method.name} takes ({written}), expected ({called})")


def check_dialect(package: Package, file: Path, key: ast.expr, name: str) -> None:
    """Refuse a recipe's name that begins with a dialect which neither its package nor trainlint has.

    What another interpreter traces with has no dialects, as its steps were made here.
    """
    known = {*_dialects(resource("schemas")), *_dialects(package.folder / "schemas")}
    dialect = name.partition(".")[0]
    if known and dialect not in known:
        slip(file, key, f'"{name}" is of the dialect "{dialect}", and there is none{meant(dialect, known)}')


def _dialects(folder: Path) -> Iterator[str]:
    """Yield the ids of a folder's dialects, which are called as their files."""
    yield from (file.stem for file in folder.glob("[!.]*.json"))

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in an entry of RECIPES: the class that it names, what its methods take, the dialect in its name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from trainlint.catalogue.zoo.builders import definitions
from trainlint.catalogue.zoo.file_slip import ENTRY_FORMS, bound, meant, slip
from trainlint.catalogue.zoo.step_check import check_step
from trainlint.shipped.resource_paths import resource

METHOD_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "__init__": ("step", "stage"),
    "train_step": ("batch",),
    "validate": ("height", "width"),
    "checkpoint": (),
}
"""What each method of a recipe is called with, in this order (trace/stage.py)."""
FILES: Final = 'what the trainer saves by file name: {"net.pth": self.net.state_dict()}, {} for no file'
SHARED_LIBRARIES: Final = ("diffusers", "transformers")
"""Libraries whose training step several dialects have: a recipe of theirs is called after them."""
NO_MAPPING_NODES: Final = (
    ast.Constant,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.JoinedStr,
)
"""Forms of a value that is no mapping."""
KEPT_ENTRIES: Final = 64
"""Entries that were right, and are not checked again for each trace; a file that is read again has others."""


@lru_cache(maxsize=KEPT_ENTRIES)
def check_recipe(file: Path, name: str, value: ast.expr) -> None:
    """Check one entry of RECIPES, and those methods of its class that the file defines."""
    if not isinstance(value, ast.Constant) or value.value not in bound(file):
        slip(
            file,
            value,
            f'RECIPES builds "{name}" from {ast.unparse(value)}, expected {ENTRY_FORMS["RECIPES"]}',
        )
    node = definitions(file).get(value.value)
    if isinstance(node, ast.FunctionDef) and not any(statement.value for statement in _returned(node)):
        slip(file, node, f"{node.name} returns nothing, expected a class, or what one makes")
    if not isinstance(node, ast.ClassDef):
        return
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name in METHOD_ARGUMENTS:
            _check_arguments(file, value.value, method)
            if method.name == "checkpoint":
                _check_files(file, value.value, method)
    check_step(file, node)


def _check_arguments(file: Path, name: str, method: ast.FunctionDef) -> None:
    """Refuse a method that cannot be called with what it is given."""
    arguments, given = method.args, METHOD_ARGUMENTS[method.name]
    plain = [*arguments.posonlyargs, *arguments.args]
    least = len(plain) - len(arguments.defaults)
    most = len(plain) if arguments.vararg is None else len(given) + 1
    static = any(
        isinstance(decorator, ast.Name) and decorator.id == "staticmethod"
        for decorator in method.decorator_list
    )
    wanted = len(given) + (not static)
    required = [None for default in arguments.kw_defaults if default is None]
    if not least <= wanted <= most or required:
        written, called = ast.unparse(arguments), ", ".join(("self", *given))
        slip(file, method, f"{name}.{method.name} takes ({written}), expected ({called})")


def _check_files(file: Path, name: str, method: ast.FunctionDef) -> None:
    """Refuse a `checkpoint` that surely names no files: it returns nothing, or a list."""
    returned = list(_returned(method))
    wrong = [node for node in returned if isinstance(node.value, NO_MAPPING_NODES) or node.value is None]
    if wrong or not (
        returned or ast.unparse(method.body[-1]) == "..." or isinstance(method.body[-1], ast.Raise)
    ):
        slip(
            file, wrong[0] if wrong else method, f"{name}.checkpoint returns {_what(wrong)}, expected {FILES}"
        )


def _returned(node: ast.AST) -> Iterator[ast.Return]:
    """Yield a function's own return statements."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield from _returned(child)


def _what(wrong: list[ast.Return]) -> str:
    """Return what is given back, in the file's words."""
    return ast.unparse(wrong[0].value) if wrong and wrong[0].value else "nothing"


def check_dialect(schemas: Iterable[Path], file: Path, key: ast.expr, name: str, sign: str) -> None:
    """Refuse a name that begins with a dialect (up to `sign`) which neither `schemas` nor trainlint has.

    What another interpreter traces with has no dialects, as its steps were made here.
    """
    brought = (own for place in schemas for own in _dialects(place))
    here = {*_dialects(resource("schemas")), *brought}
    known = here.union(SHARED_LIBRARIES)
    dialect = name.partition(sign)[0]
    if here and dialect not in known:
        slip(file, key, f'"{name}" is of the dialect "{dialect}", and there is none{meant(dialect, known)}')


def _dialects(folder: Path) -> Iterator[str]:
    """Yield the ids of the dialects of a folder, or of a file: they are called as their files."""
    yield from (file.stem for file in ([folder] if folder.is_file() else folder.glob("[!.]*.json")))

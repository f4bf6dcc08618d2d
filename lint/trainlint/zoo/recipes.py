# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Finding a recipe by name: each file under a folder `recipes` lists its own in a literal `RECIPES`."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from trainlint.errors import CannotTraceError
from trainlint.zoo.packages import RECIPES, files, module_of


def find(name: str) -> Any:
    """Return the recipe class of that name, importing torch; CannotTraceError where no file lists it."""
    file, found = place(name)
    return getattr(importlib.import_module(str(module_of(file))), found)


def place(name: str) -> tuple[Path, str]:
    """Return a recipe's (file, class), known without torch; CannotTraceError where no file lists it."""
    if not name:
        raise CannotTraceError("the config does not say which training step it runs")
    for file in files(RECIPES):
        found = _recipes(file, name).get(name)
        if found is not None:
            return file, found
    raise CannotTraceError(f'no recipe for the training step "{name}"')


@cache
def _recipes(file: Path, name: str) -> Mapping[str, str]:
    """Return RECIPES of a file that quotes `name` (text is searched first: parsing is slow)."""
    text = file.read_text(encoding="utf-8")
    for node in ast.parse(text).body if f'"{name}"' in text else ():
        match node:
            case ast.Assign(targets=[ast.Name(id="RECIPES")], value=value):
                return ast.literal_eval(value)  # type: ignore[no-any-return]
            case ast.AnnAssign(target=ast.Name(id="RECIPES"), value=ast.expr() as value):
                return ast.literal_eval(value)  # type: ignore[no-any-return]
    return {}

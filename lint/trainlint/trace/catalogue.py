"""Finding a recipe by name: each file of trace/recipes lists its own in a literal `RECIPES`."""

from __future__ import annotations

import ast
import importlib
from functools import cache
from pathlib import Path
from typing import Any

from trainlint.errors import CannotTraceError

FOLDER = Path(__file__).parent / "recipes"


def find(name: str) -> Any:
    """Return the recipe class of that name; CannotTraceError where no file lists it."""
    module, found = place(name)
    return getattr(importlib.import_module(f"trainlint.trace.recipes.{module}"), found)


def place(name: str) -> tuple[str, str]:
    """Return a recipe's (module, class), known without torch; CannotTraceError where no file lists it."""
    if not name:
        raise CannotTraceError("the config does not tell which training step it runs")
    if name not in _listed():
        raise CannotTraceError(f'no recipe for the training step "{name}"')
    return _listed()[name]


@cache
def _listed() -> dict[str, tuple[str, str]]:
    """Return recipe name -> (module, class), read without importing."""
    found: dict[str, tuple[str, str]] = {}
    for file in sorted(FOLDER.glob("[!_]*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, ast.AnnAssign)
                else []
            )
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if "RECIPES" in names and isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                found.update({key: (file.stem, name) for key, name in ast.literal_eval(node.value).items()})
    return found

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the measurements import of trainlint is there: nothing else runs most of them."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


def lacking(text: str) -> list[str]:
    """Return the names that a file imports of trainlint, and that are not there."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0].startswith("trainlint"):
            module = importlib.import_module(str(node.module))
            names = (alias.name for alias in node.names)
            found += [f"{node.module}.{name}" for name in names if not there(module, name)]
    return found


def there(module, name: str) -> bool:
    return hasattr(module, name) or importlib.util.find_spec(f"{module.__name__}.{name}") is not None


def test_a_name_that_was_renamed_is_found():
    assert lacking("from trainlint.tape import Tape, Reel") == ["trainlint.tape.Reel"]


@pytest.mark.parametrize("path", sorted(BENCH.rglob("*.py")), ids=lambda path: str(path.relative_to(BENCH)))
def test_what_a_measurement_imports_is_there(path):
    assert lacking(path.read_text(encoding="utf-8")) == []

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What runs inside a program needs Python 3.9 and torch alone, whatever trainlint itself needs."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainlint.measuring.package_copy import COPIED_FOLDERS

LINT = Path(__file__).parents[2] / "lint"
BEGINS = ("trainlint.trace.dry_run.program_start", "trainlint.trace.dry_run.imitation")
OLD = (3, 9)
COMPILES = "import sys\nfor path in sys.argv[1:]: compile(open(path, encoding='utf-8').read(), path, 'exec')"


def file_of(module: str) -> Path | None:
    path = LINT.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that are imported when a file is, and not by a type checker or a function alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from imported(node)


def injected() -> dict[str, Path]:
    """Return the files that are imported inside of the program, by module."""
    found: dict[str, Path] = {}
    waiting = list(BEGINS)
    while waiting:
        module = waiting.pop()
        parts = module.split(".")
        for name in (".".join(parts[:end]) for end in range(1, len(parts) + 1)):
            file = file_of(name) if name.startswith("trainlint") else None
            if file is not None and name not in found:
                found[name] = file
                waiting += imported(ast.parse(file.read_text(encoding="utf-8")))
    return found


def test_an_old_python_can_read_it() -> None:
    files = injected()
    assert len(files) > 30  # a walk that finds nothing would prove nothing
    for file in files.values():
        ast.parse(file.read_text(encoding="utf-8"), str(file), feature_version=OLD)


def test_it_needs_torch_alone_and_lies_in_what_is_copied() -> None:
    for module, file in injected().items():
        names = {name.partition(".")[0] for name in imported(ast.parse(file.read_text(encoding="utf-8")))}
        assert names <= {"torch", "trainlint", *sys.stdlib_module_names}, module
        parts = module.split(".")
        assert len(parts) == 1 or parts[1] in COPIED_FOLDERS or file.parent == LINT / "trainlint", module


@pytest.mark.parametrize("version", ["3.9", "3.10"])
def test_an_old_python_compiles_it(version: str) -> None:
    versions = Path.home() / ".pyenv" / "versions"
    known = [*versions.glob(f"{version}.*/bin/python{version}"), shutil.which(f"python{version}")]
    python = next((str(path) for path in known if path), None)
    if python is None or subprocess.run([python, "-c", ""], check=False, capture_output=True).returncode:
        pytest.skip(f"no Python {version} here")
    ran = subprocess.run(
        [python, "-c", COMPILES, *map(str, injected().values())], check=False, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""No module but the tracer's changes what another one holds, or builds on Python's private parts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from trainlint.catalogue.zoo.packages import OWN
from trainlint.shipped.resource_paths import PACKAGE

PRIVATE = {"_sre", "re._compiler", "re._parser", "re._constants", "_blake2", "_sha2", "_sha256"}
FILES = sorted([*PACKAGE.rglob("*.py"), *(PACKAGE.parent / OWN).rglob("*.py")])
TRACER = PACKAGE / "trace"
STREAMS = {"sys.stdin", "sys.stdout", "sys.stderr"}
"""What Python's documentation lets a program replace: they are None where they were closed."""


def imported(tree: ast.AST) -> set[str]:
    """Name the modules, classes and functions that a file imports, as it calls them; no single objects."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {(alias.asname or alias.name).partition(".")[0] for node in nodes for alias in node.names}
    return {name for name in names if not name.isupper()}


def modules(tree: ast.AST) -> Iterator[str]:
    """Yield the full name of everything that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def patches(text: str) -> list[str]:
    """Return what a file does to another module's names, to sys.modules, and its uses of private modules."""
    tree = ast.parse(text)
    names = imported(tree)
    wrong = [name for name in modules(tree) if name in PRIVATE]
    for node in ast.walk(tree):
        written = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        if isinstance(node, ast.Attribute) and written and isinstance(node.value, ast.Name):
            foreign = node.value.id in names and ast.unparse(node) not in STREAMS
            wrong += [ast.unparse(node)] if foreign else []
        if isinstance(node, ast.Subscript) and written:
            held = ast.unparse(node.value)
            inner = held.removeprefix("vars(").removesuffix(")").removesuffix(".__dict__")
            foreign = held == "sys.modules" or (inner != held and inner in names)
            wrong += [ast.unparse(node)] if foreign else []
        if isinstance(node, ast.Attribute) and ast.unparse(node) in PRIVATE:
            wrong.append(ast.unparse(node))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("setattr", "delattr"):
            wrong += [ast.unparse(node)] if ast.unparse(node.args[0]) in names else []
    return wrong


@pytest.mark.parametrize(
    "text",
    [
        "import re\nre.compile = print",
        "import re as r\nr.compile = print",
        "from os import path\npath.join = print",
        "import sys\nsys.modules['torch'] = None",
        "import sys\ndel sys.modules['torch']",
        "import os\nvars(os)['open'] = print",
        "import os\nsetattr(os, 'open', print)",
        "import re\nre._compiler.compile('a')",
        "from re import _parser",
        "import _sre",
    ],
)
def test_each_way_is_seen(text: str) -> None:
    assert patches(text)


@pytest.mark.parametrize("text", ["import re\na = re.compile", "class A:\n  def b(self):\n    self.c = 1"])
def test_what_is_usual_is_left_alone(text: str) -> None:
    assert patches(text) == []


@pytest.mark.rest
def test_no_module_but_the_tracers_changes_another() -> None:
    found = {
        path.relative_to(PACKAGE.parent).as_posix(): wrong
        for path in FILES
        if not path.is_relative_to(TRACER) and (wrong := patches(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.rest
def test_marshal_is_in_one_module_at_most() -> None:
    texts = (path.read_text(encoding="utf-8") for path in FILES)
    assert sum("marshal" in modules(ast.parse(text)) for text in texts if "marshal" in text) <= 1

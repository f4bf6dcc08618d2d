# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""docs/architecture.md names what is there, and the rooms stay small enough to find one's way."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainlint.shipped.resource_paths import PACKAGE

ROOT = PACKAGE.parents[1]
PAGE = ROOT / "docs" / "architecture.md"
MOST_FILES = 20
"""In a folder, beside its sub-rooms."""
MOST_AT_THE_TOP = 6
VAGUE_NAMES = {"found", "one", "at", "each"}
"""What no variable, parameter or field is called: they fit whatever it holds."""

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="a wheel has no pages")


def rooms() -> list[Path]:
    return sorted(path for path in PACKAGE.iterdir() if (path / "__init__.py").exists())


def test_every_named_file_is_there() -> None:
    named = re.findall(r"`([\w./]+(?:/|\.(?:py|toml|yaml|json)))`", PAGE.read_text("utf-8"))
    places = (PACKAGE, PACKAGE.parent, ROOT, *(PACKAGE / room.name for room in rooms()))
    zoo = {"networks/", "recipes/", "blocks/"}  # folders of each trainer there
    missing = [
        name
        for name in {*named} - zoo
        if "NAME" not in name and not any((place / name).exists() for place in places)
    ]
    assert len(named) > 40
    assert missing == []


def test_every_room_has_its_row() -> None:
    rows = PAGE.read_text("utf-8").split("## The law", maxsplit=1)[0]
    assert [room.name for room in rooms() if f"`{room.name}/`" not in rows] == []


def test_rooms_are_small() -> None:
    packages = (PACKAGE, PACKAGE.parent / "trainlint_zoo")
    folders = [init.parent for package in packages for init in package.rglob("__init__.py")]
    full = {str(folder.relative_to(PACKAGE.parent)): len([*folder.glob("*.py")]) for folder in folders}
    assert {name: count for name, count in full.items() if count > MOST_FILES} == {}
    assert len([path for path in PACKAGE.glob("*.py") if not path.name.startswith("__")]) <= MOST_AT_THE_TOP


def test_no_two_modules_share_a_name() -> None:
    names = Counter(path.name for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
    assert [name for name, count in names.items() if count > 1] == []


def bound_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield what a module assigns, takes as a parameter or catches, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name, node.lineno
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield name, node.lineno
            case ast.MatchMapping(rest=str(name)):
                yield name, node.lineno


@pytest.mark.parametrize(
    "text",
    [
        "one = 1", "one: int", "one += 1", "a, (*one,) = b", "for one in a: pass", "[a for one in b]",
        "{a for a, one in b}", "(a for one in b)", "{a: b for one in b}", "with a as one: pass",
        "with a as (b, one): pass", "(one := 1)", "lambda one: 1", "lambda *one: 1", "def a(one, /): pass",
        "def a(*, one): pass", "def a(**one): pass", "async def a(*one): pass",
        "try: pass\nexcept a as one: pass", "match a:\n case [b, *one]: pass", "match a:\n case one: pass",
        "match a:\n case {**one}: pass", "class A:\n one: int",
    ],
)  # fmt: skip
def test_a_name_is_met_wherever_it_is_bound(text: str) -> None:
    assert "one" in dict(bound_names(ast.parse(text)))


@pytest.mark.rest
def test_names_say_what_they_hold() -> None:
    vague = [
        f"{path.relative_to(PACKAGE.parent)}:{line}: {name}"
        for path in PACKAGE.parent.rglob("*.py")
        for name, line in bound_names(ast.parse(path.read_bytes()))
        if name in VAGUE_NAMES
    ]
    assert vague == []

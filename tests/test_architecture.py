# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""docs/architecture.md names what is there, and the rooms stay small enough to find one's way."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from trainlint.shipped.resource_paths import PACKAGE

ROOT = PACKAGE.parents[1]
PAGE = ROOT / "docs" / "architecture.md"
MOST_FILES = 20
"""In a folder, beside its sub-rooms."""
MOST_AT_THE_TOP = 6

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

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The generated table of signatures: it says what the files say, and gives way to a file that was changed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from trainlint.signature import signature
from trainlint.zoo import syntax, table
from trainlint.zoo.packages import NETWORKS, RECIPES, Package, own
from trainlint.zoo.syntax import constants, constructor

NETWORK = """
BUILDERS = {"Made": "Made"}
class Made:
    def __init__(self, width: Positive, depth: int = %s, ratio=8 / 3, sides: list[int] = (1, 2), **rest): pass
"""


def test_the_table_says_what_the_files_say():
    for name in json.loads((own().folder / table.SIGNATURES).read_text(encoding="utf-8")):
        place, said = table.find(name)
        read = constructor(name, place.file, place.name)
        assert table.row_of(said) == json.loads(json.dumps(table.row_of(read))), name


@pytest.fixture
def zoo(tmp_path, monkeypatch) -> Iterator[Package]:
    """A zoo of one network, with its table."""
    package = Package("made_zoo", tmp_path)
    (tmp_path / "some" / NETWORKS).mkdir(parents=True)
    monkeypatch.setattr(table, "own", lambda: package)
    forget()
    yield package
    forget()


def forget():
    for of in (
        table._row,
        table._text,
        table._digest,
        syntax.text_of,
        syntax.tree,
        syntax.listing,
        syntax.constants,
    ):
        of.cache_clear()


def write(package, depth):
    file = package.folder / "some" / NETWORKS / "made.py"
    file.write_text(NETWORK % depth)
    forget()


def test_a_file_that_was_changed_is_not_answered_from_the_table(zoo):
    write(zoo, 3)
    (zoo.folder / table.SIGNATURES).write_text(table.written())
    place, found = table.find("Made")
    assert place.file.name == "made.py"
    assert found.open
    assert found.params["width"].required
    assert found.params["width"].expected == "a positive integer"
    assert found.defaults == {"depth": 3, "sides": [1, 2]}
    assert not found.params["ratio"].readable
    write(zoo, 4)
    assert table.find("Made") is None


def test_a_recipe_is_found_where_its_file_lists_it(zoo):
    file = zoo.folder / "some" / RECIPES / "step.py"
    file.parent.mkdir()
    file.write_text('RECIPES = {"some.Step": "Step"}\nclass Step: pass\n')
    forget()
    (zoo.folder / table.PLACES).write_text(table.written_places())
    assert table.recipe("some.Step") == (file, "Step")
    assert table.recipe("some.Other") is None
    file.write_text('RECIPES = {"some.Other": "Step"}\nclass Step: pass\n')
    forget()
    assert table.recipe("some.Step") is None


def test_the_table_of_recipes_says_what_the_files_say():
    rows = json.loads((own().folder / table.PLACES).read_text(encoding="utf-8"))
    listed = {
        name: (file, found)
        for file in own().files(RECIPES)
        for name, found in constants(file).get("RECIPES", {}).items()
    }
    assert {name: table.recipe(name) for name in rows} == listed


def test_no_file_is_parsed_for_what_the_table_has(monkeypatch):
    monkeypatch.setattr(syntax, "constructor", None)
    assert signature("basicsr", "RRDBNet").defaults["num_feat"] == 64

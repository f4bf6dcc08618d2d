# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The generated table of signatures: it says what the files say, and gives way to a file that was changed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from trainlint.catalogue.signature import signature
from trainlint.catalogue.zoo import builders, generated_tables
from trainlint.catalogue.zoo.builders import constants, constructor
from trainlint.catalogue.zoo.packages import NETWORKS, RECIPES, Package, own
from trainlint.shipped import kept_data

NETWORK = """
BUILDERS = {"Made": "Made"}
class Made:
    def __init__(self, width: Positive, depth: int = %s, ratio=8 / 3, sides: list[int] = (1, 2), **rest): pass
"""


def test_the_table_says_what_the_files_say():
    for name in json.loads(generated_tables.tables()[generated_tables.SIGNATURES]):
        place, said = generated_tables.find(name)
        read = constructor(name, place.file, place.name)
        assert generated_tables.row_of(said) == json.loads(json.dumps(generated_tables.row_of(read))), name


@pytest.fixture
def zoo(tmp_path, monkeypatch) -> Iterator[Package]:
    """A zoo of one network, with its table."""
    package = Package("made_zoo", tmp_path)
    (tmp_path / "some" / NETWORKS).mkdir(parents=True)
    monkeypatch.setattr(generated_tables, "own", lambda: package)
    forget()
    yield package
    forget()


def forget():
    for of in (
        generated_tables._row,
        generated_tables.text,
        generated_tables._digest,
        kept_data._tree_state,
        builders.text_of,
        builders.tree,
        builders.listing,
        builders.constants,
        builders.constructor,
    ):
        of.cache_clear()


def build(package):
    """Give the zoo its tables, as a wheel has them."""
    for name, text in generated_tables.tables().items():
        (package.folder / name).write_text(text)


def write(package, depth):
    file = package.folder / "some" / NETWORKS / "made.py"
    file.write_text(NETWORK % depth)
    forget()


def test_a_file_that_was_changed_is_not_answered_from_the_table(zoo):
    write(zoo, 3)
    build(zoo)
    place, found = generated_tables.find("Made")
    assert place.file.name == "made.py"
    assert found.open
    assert found.params["width"].required
    assert found.params["width"].expected == "a positive integer"
    assert found.defaults == {"depth": 3, "sides": [1, 2]}
    assert not found.params["ratio"].readable
    write(zoo, 4)
    assert generated_tables.find("Made") is None


def test_a_recipe_is_found_where_its_file_lists_it(zoo):
    file = zoo.folder / "some" / RECIPES / "step.py"
    file.parent.mkdir()
    file.write_text('RECIPES = {"some.Step": "Step"}\nclass Step: pass\n')
    forget()
    build(zoo)
    assert generated_tables.recipe("some.Step") == (file, "Step")
    assert generated_tables.recipe("some.Other") is None
    file.write_text('RECIPES = {"some.Other": "Step"}\nclass Step: pass\n')
    forget()
    assert generated_tables.recipe("some.Step") is None


def test_the_table_of_recipes_says_what_the_files_say():
    rows = json.loads(generated_tables.tables()[generated_tables.RECIPE_PLACES])
    listed = {
        name: (file, found)
        for file in own().files(RECIPES)
        for name, found in constants(file).get("RECIPES", {}).items()
    }
    assert {name: generated_tables.recipe(name) for name in rows} == listed


def test_a_checkout_keeps_its_tables_until_a_file_of_the_zoo_changes(zoo, tmp_path, monkeypatch):
    cache = tmp_path.with_name("cache")
    monkeypatch.setattr(kept_data, "_folder", lambda: cache)
    write(zoo, 3)
    assert generated_tables.find("Made")[1].defaults["depth"] == 3
    forget()
    with monkeypatch.context() as patched:
        patched.setattr(builders, "constructor", None)
        assert generated_tables.find("Made")[1].defaults["depth"] == 3
    write(zoo, 40)
    assert generated_tables.find("Made")[1].defaults["depth"] == 40


def test_where_nothing_can_be_kept_each_file_is_read_for_itself(zoo, monkeypatch):
    monkeypatch.setattr(kept_data, "_folder", lambda: None)
    write(zoo, 3)
    assert generated_tables.find("Made") is None


def test_no_file_is_parsed_for_what_the_table_has(monkeypatch):
    monkeypatch.setattr(builders, "constructor", None)
    assert signature("basicsr", "RRDBNet").defaults["num_feat"] == 64

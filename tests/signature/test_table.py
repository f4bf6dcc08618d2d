# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The generated table of signatures: it says what the files say, and gives way to a file that was changed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from trainlint.signature import signature
from trainlint.zoo import syntax, table
from trainlint.zoo.packages import NETWORKS, Package, own
from trainlint.zoo.syntax import constructor

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
    for of in (table._rows, table._digest, syntax._text, syntax.tree, syntax.listing, syntax.constants):
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


def test_no_file_is_parsed_for_what_the_table_has(monkeypatch):
    monkeypatch.setattr(syntax, "constructor", None)
    assert signature("basicsr", "RRDBNet").defaults["num_feat"] == 64

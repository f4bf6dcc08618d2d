# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Names that no file of networks lists are known without reading the files, until one of them changes."""

from __future__ import annotations

import pytest

from trainlint import shipped
from trainlint.signature import signature
from trainlint.zoo import check, names, syntax
from trainlint.zoo.packages import NETWORKS, Package


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Return what writes the only file of a zoo's networks, of which nothing is remembered but on disk."""
    package = Package("made_zoo", tmp_path / "zoo")
    file = package.folder / NETWORKS / "made.py"
    file.parent.mkdir(parents=True)
    monkeypatch.setattr(names, "own", lambda: package)
    monkeypatch.setattr(shipped, "_folder", lambda: tmp_path / "kept")

    def write(text):
        file.write_text(text)
        forget()

    yield write
    forget()


def forget():
    for of in (names._known, shipped._tree_state, syntax.text_of):
        of.cache_clear()


def test_what_a_file_lists_may_be_asked_for(write, monkeypatch):
    write('BUILDERS = {"Made": "Made"}\n')
    assert [names.may_list(name) for name in ("Made", "some:Made", "Other")] == [True, False, False]
    forget()
    monkeypatch.setattr(syntax, "names", None)  # it is kept
    assert [names.may_list(name) for name in ("Made", "some:Made", "Other")] == [True, False, False]


def test_a_changed_file_is_read_again(write):
    write('BUILDERS = {"Made": "Made"}\n')
    assert not names.may_list("Other")
    write('BUILDERS = {"Made": "Made", "Other": "Made"}\n')
    assert names.may_list("Other")


def test_a_table_that_is_written_otherwise_may_list_anything(write):
    write('BUILDERS = {\n    "Made": "Made"}; OTHER = 1\n')
    assert names.may_list("Other")


def test_no_file_is_read_for_a_spelling_that_nobody_lists(monkeypatch):
    signature("basicsr", "MSRResNet")  # and what is kept is there
    monkeypatch.setattr(syntax, "text_of", None)
    assert not names.may_list("basicsr:RRDBNet")
    assert signature("basicsr", "RRDBNet").defaults["num_block"] == 23
    assert check.brought(NETWORKS) == ()

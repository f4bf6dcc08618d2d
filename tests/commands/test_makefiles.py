# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Makefiles: the commands of their recipes, with the variables that the file sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.test_slow import within
from trainlint.dialects import load_dialects
from trainlint.documents.file_format import read
from trainlint.model.document import Source
from trainlint.pipeline.checkout_commands import Checkout

RUN = "python basicsr/train.py"


def commands(text: str, name: str = "Makefile") -> list:
    return [document.value for document in read(Source(name, text)) if document.format == "command"]


@pytest.mark.parametrize("name", ["Makefile", "sub/makefile", "GNUmakefile", "train.mk"])
def test_a_recipe_is_a_command(name: str) -> None:
    (found,) = commands(f"all: x\n\t@-{RUN} -opt a.yml\n\nx:\n\techo '{RUN}'\n", name)
    assert (found["@script"], found["opt"]) == ("basicsr/train.py", "a.yml")


@pytest.mark.parametrize(
    ("before", "word", "expected"),
    [
        ("OPT = a.yml\n", "$(OPT)", "a.yml"),
        ("OPT ?= a.yml  # the small one\n", "${OPT}", "a.yml"),
        ("export OPT:=a.yml\n", "$(OPT)", "a.yml"),
        ("DIR = cfg\nOPT = $(DIR)/a.yml\n", "$(OPT)", "cfg/a.yml"),
        ("", "$(OPT)", None),
        ("OPT = a.yml\nOPT = b.yml\n", "$(OPT)", None),
        ("OPT = a.yml\nOPT += b.yml\n", "$(OPT)", None),
        ("OPT != ls\n", "$(OPT)", None),
        ("OPT = $(shell ls)\n", "$(OPT)", None),
        ("ifdef BIG\nOPT = a.yml\nendif\n", "$(OPT)", None),
        ("OPT = a.yml\nall: OPT = b.yml\n", "$(OPT)", None),
        ("OPT = a.yml\n-include b.mk\n", "$(OPT)", None),
        ("include b.mk\nOPT ?= a.yml\n", "$(OPT)", None),
        ("include b.mk\nOPT = a.yml\n", "$(OPT)", "a.yml"),
        ("", "$@", None),
        ("", "$<", None),
    ],
)
def test_a_variable_has_the_one_value_that_it_is_set_to(before: str, word: str, expected: str | None) -> None:
    text = f"{before}all: c.yml\n\t{RUN} -opt {word}\n"
    (document,) = read(Source("Makefile", text))
    known = ("opt",) not in document.meta["unresolved"]
    assert (document.value["opt"] if known else None) == expected


def test_a_variable_may_be_set_below_the_recipe() -> None:
    (found,) = commands("all:\n\t$(PY) basicsr/train.py -opt $(OPT)\n\nOPT = a.yml\nPY = python\n")
    assert found["opt"] == "a.yml"


@pytest.mark.parametrize(
    ("setting", "word", "expected"), [("", "a.yml", ["sub/b.mk"]), ("OPT = a.yml\n", "$(OPT)", [])]
)
def test_a_recipe_of_an_included_file_is_a_start_as_far_as_it_is_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, word: str, expected: list[str]
) -> None:
    recipe = f"{setting}all: a.yml\n\t{RUN} -opt {word}\n"
    for name, text in (
        (".git/HEAD", ""),
        ("basicsr/train.py", ""),
        ("a.yml", ""),
        ("Makefile", "include sub/b.mk c.mk ../d.mk sub/*.mk\n"),
        ("sub/b.mk", recipe),
        ("sub/not_included.mk", recipe),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path.parent / "d.mk").write_text(recipe, "utf-8")
    (tmp_path / "c.mk").symlink_to(tmp_path.parent / "d.mk")
    monkeypatch.chdir(tmp_path)
    starts = Checkout(load_dialects()).starts("a.yml")
    assert [start.document and start.document.source.path for start in starts] == expected


def test_a_recipe_of_several_lines_is_placed_where_it_is_written() -> None:
    text = f"all:\n\tcd tools && ls\n\t{RUN} \\\n\t  -opt a.yml \\\r\n\t  --launcher none\n"
    (document,) = read(Source("Makefile", text))
    assert document.value["launcher"] == "none"
    assert not document.meta.get("folder")
    place = document.places["opt",].value
    assert text[place.start : place.end] == "a.yml"
    assert document.line == 3


def test_what_begins_with_no_tab_is_no_command() -> None:
    assert commands(f"# {RUN} -opt a.yml\nall: b\n        {RUN} -opt b.yml\n") == []


ENDLESS = {
    "backslashes": "\t" + "\\" * 20_000,
    "continued": "\t" + "\\\n" * 60_000,
    "equals": "A=" * 30_000,
    "one variable": "A = 1\n" * 20_000,
    "open": "\t$(" * 20_000,
    "conditions": "ifdef A\nA = 1\n" * 6_000,
    "targets": "a:" * 30_000,
}


@pytest.mark.parametrize("name", ENDLESS)
def test_files_that_nobody_writes_end(name: str) -> None:
    with within(5):
        commands(f"{ENDLESS[name]}\n\t{RUN} -opt a.yml\n")

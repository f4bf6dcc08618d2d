# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The folder in which a command runs, by what its text says of it."""

from __future__ import annotations

import json

import pytest

from trainlint.documents.file_format import read
from trainlint.model.document import Source

TRAIN = "python train.py -opt a.yml"


def folders(text: str, name: str = "run.sh") -> list[str | None]:
    return [document.meta["folder"] for document in read(Source(name, text))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TRAIN, [""]),
        (f"cd tools/X && {TRAIN}", ["tools/X"]),
        (f"cd tools\ncd -- X/../Y\n{TRAIN}", ["tools/Y"]),
        (f"cd X; {TRAIN}\ncd ..; {TRAIN}", ["X", ""]),
        (f"(cd X && {TRAIN})\n{TRAIN}", ["X", ""]),
        (f"pushd X\n{TRAIN}\npopd\n{TRAIN}", ["X", ""]),
        (f"WHERE=X/Y\ncd $WHERE\n{TRAIN}", ["X/Y"]),
        (f"cd $1\n{TRAIN}", [None]),
        (f'cd "$(dirname "$0")"\n{TRAIN}', [None]),
        (f"cd $1\ncd X\n{TRAIN}", [None]),
        (f"cd /opt/X\n{TRAIN}", [None]),
        (f"cd ~\n{TRAIN}", [None]),
        (f"cd\n{TRAIN}", [None]),
        (f"if [ -d X ]; then\n  cd X\nfi\n{TRAIN}", [None]),
        (f"cd X\nif [ -d Y ]; then\n  {TRAIN}\nfi", ["X"]),
        (f"echo cd X\n{TRAIN}", [""]),
    ],
)
def test_a_script_changes_its_folder(text, found):
    assert folders(text) == found


def test_other_shells_do_too():
    assert folders(f"cd /d tools\\X\r\n{TRAIN}\r\n", "run.bat") == ["tools/X"]
    assert folders(f"Set-Location tools/X\n{TRAIN}\n", "run.ps1") == ["tools/X"]


def test_a_path_that_never_ends_is_not_followed():
    assert folders("cd a_folder\n" * 200 + TRAIN) == [None]


def test_each_block_of_a_page_begins_where_the_one_before_it_ended():
    page = f"```bash\ncd X\n{TRAIN}\n```\nand\n```bash\n{TRAIN}\n```\n"
    assert folders(page, "README.md") == ["X", "X"]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["!cd X", f"!{TRAIN}"], [""]),
        ([f"!cd X && {TRAIN}", f"!{TRAIN}"], ["X", ""]),
        (["%cd X", f"!{TRAIN}", f"!cd .. && {TRAIN}"], ["X", ""]),
        (["os.chdir('X')", f"!{TRAIN}"], ["X"]),
        (["%cd {PLACE}", f"!{TRAIN}"], [None]),
        (["%cd /content/X", f"!{TRAIN}"], [None]),
    ],
)
def test_in_a_notebook_only_the_kernel_stays_there(lines, found):
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [line]}
        for line in lines
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    assert folders(json.dumps(notebook), "a.ipynb") == found

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Inputs that once took many seconds or hundreds of megabytes: each ends with a count."""

from __future__ import annotations

import json

import pytest

from trainlint.errors import TooLargeError
from trainlint.read import read
from trainlint.read.document import Source
from trainlint.read.limits import CODE_CHARACTERS, VALUES, word_budget
from trainlint.read.shell_flavours import BATCH, NOTEBOOK, POSIX, POWERSHELL
from trainlint.read.shell_words import Lexer


def notebook(*cells: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": text} for text in cells]})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.ipynb", notebook("\n" * CODE_CHARACTERS), "characters of code: clear data out of its cells"),
        ("a.ipynb", notebook("!python train.py " + "\\\n" * CODE_CHARACTERS), "characters of code"),
        (
            "a.ipynb",
            notebook(*["!python train.py"] * 1_001),
            "more than 1,000 commands and configs: split it",
        ),
        ("a.sh", "python train.py " + "--a 1 \\\n" * VALUES, "words and marks of shell"),
        ("a.sh", "train\n" + "#\n" * VALUES, "words and marks of shell"),
        ("a.sh", "train\n" + " \n" * VALUES, "words and marks of shell"),
        ("a.bat", "train\n" + "::\n" * VALUES, "words and marks of shell"),
        ("a.sh", "python train.py\n" * 1_001, "more than 1,000 commands"),
        ("a.yml", "---\na: 1\n" * 1_001, "more than 1,000 documents: split it"),
    ],
)
def test_what_no_person_writes_is_refused_by_a_count(name: str, text: str, words: str) -> None:
    with pytest.raises(TooLargeError, match=words):
        read(Source(name, text))


def test_a_cell_just_below_the_bound_is_read() -> None:
    text = "!python train.py --a 1" + " \\\n" * (CODE_CHARACTERS // 5 - 100) + "--b 2\n"
    (document,) = read(Source("a.ipynb", notebook(text)))
    assert document.value["b"] == "2"


@pytest.mark.parametrize("flavour", [POSIX, BATCH, POWERSHELL, NOTEBOOK], ids=lambda flavour: flavour.name)
def test_blank_lines_are_one_step(flavour) -> None:
    lexer = Lexer("a b" + "\n" * 3_000_000 + "c", flavour, word_budget())
    assert [[word.literal for word in command.words] for command in lexer.commands()] == [["a", "b"], ["c"]]


def test_a_here_document_may_begin_with_blank_lines() -> None:
    lexer = Lexer("cat <<EOF\n\n\nx y\nEOF\nc d", POSIX, word_budget())
    assert [[word.literal for word in command.words] for command in lexer.commands()] == [["cat"], ["c", "d"]]


def test_blank_lines_of_toml_take_no_room_each() -> None:
    (document,) = read(Source("a.toml", "a = 1" + "\n" * 1_900_000 + "b = '''" + "x\n" * 40_000 + "'''"))
    assert document.value["a"] == 1

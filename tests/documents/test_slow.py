# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Inputs that once took many seconds or hundreds of megabytes: each ends with a count."""

from __future__ import annotations

import json
import signal
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import pytest

from trainlint.commands.shell.shell_flavours import BATCH, NOTEBOOK, POSIX, POWERSHELL
from trainlint.commands.shell.shell_words import Lexer
from trainlint.documents.file_format import read
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.files.read_limits import (
    BRACKETS,
    CODE_CHARACTERS,
    FILE_BYTES,
    MOST_EXPORTED,
    MOST_VALUES_READ,
    MOST_WORDS,
    word_budget,
)
from trainlint.model.document import Source


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
        ("a.sh", "python train.py " + "--a 1 \\\n" * MOST_WORDS, "words and marks of shell"),
        ("a.sh", "train\n" + "#\n" * MOST_WORDS, "words and marks of shell"),
        ("a.sh", "train\n" + " \n" * MOST_WORDS, "words and marks of shell"),
        ("a.bat", "train\n" + "::\n" * MOST_WORDS, "words and marks of shell"),
        ("a.sh", "python train.py\n" * 1_001, "more than 1,000 commands"),
        ("a.yml", "---\na: 1\n" * 1_001, "more than 1,000 documents: split it"),
    ],
)
def test_what_no_person_writes_is_refused_by_a_count(name: str, text: str, words: str) -> None:
    with pytest.raises(TooLargeError, match=words):
        read(Source(name, text))


@pytest.mark.slow
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


@pytest.mark.slow
def test_blank_lines_of_toml_take_no_room_each() -> None:
    (document,) = read(Source("a.toml", "a = 1" + "\n" * 1_900_000 + "b = '''" + "x\n" * 40_000 + "'''"))
    assert document.value["a"] == 1


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail where the block takes more CPU time, rather than wait for it."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"more than {seconds} s of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


LINE = "python train.py "
HANGING = {
    "a fence's name and a backtick": ("a.md", f"```{'a' * 50_000}`\n"),
    "brackets in one command of a page": ("a.md", "```bash\n" + f"{LINE}[" * 20_000),
    "a prompt without an end": ("a.md", f"```bash\n{LINE}\na@{'b' * 50_000}\n```\n"),
    "drives in a prompt": ("a.md", f"```bash\n{LINE}\na@{'c:/'.replace('/', chr(92)) * 50_000}\n```\n"),
    "blanks in a dump of options": ("a.txt", f"--- Options ---\na: {' ' * 5_000}x\n--- End ---\n"),
    "comments before what is no JSON": ("a", "/**/" * 500 + "x"),
    "block comments without an end": ("a.ps1", "train <# " * 30_000),
    "quotes in one command": ("a.sh", "train " + "'me: " * 20_000),
    "blanks behind an open quote": ("a.sh", f'{LINE}"{" " * 200_000}x\n'),
    "outputs before a long line": ("a.sh", "train " + "$(x)" * 50_000 + "y" * 2_000_000),
    "blanks in a magic": ("a.ipynb", notebook(f"%env A{' ' * 50_000}\n!{LINE}")),
    "nested magics": ("a.ipynb", notebook("%%time\n" * 50_000 + f"!{LINE}")),
    "keywords": ("a.sh", "then " * 95_000 + " train"),
    "a flag twenty thousand times": ("a.sh", LINE + "--a1 1 --b 1 " * 20_000),
    "words of one flag": ("a.sh", f"{LINE}--a {'1 ' * 40_000}"),
    "variables in a default": ("a.sh", "A=a\ntrain\n" + f"x ${{B:-{'$A' * 4_000}}}\n" * 3_000),
    "escaped quotes in an open text": ("a.toml", 'a = "' + '\\" ' * 50_000),
    "numbers almost too long": ("a.toml", "# " + ("9" * 999 + " ") * 1_900),
    "comments in a merged mapping": ("a.yml", f"a:\n  <<: {{ {'# ' * 60}\n    b: 1}}\n"),
    "an alias under one key": ("a.yml", f"a: &x [{'1,' * 30_000}]\n" + "b: *x\n" * 20_000),
}
"""Each of these took minutes or would never have ended: time grew with the length's square, or faster."""


@pytest.mark.rest
@pytest.mark.parametrize(("name", "text"), HANGING.values(), ids=HANGING)
def test_time_grows_with_the_length_alone(name: str, text: str) -> None:
    with within(5), suppress(UnreadableError):
        read(Source(name, text))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "a.sh",
            "".join(f"export A{at}=1\n" for at in range(MOST_EXPORTED + 1)),
            "exports more than 1,000 variables",
        ),
        (
            "a.sh",
            "".join(f"export A{at}=1\n" for at in range(200)) + f"{LINE}\n" * 900,
            "words and marks of shell",
        ),
        ("a.sh", f"A={'a' * 9_999}\n{LINE}{'$A' * 5_000}", "words and marks of shell"),
        ("a.toml", f"a = [{'1,' * MOST_VALUES_READ}]", "more than 100,000 values"),
        ("a.toml", "".join(f"[a{at}{'.b' * 90}]\n" for at in range(2_000)), "more than 100,000 values"),
        ("a.yml", f"a: &x [{'1,' * 30_000}]\n" + "b: *x\n" * 5, "more than 100,000 values"),
    ],
)
def test_what_grows_out_of_little_text_is_refused_by_a_count(name: str, text: str, words: str) -> None:
    with pytest.raises(UnreadableError, match=words):
        read(Source(name, "train\n" * name.endswith("sh") + text))


def cell(outputs: str) -> str:
    return f'{{"cells": [{{"cell_type": "code", "source": "!{LINE}", "outputs": {outputs}}}]}}'


@pytest.mark.rest
def test_outputs_of_many_lists_are_refused() -> None:
    with pytest.raises(TooLargeError, match="more than 1,000,000 lists in its outputs"):
        read(Source("a.ipynb", cell(f"[{'[],' * (BRACKETS // 2)}[]]")))


def test_outputs_longer_than_a_config_are_stepped_over_and_not_built() -> None:
    (document,) = read(Source("a.ipynb", cell(f"[{'1,' * (FILE_BYTES // 2)}]")))
    assert document.value["@script"] == "train.py"
    with pytest.raises(UnreadableError, match="not valid JSON"):
        read(Source("a.ipynb", cell("[1,]")))


@pytest.mark.parametrize("text", ["", "a", "\n", "ab\r\n\nc\n", "\n\nx", "é\n\u2028y\nz"])
def test_every_character_has_its_line_and_column(text: str) -> None:
    source = Source("a.yml", text)
    for offset in range(len(text) + 1):
        line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
        assert source.position(offset) == (line, column)
        assert source.offset(line, column) == offset
        assert source.line(line) == text.split("\n")[line - 1].rstrip("\r")
    assert source.line(text.count("\n") + 2) == ""


def test_lines_of_a_file_take_a_few_bytes_each() -> None:
    source = Source("a.yml", "\n" * 500_000)
    tracemalloc.start()
    try:
        assert source.position(499_999) == (500_000, 1)
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()

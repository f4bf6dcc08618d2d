# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Script files and text files, through the reader that their name gets."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError
from trainlint.files.text_source import load_source, source_of
from trainlint.model.document import Document


def documents(text: str, path: str) -> tuple[Document, ...]:
    return read(source_of(text.encode(), path))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.sh", "#!/bin/sh\nB=4\npython train.py \\\n  --b $B\n"),
        ("a.bash", "B=4; python train.py --b ${B}"),
        ("a.sbatch", "#SBATCH --gres=gpu:1\nB=4\nsrun python train.py --b ${B}"),
        ("a.slurm", "B=4; python train.py --b ${B}"),
        ("a.bat", "set B=4\r\npython train.py ^\r\n  --b %B%\r\n"),
        ("a.bat", "python train.py ^\n  --b 4 ^"),
        ("a.sh", "python train.py \\\n  --b 4 \\"),
        ("a.cmd", "@set B=4\r\n@python train.py --b %B%\r\n"),
        ("a.ps1", "$B = 4\npython train.py `\n  --b $B\n"),
        ("a.txt", "# notes\npython train.py --b 4\n"),
        ("a.txt", "--b 4\n"),
        ("a.txt", "----- Options -----\n  b: 4   \t[default: 1]\n----- End -----\n"),
        ("a.md", "```\npython train.py --b 4\n```\n"),
        ("<stdin>", "#!/usr/bin/env bash\npython train.py --b 4\n"),
        ("<stdin>", "CUDA_VISIBLE_DEVICES=0 python train.py --b 4\n"),
    ],
)
def test_each_kind_of_file_gives_its_command(path: str, text: str) -> None:
    (document,) = documents(text, path)
    assert document.format == "command"
    assert document.value["b"] == "4"
    assert "@args" not in document.value


def test_a_script_of_bash_with_windows_line_ends_stops_at_the_first_of_a_command() -> None:
    """Bash takes an escaped CR for a word, and the line's end for the command's; a page is pasted."""
    text = "python train.py \\\r\n  --b 4\r\n"
    (document,) = documents(text, "a.sh")
    assert document.broken is not None
    assert "Windows line end" in str(document.broken)
    (pasted,) = documents(f"```\n{text}```\n", "a.md")
    assert pasted.broken is None
    (whole,) = documents("python train.py --b 4\r\n", "a.sh")
    assert whole.broken is None


def test_several_jobs_each_at_its_own_line() -> None:
    found = documents("python train.py --a 1\n\npython test.py\npython train.py --a 2\n", "a.sh")
    assert [(document.index, document.line, document.value["a"]) for document in found] == [
        (0, 1, "1"),
        (1, 4, "2"),
    ]


def test_options_that_a_parser_printed() -> None:
    text = "x\n-------- Options ------\n    batch_sz: 4    \n   name: a b\t[default: c]\n  empty:  \n"
    text += "----- End -----\n"
    (document,) = documents(text, "opt.txt")
    assert document.value == {"batch_sz": "4", "name": "a b", "empty": ""}
    assert document.source.position(document.places["batch_sz",].value.start) == (3, 15)
    assert document.meta["script"] is None


@pytest.mark.parametrize("path", ["a.sh", "a.bat", "a.ps1", "a.txt", "a.md"])
@pytest.mark.parametrize(
    "text", ["", "\n", "training notes, don't run\n", "pip install -r requirements.txt\n"]
)
def test_files_without_training_commands_give_nothing(path: str, text: str) -> None:
    assert documents(text, path) == ()


def test_half_a_command_is_a_document_that_says_so() -> None:
    (document,) = documents("python train.py --a 'x\n", "a.sh")
    assert isinstance(document.broken, UnreadableError)
    assert document.broken.line == 1


# The third-party files, where they are there.


def test_every_training_command_of_the_guides_and_none_invented(shared: Path) -> None:
    counts = {}
    for path in sorted((shared / "guides").glob("*.md")):
        found = read(load_source(str(path)))
        counts[path.name] = (
            sum(d.format == "command" for d in found),
            sum(d.format != "command" for d in found),
        )
        lines = path.read_text().split("\n")
        for document in found:
            if document.format == "command":
                assert Path(document.meta["script"]).name in lines[document.line - 1]
    assert counts == {
        "glf-cr-kaggle-t4x2.md": (1, 0),
        "paragonsr2-rtx3060.md": (0, 1),
        "real-esrgan-rtx4090.md": (0, 0),
        "vae-rtx5090.md": (11, 1),
        "zoom23-2x-titan-rtx.md": (10, 0),
    }


def test_listed_commands_are_found(shared: Path) -> None:
    missed = []
    with (shared / "corpus" / "commands.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            command = row["cmd"].replace("\\\\ >", "\\\n").lstrip("> ")
            found = [document for document in documents(command + "\n", "a.txt") if not document.broken]
            if not found:
                missed.append(command)
    signs = ("echo", "# ", "#CUDA", "--help", "download", "pretrained.py", "mpi=pmi2")
    assert [command for command in missed if not any(sign in command for sign in signs)] == []


def test_every_corpus_file_is_read_or_has_its_reason(shared: Path) -> None:
    reasons = {}
    total = 0
    with (shared / "corpus" / "INDEX.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            path = shared / "corpus" / row["file"]
            total += 1
            try:
                assert read(load_source(str(path)))
            except UnreadableError as error:
                reasons[row["file"]] = (type(error).__name__, error.line)
    assert total > 0
    kinds = {name for name, _ in reasons.values()}
    assert kinds <= {"TemplateError", "UnreadableError"}
    unreadable = {name for name, (kind, _) in reasons.items() if kind == "UnreadableError"}
    assert unreadable == {"neosr-project__neosr/options/train_dctlsa.toml"}


def test_a_listing_that_left_out_a_commands_next_lines() -> None:
    first = "# run.bat\npython train_a.py ^\n# other.bat\n"
    text = f"{first}python train_b.py --lr 1 ^\n  --epochs 2\npython train_c.py --lr 1\n"
    cut, whole, plain = documents(text, "commands.txt")
    assert cut.meta["partial"]
    assert not whole.meta["partial"]
    assert whole.value["epochs"] == "2"
    assert not plain.meta["partial"]


def test_a_line_of_the_scripts_own_arguments_is_no_command() -> None:
    assert read(source_of(b'"$@"\n$@\n', "a.txt")) == ()
    (document,) = read(source_of(b'python train.py --a 1\n"$@"\n', "a.txt"))
    assert document.value["a"] == "1"


@pytest.mark.parametrize(
    ("words", "partial"), [("... other arguments", True), ("… etc.", True), ("the rest", False)]
)
def test_a_comment_with_an_ellipsis_leaves_arguments_out(words: str, partial: bool) -> None:
    (document,) = documents(f"python train.py --name x \\\n    # {words}\n", "run.sh")
    assert bool(document.meta["partial"]) is partial

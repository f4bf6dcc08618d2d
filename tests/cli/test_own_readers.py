# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository's own script decides which keys are read: what it takes or never asks for is not wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

CASES = {
    "basicsr-own-phases": "options/train/two_sets.yml",
    "legacy-dataset-class-in-script": "code/confs/stage1.yml",
    "timm-fork-two-positionals": "train.sh",
}
"""Repositories cut down to what was called wrong, and what of them is linted."""


@pytest.mark.parametrize("name", CASES)
def test_what_the_script_takes_is_no_fail(trainlint, shared: Path, name: str) -> None:
    case = shared / "cases/repositories" / name
    for path in case.rglob("*"):
        if path.is_file() and path.name != "README.md":
            trainlint.write(str(path.relative_to(case)), path.read_text("utf-8"))
    trainlint.write(".git/HEAD", "")
    results = trainlint.json(CASES[name], "-t", "rtx-3090", "--no-trace")["results"]
    assert [
        one["message"] for result in results for one in result["findings"] if one["level"] == "fail"
    ] == []


PARSER = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('data_dir')
SECONDparser.add_argument('--model', default='resnet50', type=str)
parser.add_argument('-b', '--batch-size', type=int, default=128)
parser.add_argument('--opt', default='sgd', type=str)
parser.add_argument('--sched', default='cosine', type=str)
parser.add_argument('--amp', action='store_true', default=False)
"""


@pytest.mark.parametrize(("second", "level"), [("parser.add_argument('depth')\n", []), ("", ["fail"])])
def test_words_without_a_flag_are_held_against_the_parser(trainlint, second: str, level: list[str]) -> None:
    trainlint.write("train.py", PARSER.replace("SECOND", second))
    trainlint.write(
        "train.sh", "python train.py /data /depth --model resnet50 --opt adamw --sched cosine --amp\n"
    )
    trainlint.write(".git/HEAD", "")
    results = trainlint.json("train.sh", "-t", "rtx-3090", "--no-trace")["results"]
    found = [one for result in results for one in result["findings"] if "@args" in one["message"]]
    assert [one["level"] for one in found] == level

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the command prints, read as prose once and held since (TRAINLINT_UPDATE_SNAPSHOTS=1 rewrites it)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

SNAPSHOTS = Path(__file__).parent / "snapshots"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("typos", ("typos.yml",)),
        ("unreadable", ("broken/unclosed.yml", "notes.yml", "train_foo.sh")),
        ("concise", ("typos.yml", "--format", "concise")),
        ("diff", ("typos.yml", "--diff")),
        ("github", ("typos.yml", "--format", "github")),
        ("rule", ("rule", "queue-not-divisible")),
        ("help", ("--help",)),
    ],
)
def test_output(trainlint, name, arguments) -> None:
    shutil.copytree(EXAMPLES, trainlint.folder, dirs_exist_ok=True)
    trainlint.write("notes.yml", "site_name: notes\n")
    trainlint.write("train_foo.sh", "python train_foo.py --lr 1e-4\n")
    trainlint.write("none/.keep", "")  # no stored profiles: what memory says is held elsewhere
    if arguments[0].endswith((".yml", ".sh")):
        arguments = (*arguments, "--no-trace", "--profiles-dir", "none")
    done = trainlint(*arguments)
    text = f"$ trainlint {' '.join(arguments)}\n{done.stdout}{done.stderr}[exit {done.returncode}]\n"
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("TRAINLINT_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")

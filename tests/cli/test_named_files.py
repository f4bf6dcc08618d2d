# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file of a linted tree that is called like an option is obeyed by nobody."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
NAMES = [
    "--python=run.sh",
    "--output=package.json",
    "--ignore=vram-budget",
    "--baseline=b.json",
    "-omine",
    "--x",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", [(), ("check",), ("check", "--skip-unknown", "--no-trace")])
def test_an_option_that_is_a_file_is_refused(trainlint, config, name: str, command) -> None:
    trainlint.write("a.yml", config)
    trainlint.write("run.sh", "#!/bin/sh\necho ran > ran\n").chmod(0o755)
    trainlint.write("package.json", "{}")
    (trainlint.folder / name).touch()
    done = trainlint(*command, name, "a.yml", "package.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert name in done.stderr
    assert not (trainlint.folder / "ran").exists()
    assert (trainlint.folder / "package.json").read_text() == "{}"


def test_behind_two_dashes_it_is_a_file(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    trainlint.write("--python=run.yml", config)
    done = trainlint("--no-trace", "-t", "rtx-3060", "--", "--python=run.yml", "a.yml")
    assert "skip  --python=run.yml: " in done.stdout
    assert "skip  a.yml: " in done.stdout


def test_an_option_that_is_no_file_is_one(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    assert trainlint("--no-trace", "-t", "rtx-3060", "a.yml").returncode == 0
    assert trainlint("-", "--no-trace", text=config).returncode == 0


def test_the_name_is_shown_without_what_a_terminal_obeys(trainlint) -> None:
    name = "--\x1b[31m\u202e"
    (trainlint.folder / name).touch()
    assert "\x1b" not in trainlint(name).stderr


def test_hooks_and_their_examples_end_the_options() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [hook["args"][-1] for hook in hooks] == ["--"] * len(hooks)
    for name in (".pre-commit-hooks.yaml", "README.md", "docs/ci.md"):
        for words in re.findall(r"args: \[(.*)\]", (ROOT / name).read_text("utf-8")):
            assert words.endswith("--"), (name, words)

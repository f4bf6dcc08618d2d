# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where the output cannot go, the exit code says so: it is neither "findings" nor an error of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = ["--no-trace -t rtx-3060 a.yml", "explain a.yml -t rtx-3060", "targets", "--format json a.yml"]
pytestmark = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="a device that is always full is Linux's"
)


@pytest.fixture
def shell(trainlint, config):
    trainlint.write("a.yml", config)

    def run(words: str) -> tuple[int, str]:
        command = ["bash", "-c", f'"{sys.executable}" -m trainlint {words}']
        done = subprocess.run(
            command, cwd=trainlint.folder, env=trainlint.env, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stderr

    return run


@pytest.mark.rest
@pytest.mark.parametrize("words", [*COMMANDS, "--help", "--version", "rules --help"])
@pytest.mark.parametrize("where", [">&-", "> /dev/full"])
def test_output_that_goes_nowhere_is_said_in_one_line(shell, words: str, where: str) -> None:
    code, said = shell(f"{words} {where}")
    assert code == 2
    assert said.count("\n") == 1
    assert said.startswith("trainlint: ")
    assert "report it" not in said


@pytest.mark.process
@pytest.mark.parametrize("where", ["2>&-", "2> /dev/full"])
def test_without_standard_error_the_verdict_is_the_same(shell, where: str) -> None:
    code, _ = shell(f"--no-trace -t rtx-3060 a.yml {where}")
    assert code == 0
    code, _ = shell(f"--no-trace -t no-such-target a.yml {where}")
    assert code == 2


def test_with_neither_it_is_silent(shell) -> None:
    assert shell("--no-trace -t rtx-3060 a.yml >&- 2>&-") == (2, "")


@pytest.mark.rest
@pytest.mark.parametrize("words", [*COMMANDS, "--help", "--version", "rules --help", "rules"])
def test_a_reader_that_left_is_neither_findings_nor_spoken_about(trainlint, config, words: str) -> None:
    trainlint.write("a.yml", config)
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [sys.executable, "-m", "trainlint", *words.split()], cwd=trainlint.folder, env=trainlint.env,
        stdout=writes, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writes)
    assert (done.returncode, done.stderr) == (2, "")

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Many files are printed as they are done, and an interrupt keeps what was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from .conftest import hear_interrupts

pytestmark = pytest.mark.process

FILES = 300
"""Enough for seconds, of which the test waits for the first file alone."""


@pytest.mark.skipif(os.name == "nt", reason="SIGINT is sent to one process")
def test_an_interrupt_leaves_what_was_done_and_says_so(trainlint, variant) -> None:
    for number in range(FILES):
        trainlint.write(f"{number:03}.yml", variant(("gt_size: 128", "gt_size: 127")))
    command = [sys.executable, "-m", "trainlint", ".", "--no-trace", "--format", "concise"]
    running = subprocess.Popen(
        command, cwd=trainlint.folder, env=trainlint.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", preexec_fn=hear_interrupts,  # noqa: PLW1509  # no thread of ours runs here
    )  # fmt: skip
    assert running.stdout is not None
    first = running.stdout.readline()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert first.startswith("000.yml:")
    assert f"{FILES - 1}.yml" not in out
    assert running.returncode == 130
    (line,) = err.splitlines()
    assert line.startswith("trainlint: interrupted after ")
    assert line.endswith(f" of {FILES} files")


@pytest.mark.parametrize("name", ["text", "concise"])
def test_what_is_printed_file_by_file_is_the_whole_report(trainlint, config, variant, name) -> None:
    trainlint.write("b/one.yml", config)
    trainlint.write("b.yml", variant(("gt_size: 128", "gt_size: 127")))
    trainlint.write("c.yml", "a: [\n")
    trainlint.write("d.yml", "site_name: x\n")
    arguments = ("b.yml", "d.yml", "b", "c.yml", "--no-trace", "--format", name)
    printed = trainlint(*arguments)
    assert trainlint(*arguments, "--output", "whole.txt").returncode == printed.returncode == 2
    assert printed.stdout == (trainlint.folder / "whole.txt").read_text(encoding="utf-8")
    assert printed.stdout.index("b.yml") < printed.stdout.index("c.yml")

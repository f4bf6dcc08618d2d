# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Every command once, as a shell starts it: an interpreter of its own, one config, what it prints first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainlint.cli.main import COMMANDS
from trainlint.hardware.cuda_context import EAGER_MIB

from .conftest import Command

EXAMPLE = Path(__file__).parents[2] / "examples" / "msrresnet_x4.yml"
CARD = ("-t", "t4")
RUNS = {
    "check": (("check", "a.yml", *CARD, "--no-trace"), 0, "a.yml on t4"),
    "fit": (("fit", "a.yml", *CARD, "--no-trace"), 0, "t4"),
    "sweep": (
        ("sweep", "a.yml", "datasets.train.batch_size_per_gpu=8,16", *CARD, "--no-trace"),
        0,
        "combination",
    ),
    "diff": (("diff", "a.yml", "b.yml", *CARD, "--no-trace"), 0, "b.yml"),
    "explain": (("explain", "a.yml", *CARD, "--no-trace"), 0, "t4"),
    "spec": (("spec", "a.yml"), 0, "batch.per_gpu"),
    "init": (("init", "--help"), 0, "Usage: trainlint init"),
    "dry-run": (("dry-run", "--help"), 0, "Usage: trainlint dry-run"),
    "trace": (("trace", "a.yml"), 0, "profile"),
    "measure": (("measure", "nowhere.yml"), 2, "nowhere.yml"),
    "rule": (("rule", "crop-scale"), 0, "crop-scale (fail)"),
    "rules": (("rules",), 0, "crop-scale"),
    "targets": (("targets", "rtx-3060"), 0, "RTX 3060"),
    "dialects": (("dialects",), 0, "basicsr"),
    "schema": (("schema", "basicsr"), 0, '"$schema"'),
    "lsp": (("lsp", "--help"), 0, "Usage: trainlint lsp"),
}
"""Arguments, the exit code, and words of what is printed."""


def test_every_command_is_run() -> None:
    assert RUNS.keys() == COMMANDS.keys()


@pytest.mark.parametrize("name", RUNS)
def test_a_command_runs_as_a_shell_starts_it(name, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(Command, "server", None)
    trainlint = Command(tmp_path)
    text = EXAMPLE.read_text("utf-8")
    trainlint.write("a.yml", text)
    trainlint.write("b.yml", text.replace("batch_size_per_gpu: 16", "batch_size_per_gpu: 8"))
    words, code, says = RUNS[name]
    done = trainlint(*words)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert says in done.stdout + done.stderr


@pytest.mark.rest
def test_explain_has_the_context_that_check_has(trainlint: Command) -> None:
    """What the job installs decides it: torch 1.9 loads every CUDA kernel at the start."""
    trainlint.write("a.yml", EXAMPLE.read_text())
    trainlint.write("requirements.txt", "torch==1.9.0\n")
    (result,) = trainlint.json("a.yml", *CARD, "--no-trace")["results"]
    context = result["facts"]["memory"]["gpus"][0]["context"] // 2**20
    said = trainlint("explain", "a.yml", *CARD, "--no-trace").stdout
    assert context == EAGER_MIB[1]
    assert re.search(rf"^CUDA context +{context:,} ", said, re.MULTILINE)

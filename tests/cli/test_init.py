# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint init`: what can be read of a network or a script goes into a job, the rest is asked for."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from trainlint.cli.options.shared_options import Interpreter

NET = """\
from torch import nn
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(8, 3, 3, padding=1)
    def forward(self, x):
        return self.c(x)
class Net(nn.Module):
    def __init__(self, ch=4):
        super().__init__()
        self.a, self.h = nn.Conv2d(ch, 8, 3, padding=1), Head()
    def forward(self, x):
        return self.h(self.a(x))
"""
SCRIPT = f"""\
import argparse
import torch
{NET}
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=30)
parser.add_argument("--batch-size", type=int, default=12)
optimizer = torch.optim.SGD(Net().parameters(), lr=0.1)
loss = nn.L1Loss()
with torch.autocast("cuda", dtype=torch.bfloat16):
    pass
"""


def test_a_network_alone_leaves_input_and_batch_to_fill_in(trainlint) -> None:
    trainlint.write("net.py", NET)
    done = trainlint("init", "net.py")
    assert done.returncode == 0, done.stderr
    assert "wrote job.yml for Net; fill in: input, batch\n" in done.stdout
    job = (trainlint.folder / "job.yml").read_text()
    assert "model: net:Net\n" in job
    assert "# input: [4, HEIGHT, WIDTH]  # fill in: " in job
    assert "\nbatch" not in job  # nothing is made up


def test_a_script_that_imports_its_network_is_enough(trainlint) -> None:
    trainlint.write("net.py", NET)
    trainlint.write("train.py", f"from net import Net\n{SCRIPT.replace(NET, '')}")
    done = trainlint("init", "train.py")
    assert done.stdout.startswith("wrote job.yml for Net; fill in: input\n"), done.stderr
    job = (trainlint.folder / "job.yml").read_text()
    assert "model: net:Net\n" in job
    assert "# input: [4, HEIGHT, WIDTH]" in job
    assert "batch: 12  # train.py:" in job


@pytest.mark.parametrize(
    ("layers", "shape"),
    [
        ("self.act = nn.ReLU(inplace=True); self.a = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU())", " [1, "),
        ("self.a = nn.Sequential(nn.Sequential(nn.Conv2d(3, 8, 3))); self.b = nn.Conv2d(8, 1, 1)", " [3, "),
        ("self.a = block(3, 32); self.b = nn.Conv2d(32, 19, 1)", ""),
        ("self.a = nn.Embedding(100, 16); self.b = nn.Conv1d(16, 8, 3)", ""),
    ],
)
def test_the_channels_are_those_of_the_first_layer_or_left_open(trainlint, layers, shape) -> None:
    trainlint.write(
        "net.py", NET.replace("self.a, self.h = nn.Conv2d(ch, 8, 3, padding=1), Head()", f"{layers}; Head()")
    )
    trainlint("init", "net.py")
    written = f"{shape}HEIGHT, WIDTH]" if shape else ""
    assert f"# input:{written}  # fill in: " in (trainlint.folder / "job.yml").read_text()


def test_a_script_gives_what_it_says_with_its_line(trainlint) -> None:
    trainlint.write("train.py", SCRIPT)
    trainlint("init", "train.py")
    job = (trainlint.folder / "job.yml").read_text()
    for line in (
        "batch: 12  # train.py:19",
        "epochs: 30  # train.py:18",
        "optimizer: SGD",
        "loss: l1",
        "precision: bf16",
    ):
        assert f"\n{line}" in job


@pytest.mark.slow
def test_a_job_finds_its_network_beside_itself(trainlint) -> None:
    trainlint.write("net/net.py", NET)
    trainlint.write("net/job.yml", "trainlint: 1\nmodel: net:Net\ninput: [4, 64, 64]\nbatch: 2\n")
    done = trainlint("net/job.yml", "--python", sys.executable, "-t", "rtx-3060", "--format", "json")
    (result,) = json.loads(done.stdout)["results"]
    assert result["facts"]["memory"] is not None, result["skipped"]
    assert result["networks"][0]["parameters"] == 8 * 4 * 9 + 8 + 3 * 8 * 9 + 3


@pytest.mark.slow
def test_a_step_that_was_stored_serves_another_card_without_torch(trainlint) -> None:
    trainlint.write("net.py", NET)
    trainlint.write("job.yml", "trainlint: 1\nmodel: net:Net\ninput: [4, 64, 64]\nbatch: 2\n")
    done = trainlint("trace", "job.yml", "--python", sys.executable, "-t", "rtx-4090")
    assert done.returncode == 0, done.stderr
    for card in ("rtx-3090", "t4"):
        shown = trainlint("job.yml", "--no-trace", "-t", card).stdout
        assert shown.startswith(f"pass  job.yml on {card}: "), shown
        assert "by a profile that the project has stored" in shown


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.py", "x = 1\n", "has no network"),
        ("b.py", "class:\n", "cannot be read as Python"),
        ("my-net.py", NET, "cannot be imported by that name"),
    ],
)
def test_what_is_no_network_is_said(trainlint, name, text, said) -> None:
    trainlint.write(name, text)
    done = trainlint("init", name)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (trainlint.folder / "job.yml").exists()


def test_a_job_that_is_there_is_left(trainlint) -> None:
    trainlint.write("net.py", NET)
    trainlint.write("job.yml", "mine: 1\n")
    done = trainlint("init", "net.py")
    assert done.returncode == 2
    assert (trainlint.folder / "job.yml").read_text() == "mine: 1\n"


def test_an_interpreter_by_its_name_is_looked_up_in_path_and_not_here(tmp_path, monkeypatch) -> None:
    """What lies in the folder that is linted is not run for its name."""
    there, here = tmp_path / "bin" / "python-x", tmp_path / "here" / "python-x"
    for program in (there, here):
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.chdir(here.parent)
    monkeypatch.setenv("PATH", str(there.parent))
    kind = Interpreter(exists=True, dir_okay=False, path_type=Path)
    assert kind.convert("python-x", None, None) == there
    assert kind.convert("./python-x", None, None) == Path("./python-x")

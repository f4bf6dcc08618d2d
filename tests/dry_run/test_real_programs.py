# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Real programs on this environment's torch, from the command to the report."""

from __future__ import annotations

import json
import shlex
import sys

import pytest
from click.testing import CliRunner

from trainlint.cli.main import main

from .conftest import facts

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

PROGRAM = """\
import argparse, os, torch
from torch import nn

class Noise(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 20
    def __getitem__(self, index):
        return torch.rand(3, 64, 64), index % 10

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--classes", type=int, default=10)
parser.add_argument("--compile", action="store_true")
arguments = parser.parse_args()
net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(),
                    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).cuda()
if arguments.compile:
    net = torch.compile(net)
optimizer = torch.optim.AdamW(net.parameters())
head = nn.Linear(arguments.classes, 1).cuda()
os.makedirs("runs")
loader = torch.utils.data.DataLoader(Noise(), arguments.batch_size, num_workers=2, drop_last=True)
for images, labels in loader:
    found = net(images.cuda())
    head(found)
    loss = nn.functional.cross_entropy(found, labels.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)

    def dry_run(words: str, target: str = "rtx-3060"):
        command = f"dry-run -q -t {target} --format json -- {shlex.quote(sys.executable)} train.py {words}"
        return CliRunner().invoke(main, shlex.split(command), prog_name="trainlint", standalone_mode=False)

    return dry_run


def test_a_program_is_judged_by_its_own_step(run, tmp_path):
    (one,) = facts(run("--batch-size 32"))
    gpu = one["facts"]["memory"]["gpus"][0]
    activations = 32 * 64 * 64 * 64 * 4  # bytes of one of the four that backward keeps, in float32
    assert 3 * activations < gpu["allocated"] < 8 * activations
    assert one["verdicts"]["memory"] == "pass"
    assert {network["parameters"] for network in one["networks"]} >= {39_370}
    assert not (tmp_path / "runs").exists()


def test_the_largest_batch_is_one_that_fits(run):
    (one,) = facts(run("--batch-size 4000"))
    assert {finding["rule"] for finding in one["findings"]} >= {"vram-budget"}
    most = one["facts"]["memory"]["largest_batch"]
    (other,) = facts(run(f"--batch-size {most}"))
    assert "vram-budget" not in {finding["rule"] for finding in other["findings"]}


def test_a_shape_that_does_not_fit_is_the_programs_own_error(run):
    result = run("--batch-size 8 --classes 7")
    (one,) = facts(result)
    (finding,) = one["findings"]
    assert result.return_value == 1
    assert finding["rule"] == "program-crashes"
    assert "train.py:25" in finding["message"]


def test_what_torch_compile_makes_is_not_judged(run):
    (one,) = facts(run("--batch-size 8 --compile"))
    assert one["verdicts"]["memory"] == "not-judged"
    assert "torch.compile" in json.dumps(one["skipped"])

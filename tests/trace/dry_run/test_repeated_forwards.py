# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An evaluation before the first step: forwards that repeat are left out, and nothing changes by that."""

from __future__ import annotations

import pytest

from tests.trace.dry_run.programs import dry_run

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

PROGRAM = """
import random
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(256, 4096), nn.ReLU(), nn.Linear(4096, 256))
        self.ran = 0
    def forward(self, x):
        global RAN
        RAN += 1
        {forward}
        return {output}

def sum_of(out):
    return (out["y"] if isinstance(out, dict) else out).sum()

RAN = 0
kept = []
net = Net().cuda()
optimizer = torch.optim.AdamW(net.parameters())
net.eval()
with torch.no_grad():
    for index in range(60):
        out = net(torch.ones(8 if index % 2 else 16, 256, device="cuda"))
        loss = sum_of(out).item()
        {after}
net.train()
print("ran", RAN, flush=True)
for _ in range(4):
    net.zero_grad()
    sum_of(net(torch.ones(8, 256, device="cuda"))).backward()
    optimizer.step()
"""
OUTPUT = "self.layers(x)"


def ran_of(tmp_path, forward="pass", output=OUTPUT, after="pass"):
    ran = dry_run(tmp_path, PROGRAM.format(forward=forward, output=output, after=after))
    assert ran.outcome["status"] == "recorded", ran.printed
    return ran, int(ran.printed.rpartition("ran ")[2].split()[0])


@pytest.mark.parametrize("output", [OUTPUT, f"{{'y': {OUTPUT}, 'n': 3, 'none': None}}"])
def test_forwards_that_repeat_are_left_out_and_said(output, tmp_path):
    ran, count = ran_of(tmp_path, output=output)
    assert count == 6  # three of each shape
    assert any("54 of 60 forwards without gradients" in str(note) for note in ran.outcome["notes"])


@pytest.mark.parametrize(
    ("forward", "output", "after"),
    [
        ("x = x * 2 if x.sum().item() > 3 else x", OUTPUT, "pass"),  # goes by a value
        ("x = x * random.random()", OUTPUT, "pass"),  # by chance
        ("x = x + torch.rand(1).cuda()", OUTPUT, "pass"),
        ("self.ran += 1", OUTPUT, "pass"),  # by what it counts
        ("kept.append(x + 1)", OUTPUT, "pass"),  # it keeps something
        ("pass", f"{OUTPUT} if self.training else x", "pass"),  # its output is nothing new
        ("pass", "self.layers(x)[:2]", "pass"),
        ("x = torch.nonzero(x > 0)[:, :1].expand(-1, 256).float()", OUTPUT, "pass"),  # sizes by values
        ("pass", OUTPUT, "kept.append(torch.ones(1 << 15, device='cuda'))"),  # each begins with more
    ],
)
def test_one_that_may_do_another_thing_is_run(forward, output, after, tmp_path):
    ran, count = ran_of(tmp_path, forward, output, after)
    assert count == 60
    assert not any("without gradients" in str(note) for note in ran.outcome["notes"])


def test_the_steps_tape_is_the_same_as_after_an_evaluation_that_was_run(tmp_path):
    left_out, _ = ran_of(tmp_path)
    (tmp_path / "whole").mkdir()
    whole, count = ran_of(tmp_path / "whole", forward="self.ran += 1")
    assert count == 60
    assert left_out.outcome["peaks"] == whole.outcome["peaks"]
    assert left_out.outcome["lives"] == whole.outcome["lives"]

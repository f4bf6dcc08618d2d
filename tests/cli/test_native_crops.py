# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The largest inputs of a job of trainlint's own YAML: what follows from others is held against a trace."""

from __future__ import annotations

import json
import sys

import pytest

PAIR = """\
from torch import nn
from torch.nn import functional as F


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.map = nn.Conv2d(3, 64, 3, padding=1), nn.Conv2d(1, 64, 3, padding=1)
        self.merged = nn.Conv2d(64, 2, 3, padding=1)

    def forward(self, image, map):
        return self.merged(F.relu(self.image(image) + F.interpolate(self.map(map), scale_factor=2)))
"""
JOB = """\
trainlint: 1
model: pair:Pair
input: [[3, {height}, {width}], [1, {half_height}, {half_width}]]
target: [2, {height}, {width}]
batch: 64
"""
"""A network that takes an image and a smaller map."""


def job_at(height: int) -> str:
    width = height * 3 // 2
    return JOB.format(height=height, width=width, half_height=height // 2, half_width=width // 2)


@pytest.mark.slow
@pytest.mark.torch
def test_the_largest_inputs_of_a_native_job_fit_and_the_next_do_not(trainlint, tmp_path_factory) -> None:
    trainlint.write("code/pair.py", PAIR)
    trainlint.write("job.yml", job_at(64))
    target = ("-t", "rtx-3060", "--python", sys.executable, "--networks", "code")
    jobs = json.loads(trainlint("fit", "job.yml", "--solve", "crop", *target, "--format", "json").stdout)[
        "jobs"
    ]
    (solved,) = jobs[0]["targets"]
    assert solved["key"] == "input.0.1"
    assert "crop limit: input" in trainlint("fit", "job.yml", "--crop", *target).stdout
    shown = trainlint("fit", "job.yml", "--solve", "crop", *target).stdout
    for name in ("now", "safe", "value", "above"):  # each a height, whose width is half as much again
        assert f"{solved[name]}x{solved[name] * 3 // 2}" in shown
    trainlint.env["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("empty"))  # each is traced anew
    judged = []
    for height in (solved["value"], solved["above"]):
        trainlint.write(f"{height}.yml", job_at(height))
        (one,) = json.loads(trainlint(f"{height}.yml", *target, "--format", "json").stdout)["results"]
        (memory,) = one["facts"]["memory"]["gpus"]
        judged.append((memory["least"], {finding["rule"] for finding in one["findings"]}))
    assert judged[0][0] == solved["readings"][0]["least"]
    assert not judged[0][1] & {"vram-budget", "vram-fragmentation"}
    assert judged[1][1] & {"vram-budget", "vram-fragmentation"}

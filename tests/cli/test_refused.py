# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What only a constructor or a forward notices fails at the config's line, through the real command."""

from __future__ import annotations

import json
import sys

import pytest

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

JOB = """\
trainlint: 1
model: SRVGGNetCompact
args: {num_in_ch: 3, num_out_ch: 3, num_feat: 16, num_conv: 2}
input: [3, 32, 32]
batch: 2
optimizer: {type: SGD, momentum: 0.9}
"""
OWN = """\
from torch import nn


class Heads(nn.Module):
    def __init__(self, width, heads=1):
        super().__init__()
        assert width % heads == 0, f"a width of {width} cannot be shared by {heads} heads"
        self.layer = nn.Conv2d(3, width, 3, padding=1)

    def forward(self, x):
        return self.layer(x)
"""
MINE = JOB.replace("SRVGGNetCompact", "mine:Heads").replace(
    "num_in_ch: 3, num_out_ch: 3, num_feat: 16, num_conv: 2", "width: 16, heads: 4"
)


def found(trainlint, text: str, *arguments: str) -> list[tuple[str, int, int, str]]:
    """Return (rule, line, column, message) of every finding."""
    trainlint.write("job.yml", text)
    done = trainlint("job.yml", "-t", "rtx-3060", "--format", "json", *arguments)
    (result,) = json.loads(done.stdout)["results"]
    assert done.returncode == (1 if result["findings"] else 0)
    return [(one["rule"], one["line"], one["column"], one["message"]) for one in result["findings"]]


def test_the_job_itself_is_fine(trainlint) -> None:
    assert found(trainlint, JOB) == []


def test_an_optimizers_argument(trainlint) -> None:
    ((rule, line, _, message),) = found(trainlint, JOB.replace("SGD", "Adam"))
    assert (rule, line) == ("unknown-argument", 6)
    assert message == 'Adam takes no argument "momentum"'


def test_an_optimizers_value(trainlint) -> None:
    ((rule, line, _, message),) = found(trainlint, JOB.replace("momentum: 0.9", "nesterov: true"))
    assert (rule, line) == ("refused-when-built", 6)
    assert "Nesterov momentum requires a momentum" in message


def test_an_input_that_does_not_fit(trainlint) -> None:
    ((rule, line, column, message),) = found(trainlint, JOB.replace("[3, 32", "[4, 32"))
    assert (rule, line, column) == ("refused-when-built", 4, 8)
    assert "SRVGGNetCompact does not take this input, at body.0 (given 2 x 4 x 32 x 32)" in message


@pytest.mark.slow
def test_the_users_own_constructor(trainlint) -> None:
    trainlint.write("code/mine.py", OWN)
    allowed = ("--python", sys.executable, "--networks", "code")
    assert found(trainlint, MINE, *allowed) == []
    ((rule, line, _, message),) = found(trainlint, MINE.replace("heads: 4", "heads: 3"), *allowed)
    assert (rule, line) == ("refused-when-built", 3)
    assert message == "mine:Heads cannot be built: a width of 16 cannot be shared by 3 heads"


def test_the_users_own_arguments_are_named(trainlint) -> None:
    trainlint.write("code/mine.py", OWN)
    allowed = ("--python", sys.executable, "--networks", "code")
    ((rule, line, column, message),) = found(trainlint, MINE.replace("heads: 4", "depth: 4"), *allowed)
    assert (rule, line, column) == ("refused-when-built", 3, 19)
    assert "unexpected keyword argument 'depth'" in message


THRESHOLD = """\
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 3, 1)
        self.more = nn.Sequential(*(nn.Conv2d(3, 3, 1) for _ in range(2000)))

    def forward(self, x):
        x = self.first(x)
        return self.more(x) if len(x) >= 12 else x
"""
UNKNOWN_OPERATOR = """\
import torch
from torch import nn


@torch.library.custom_op("mine::blur", mutates_args=())
def blur(x: torch.Tensor) -> torch.Tensor:
    return x * 2


class Net(nn.Conv2d):
    def __init__(self):
        super().__init__(3, 3, 1)

    def forward(self, x):
        return blur(super().forward(x))
"""
NET = JOB.replace("SRVGGNetCompact", "mine:Net").replace(
    "{num_in_ch: 3, num_out_ch: 3, num_feat: 16, num_conv: 2}", "{}"
)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("optimizer: {type: Adam, lr: -1}", "wrong-value"),
        ("optimizer: {type: Adam, betas: [0.9]}", "wrong-value"),
        ("optimizer: {type: Adam, lr: x}", "wrong-type"),
        ("optimizer: {type: Adam, foreach: true, fused: true}", "refused-when-built"),
        ("target: [1, 2, 3]", "refused-when-built"),
    ],
)
def test_what_torch_would_refuse_fails_at_its_line(trainlint, line, rule) -> None:
    text = JOB.replace("optimizer: {type: SGD, momentum: 0.9}", line)
    ((found_rule, found_line, *_),) = found(trainlint, text)
    assert (found_rule, found_line) == (rule, 6)


def test_an_operator_that_only_a_gpu_knows_is_no_fault_of_the_input(trainlint) -> None:
    trainlint.write("code/mine.py", UNKNOWN_OPERATOR)
    trainlint.write("job.yml", NET)
    done = trainlint("job.yml", "-t", "rtx-3060", "--python", sys.executable, "--networks", "code")
    assert done.returncode == 0
    assert "mine::blur" in done.stdout
    assert "refused-when-built" not in done.stdout


def test_a_job_on_the_cpu_has_no_gpu_verdict(trainlint) -> None:
    trainlint.write("job.yml", f"{JOB}gpus: 0\n")
    done = trainlint("job.yml", "-t", "rtx-3060")
    assert "it trains on the CPU" in done.stdout
    explained = trainlint("explain", "job.yml", "-t", "rtx-3060")
    assert "it trains on the CPU" in explained.stdout + explained.stderr


@pytest.mark.slow
def test_where_batches_differ_by_more_than_size_a_batch_that_fits_is_called_that(trainlint) -> None:
    trainlint.write("code/mine.py", THRESHOLD)
    trainlint.write("job.yml", NET.replace("batch: 2", "batch: 16").replace("32, 32", "256, 256"))
    done = trainlint("job.yml", "-t", "rtx-3060", "--python", sys.executable, "--networks", "code")
    assert "a batch that fits (memory does not grow evenly with it" in done.stdout
    assert "is 8 per GPU" in done.stdout
    assert "fix: batch: 16 -> 8" in done.stdout

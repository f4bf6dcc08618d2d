# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An input that a network of one's own refuses is one fail with one message, under every build of torch."""

from __future__ import annotations

import sys

import pytest

NETWORK = """\
import torch
from torch import nn

BUILDERS = {"SmallUNet": "SmallUNet"}


class SmallUNet(nn.Module):
    def __init__(self, width: int = 16):
        super().__init__()
        self.a = HEAD
        self.down = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(width, width, 2, stride=2)
        self.out = nn.Conv2d(2 * width, 3, 1)

    def forward(self, x):
        a = self.a(x)
        return self.out(torch.cat([a, self.up(self.down(a))], 1))
"""
HEADS = {
    "plain": "nn.Conv2d(3, width, 3, padding=1)",
    "norm": "nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.BatchNorm2d(width))",
}


def refused(trainlint, model: str, *options: str) -> None:
    trainlint.write("job.yml", f"trainlint: 1\nmodel: {model}\ninput: [3, 65, 65]\nbatch: 4\n")
    done = trainlint("job.yml", "--networks", "nets", *options, "-t", "t4")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count(f"]: {model} does not take this input") == 1
    assert not done.stderr, "torch's own log of what a network did wrong took 120 lines"


@pytest.mark.rest
@pytest.mark.parametrize("head", HEADS)
def test_the_input_is_refused(trainlint, head: str) -> None:
    trainlint.write("nets/small_unet.py", NETWORK.replace("HEAD", HEADS[head]))
    refused(trainlint, "SmallUNet")


@pytest.mark.slow
@pytest.mark.parametrize("model", ["SmallUNet", "small_unet:SmallUNet"])
def test_the_input_is_refused_in_an_interpreter_of_ones_own(trainlint, model: str) -> None:
    """A file's own list of names counts there too: it was "unknown network", with the advice to give both."""
    trainlint.write("nets/small_unet.py", NETWORK.replace("HEAD", HEADS["norm"]))
    refused(trainlint, model, "--python", sys.executable)

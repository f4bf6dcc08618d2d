# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A program that draws its network for TensorBoard trains as one that does not."""

from __future__ import annotations

import pytest

from tests.trace.dry_run.programs import dry_run, peak
from trainlint.trace.dry_run.gpu.graph_writers import NOT_DRAWN

BATCH = 16
WRITER = """
import torch

class SummaryWriter:
    def add_graph(self, model, input_to_model=None, verbose=False):
        torch.jit.trace(model, input_to_model)
"""
PROGRAM = """
import torch
from torch import nn
from tensorboardX.writer import SummaryWriter

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Flatten(), nn.Linear(288, 4))

    def forward(self, x):
        return self.layers(x)

net, x = Net().cuda(), torch.zeros({batch}, 3, 8, 8, device="cuda")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
{draws}
assert net.training
for _ in range(5):
    optimizer.zero_grad()
    net(x).sum().backward()
    optimizer.step()
"""


@pytest.mark.slow
@pytest.mark.parametrize("given", ["x[:1]", "(x[:1],)"])
def test_what_draws_a_network_changes_nothing(given, tmp_path):
    package = tmp_path / "tensorboardX"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "writer.py").write_text(WRITER)
    plain = dry_run(tmp_path, PROGRAM.format(batch=BATCH, draws=""), "plain")
    drawn = dry_run(
        tmp_path, PROGRAM.format(batch=BATCH, draws=f"SummaryWriter().add_graph(net, {given})"), "drawn"
    )
    assert drawn.outcome["status"] == "recorded", drawn.printed
    assert NOT_DRAWN in drawn.outcome["notes"]
    assert peak(drawn.tape(), BATCH) == peak(plain.tape(), BATCH)

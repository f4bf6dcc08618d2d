# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""ClassSR's step, which trains the classifier alone, with a stand-in for its networks."""

from __future__ import annotations

import pytest
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import networks_of
from trainlint.trace.trace import trace


class Three(nn.Module):
    """A stand-in of the same form: a classifier of patches, and a network for each of three classes."""

    def __init__(self):
        super().__init__()
        self.classifier = nn.Conv2d(3, 3, 32, 32)
        self.nets = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(3, width, 3, 1, 1), nn.PReLU(), nn.Conv2d(width, 48, 3, 1, 1), nn.PixelShuffle(4)
            )
            for width in (16, 36, 56)
        )

    def forward(self, x, training):
        classes = self.classifier(x).flatten(1).softmax(1)
        if not training:
            return self.nets[0](x)
        images = [net(x) * classes[:, n].view(-1, 1, 1, 1) for n, net in enumerate(self.nets)]
        return sum(images), classes


@pytest.fixture(autouse=True)
def _three():
    with networks_of(lambda _dialect, arch, _args: Three() if arch == "three" else None):
        yield


STEP = {
    "recipe": "basicsr-legacy.ClassSR", "dialect": "basicsr-legacy", "scale": 4, "crop.lq": 32,
    "crop.hr": 128,
    "networks.generator.arch": "three", "networks.generator.args": {},
    "losses": [{"role": "pixel", "type": "ClassSR_loss", "loss_weight": 1}],
    "optimizers": [{"role": "generator", "type": "Adam"}], "options": {"fix_SR_module": True},
}  # fmt: skip
OUTPUT = 3 * 128 * 128 * 4


def peak_of(step, batch, device=0):
    tape = trace(step, verify=False, batches=(batch,))
    total = batch * tape.devices
    return ledger(tape, device).peak(Samples(batch, total)).allocated


def test_frozen_networks_keep_their_three_outputs_alone():
    grown = (peak_of(STEP, 12) - peak_of(STEP, 4)) / 8
    trained = {**STEP, "options": {}}
    assert 8 * OUTPUT < grown < 11 * OUTPUT  # three outputs, weighted and summed, and targets
    hidden = 2 * sum((16, 36, 56)) * 32 * 32 * 4  # what a convolution and its activation give
    assert (peak_of(trained, 12) - peak_of(trained, 4)) / 8 == grown + hidden


def test_two_gpus():
    step = {**STEP, "parallel": "dp"}
    assert peak_of(step, 6) > peak_of(step, 6, device=1) > 6 * 4 * OUTPUT


@pytest.mark.quick
def test_files_of_a_save():
    files = {file.name: file.size for file in trace(STEP, verify=False, batches=(2,)).files}
    assert files["2000_G.pth"] > sum(p.numel() for p in Three().parameters()) * 4
    assert files["2000.state"] < files["2000_G.pth"] / 2  # the classifier's; the frozen networks have none


def test_another_criterion_crashes_there_too():
    with pytest.raises(CannotTraceError, match="ClassSR_loss alone"):
        trace({**STEP, "losses": [{"role": "pixel", "type": "l1", "loss_weight": 1}]})

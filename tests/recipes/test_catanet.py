# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CATANet in BasicSR's step: the paper's sizes (477K, 550K, 535K) and the own code's peaks on meta."""

from __future__ import annotations

import pytest
import torch

from trainlint.errors import BadArgumentsError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import build
from trainlint.trace.trace import trace


def step(scale, side):
    return {
        "recipe": "basicsr.SRModel", "dialect": "basicsr", "scale": scale, "crop.lq": side,
        "crop.hr": scale * side, "ema": 1, "networks.generator.arch": "CATANet",
        "networks.generator.args": {"upscale": scale},
        "losses": [{"role": "pixel", "type": "L1Loss", "loss_weight": 1}],
        "optimizers": [{"role": "generator", "type": "Adam"}], "options": {},
    }  # fmt: skip


@pytest.mark.parametrize(("scale", "parameters"), [(2, 477_435), (3, 549_635), (4, 535_195)])
def test_the_papers_sizes(scale, parameters):
    with torch.device("meta"):
        network = build("basicsr", "CATANet", {"upscale": scale})
        assert network(torch.empty(2, 3, 64, 48)).shape == (2, 3, 64 * scale, 48 * scale)
    assert sum(p.numel() for p in network.parameters()) == parameters


@pytest.mark.parametrize(
    ("scale", "side", "batch", "allocated"),
    [
        (2, 50, 2, 1_174_414_336),
        pytest.param(2, 64, 2, 1_983_795_200, marks=pytest.mark.slow),
        pytest.param(4, 64, 3, 2_976_096_256, marks=pytest.mark.slow),
    ],
)
def test_peak_of_the_own_code(scale, side, batch, allocated):
    tape = trace(step(scale, side), verify=False, batches=(batch,))
    assert ledger(tape).peak(Samples(batch, batch)).allocated == allocated


def test_an_image_is_tested_as_by_the_own_code():
    tape = trace(step(2, 64), verify=False, batches=(2,), validation=(70, 90))
    assert ledger(tape, validation=True).peak(Samples(2, 2)).allocated == 258_760_192


def test_scales_without_layers_are_refused():
    with pytest.raises(BadArgumentsError, match="upscale 8"):
        build("basicsr", "CATANet", {"upscale": 8})

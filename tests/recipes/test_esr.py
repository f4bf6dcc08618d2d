# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""PLKSR's step in mixed precision."""

from __future__ import annotations

from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.trace import trace

EDSR = {"num_in_ch": 3, "num_out_ch": 3, "upscale": 2}
L1 = {"role": "pixel", "type": "L1Loss", "loss_weight": 1, "reduction": "mean"}
STEP = {
    "recipe": "basicsr.ESRModel", "dialect": "basicsr", "scale": 2, "crop.lq": 48, "crop.hr": 96,
    "networks.generator.arch": "EDSR", "networks.generator.args": EDSR, "ema": 1, "losses": [L1],
    "optimizers": [{"role": "generator", "type": "Adam"}],
}  # fmt: skip


def peak(batch=16, **changes):
    return ledger(trace({**STEP, **changes}, verify=False)).peak(Samples(batch, batch)).allocated


def test_without_amp_it_is_basicsrs_own_step():
    assert peak() == peak(recipe="basicsr.SRModel") == 424521216


def test_autocast_keeps_half_of_what_the_convolutions_see():
    assert 0.5 * peak() < peak(precision="fp16") < 0.85 * peak()

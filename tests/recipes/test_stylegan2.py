# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's StyleGAN2Model: peaks of its own networks and its own step, traced on meta.

The step is that of iteration 16, due both regularisations; CUDA operators allocate as their sources say.
"""

from __future__ import annotations

import pytest

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.trace import trace

CLOSE = 5e-5  # the original's kept styles, a few kilobytes


def step(side, **more):
    return {
        "recipe": "basicsr.StyleGAN2Model", "dialect": "basicsr",
        "networks.generator.arch": "StyleGAN2Generator",
        "networks.generator.args": {"out_size": side, "num_style_feat": 512, "channel_multiplier": 2},
        "networks.discriminator.arch": "StyleGAN2Discriminator",
        "networks.discriminator.args": {"out_size": side, "channel_multiplier": 2},
        "losses": [{"role": "gan", "type": "GANLoss", "gan_type": "wgan_softplus", "loss_weight": 1}],
        "optimizers": [{"role": role, "type": "Adam"} for role in ("generator", "discriminator")],
        "options": {"path_batch_shrink": 2}, **more,
    }  # fmt: skip


def peak(made, batch):
    tape = trace(made, verify=False, batches=(batch,))
    return ledger(tape).peak(Samples(batch, batch, 0)).allocated


@pytest.mark.slow
@pytest.mark.parametrize(
    ("side", "parameters", "peaks"),
    [
        (64, (27032600, 26488833), {1: 1603051008, 4: 2657602560, 8: 4231093248}),
        (256, (30034338, 28864129), {1: 2183579136, 3: 3905508864}),
    ],
)
def test_peak_of_the_original(side, parameters, peaks):
    tape = trace(step(side), verify=False, batches=(1,))
    assert tuple(network.parameters for network in tape.networks) == parameters
    assert {batch: peak(step(side), batch) for batch in peaks} == pytest.approx(peaks, rel=CLOSE)


def test_files_hold_the_average_and_both_optimizers():
    files = trace(step(64), verify=False, batches=(1,)).files
    assert [file.size for file in files] == [216403987, 105963919, 428264363]


def test_a_larger_path_batch_needs_more():
    whole = peak(step(64, options={"path_batch_shrink": 1}), 8)
    assert whole > peak(step(64), 8)


def test_the_average_is_kept_whatever_the_config_says():
    assert peak(step(64, ema=0), 2) == peak(step(64), 2)


def test_groups_that_do_not_divide_the_batch_crash_as_in_the_trainer():
    with pytest.raises(CannotTraceError, match="invalid for input"):
        peak(step(64), 5)  # the discriminator groups samples by four


def test_the_adversarial_loss_is_needed():
    with pytest.raises(CannotTraceError, match="GAN loss is missing"):
        peak(step(64, losses=[]), 1)


def test_distributed_training_is_traced():
    assert peak(step(64, parallel="ddp"), 2) > peak(step(64), 2)


def test_the_path_length_cannot_be_had_of_gathered_latents():
    """tests/trace/parallel/test_parallel.py shows what torch says to it."""
    with pytest.raises(CannotTraceError, match="path length regularisation under DataParallel"):
        peak(step(64, parallel="dp"), 2)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's HiFaceGANModel: peaks of its own networks in its own step, traced on meta."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from trainlint.errors import CannotTraceError  # noqa: E402
from trainlint.estimate.replay.ledger import Samples, ledger  # noqa: E402
from trainlint.trace.trace import trace  # noqa: E402

LAYERS = dict.fromkeys((f"relu{group}_1" for group in range(1, 6)), 1)
PERCEPTUAL = {
    "role": "perceptual",
    "type": "PerceptualLoss",
    "layer_weights": LAYERS,
    "use_input_norm": False,
}
GAN = {"role": "gan", "type": "MultiScaleGANLoss", "gan_type": "lsgan", "loss_weight": 1}
FEATURES = {"role": "feature_matching", "type": "GANFeatLoss", "criterion": "l1", "loss_weight": 1}
BATCH_NORM = {"num_feat": 48, "norm_g": "spectralspadebatch3x3", "is_train": False}
INSTANCE_NORM = {"num_feat": 48, "norm_g": "spectralspadesyncbatch3x3", "is_train": True}


def step(side, args, **more):
    return {
        "recipe": "basicsr.HiFaceGANModel", "dialect": "basicsr", "scale": 1,
        "crop.hr": side, "crop.lq": side,
        "networks.generator.arch": "HiFaceGAN", "networks.generator.args": args,
        "networks.discriminator.arch": "HiFaceGANDiscriminator",
        "networks.discriminator.args": {"num_feat": 64, "norm_d": "spectralinstance"},
        "losses": [PERCEPTUAL, GAN, FEATURES],
        "optimizers": [{"role": role, "type": "Adam"} for role in ("generator", "discriminator")], **more,
    }  # fmt: skip


def peak(made, batch):
    tape = trace(made, verify=False, batches=(batch,))
    return ledger(tape).peak(Samples(batch, batch, 0)).allocated


@pytest.mark.parametrize(
    ("made", "batch", "expected"),
    [
        (step(512, BATCH_NORM), 2, 9414752768),
        (step(256, INSTANCE_NORM), 1, 2211813376),
        (step(256, INSTANCE_NORM), 2, 3244121600),
    ],
)
def test_peak_of_the_original(made, batch, expected):
    assert peak(made, batch) == expected


def test_networks_files_and_validation():
    tape = trace(step(256, INSTANCE_NORM), verify=False, batches=(1,), validation=(512, 512))
    assert [network.parameters for network in tape.networks] == [72223660, 5533826, 12944960]
    assert [file.size for file in tape.files] == [289225055, 22208085, 621866515]
    assert ledger(tape, validation=True).peak(Samples(1, 1, 0)).allocated == 2233142784


def test_feature_matching_is_optional():
    without = step(256, INSTANCE_NORM, losses=[PERCEPTUAL, GAN])
    assert peak(without, 1) < peak(step(256, INSTANCE_NORM), 1)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"ema": 1}, "does not support EMA"),
        ({"losses": [GAN]}, "pixel and perceptual"),
        ({"losses": [PERCEPTUAL, {**FEATURES, "criterion": "ssim"}, GAN]}, "unknown feature criterion"),
    ],
)
def test_what_the_trainer_refuses(more, reason):
    with pytest.raises(CannotTraceError, match=reason):
        peak(step(256, INSTANCE_NORM, **more), 1)

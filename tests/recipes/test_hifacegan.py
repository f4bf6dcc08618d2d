# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's HiFaceGANModel: its step around small networks; its own networks are not shipped."""

from __future__ import annotations

import pytest
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.estimate.tapes.stored_profiles import shipped_folder
from trainlint.tape.encoding import decode
from trainlint.trace.building.build import networks_of
from trainlint.trace.trace import trace

LAYERS = dict.fromkeys((f"relu{group}_1" for group in range(1, 6)), 1)
PERCEPTUAL = {
    "role": "perceptual",
    "type": "PerceptualLoss",
    "layer_weights": LAYERS,
    "use_input_norm": False,
}
GAN = {"role": "gan", "type": "MultiScaleGANLoss", "gan_type": "lsgan", "loss_weight": 1}
FEATURES = {"role": "feature_matching", "type": "GANFeatLoss", "criterion": "l1", "loss_weight": 1}
PUBLISHED = "fbd4629c37d7e72f0cc5d34d"
"""The key of BasicSR's options/train/HiFaceGAN/train_hifacegan.yml on one GPU begins with it."""


class Scales(nn.Module):
    """Two scales of two convolutions, each of which is kept."""

    def __init__(self):
        super().__init__()
        self.first = nn.ModuleList(nn.Conv2d(6, 8, 3, 2, 1) for _ in range(2))
        self.second = nn.ModuleList(nn.Conv2d(8, 1, 3, 2, 1) for _ in range(2))

    def forward(self, x):
        halved = nn.functional.avg_pool2d(x, 2)
        found = []
        for first, second, image in zip(self.first, self.second, (x, halved), strict=True):
            feature = first(image)
            found.append([feature, second(feature)])
        return found


def build(_dialect, arch, _args):
    """The networks of the step: what is asked of them is the form of the discriminator's predictions."""
    known = {
        "Plain": lambda: nn.Conv2d(3, 3, 3, padding=1),
        "Map": lambda: nn.Conv2d(6, 1, 3),
        "Scales": Scales,
    }
    return known[arch]()


def step(**more):
    return {
        "recipe": "basicsr.HiFaceGANModel", "dialect": "basicsr", "scale": 1, "crop.hr": 64, "crop.lq": 64,
        "networks.generator.arch": "Plain", "networks.discriminator.arch": "Scales",
        "losses": [PERCEPTUAL, GAN, FEATURES],
        "optimizers": [{"role": role, "type": "Adam"} for role in ("generator", "discriminator")], **more,
    }  # fmt: skip


def traced(made, **options):
    with networks_of(build):
        return trace(made, verify=False, batches=(2,), **options)


@pytest.mark.quick
def test_networks_files_and_validation():
    tape = traced(step(), validation=(64, 64))
    assert [network.role for network in tape.networks] == ["generator", "discriminator", "perceptual"]
    assert len(tape.files) == 3
    assert "validation" in tape.marks


def test_feature_matching_is_optional():
    without = traced(step(losses=[PERCEPTUAL, GAN]))
    assert len(without.blocks) < len(traced(step()).blocks)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"ema": 1}, "does not support EMA"),
        ({"losses": [GAN]}, "pixel and perceptual"),
        ({"losses": [PERCEPTUAL, {**FEATURES, "criterion": "ssim"}, GAN]}, "unknown feature criterion"),
        ({"networks.discriminator.arch": "Map"}, "keeps its features"),
    ],
)
def test_what_the_trainer_refuses(more, reason):
    with pytest.raises(CannotTraceError, match=reason):
        traced(step(**more))


def test_the_published_config_is_judged_by_its_stored_tape():
    tape = decode((shipped_folder() / f"{PUBLISHED}-1.tape").read_bytes())
    assert [network.parameters for network in tape.networks] == [72223660, 5533826, 12944960]
    assert ledger(tape).peak(Samples(1, 1, 1)).allocated == 5297200128

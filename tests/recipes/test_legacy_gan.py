# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The step `srgan` of BasicSR before 1.0: what it has on the GPU, and what it refuses."""

from __future__ import annotations

import pytest

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.trace import trace

NET = {"num_in_ch": 3, "num_out_ch": 3, "num_feat": 8, "num_block": 1, "upscale": 4}
STEP = {
    "recipe": "basicsr-legacy.srgan", "dialect": "basicsr-legacy", "scale": 4, "crop.lq": 32, "crop.hr": 128,
    "networks.generator.arch": "MSRResNet", "networks.generator.args": NET,
    "networks.discriminator.arch": "VGGStyleDiscriminator",
    "networks.discriminator.args": {"num_in_ch": 3, "num_feat": 4},
    "losses": [{"role": "pixel", "type": "l1"}, {"role": "gan", "type": "gan"}],
    "optimizers": [{"role": role, "type": "Adam"} for role in ("generator", "discriminator")],
}  # fmt: skip
IMAGE = 3 * 128 * 128 * 4
RELATIVISTIC = [STEP["losses"][0], {"role": "gan", "type": "ragan"}]
VGG = 20_024_384
"""Parameters of torchvision's VGG19 up to its last convolution."""
FEATURES = [{"role": "perceptual", "type": "l1"}]


def traced(step, batch=2):
    return trace(step, verify=False, batches=(batch,))


def peak_of(step, batch, device=0):
    tape = traced(step, batch)
    return ledger(tape, device).peak(Samples(batch, batch * tape.devices)).allocated


def test_both_networks_and_what_each_step_saves():
    tape = traced(STEP)
    sizes = {net.role: net.parameters for net in tape.networks}
    files = {file.name: file.size for file in tape.files}
    assert set(files) == {"2000_G.pth", "2000_D.pth", "2000.state"}
    assert files["2000_G.pth"] > 4 * sizes["generator"]
    assert files["2000_D.pth"] > 4 * sizes["discriminator"]
    assert files["2000.state"] > 8 * (sizes["generator"] + sizes["discriminator"])  # Adam's two moments


def test_the_discriminator_keeps_two_graphs():
    """Real and fake share one backward here, and have one each in today's trainer."""
    wide = {"networks.discriminator.args": {"num_in_ch": 3, "num_feat": 16}}
    losses = [
        {"role": "pixel", "type": "L1Loss", "loss_weight": 1},
        {"role": "gan", "type": "GANLoss", "gan_type": "vanilla"},
    ]
    today = {**STEP, "recipe": "basicsr.SRGANModel", "dialect": "basicsr", "losses": losses}
    here, there = (peak_of({**one, **wide}, 3) - peak_of({**one, **wide}, 2) for one in (STEP, today))
    assert here > there + IMAGE


def test_features_of_the_target_stay_until_the_step_ends():
    step = {**STEP, "losses": [*STEP["losses"], *FEATURES]}
    tape = traced(step)
    assert ("perceptual", VGG) in {(net.role, net.parameters) for net in tape.networks}
    assert peak_of(step, 2) > peak_of(STEP, 2) + 4 * VGG


def test_the_relativistic_step_differs():
    assert peak_of({**STEP, "losses": RELATIVISTIC}, 2) >= peak_of(STEP, 2)


def test_two_gpus():
    step = {**STEP, "parallel": "dp"}
    assert peak_of(step, 2) > peak_of(step, 2, device=1) > 2 * 2 * IMAGE


@pytest.mark.parametrize(
    ("losses", "words"),
    [
        ([{"role": "gan", "type": "lsgan"}], "gan_type gan or ragan, not lsgan"),
        (
            [{"role": "pixel", "type": "cb"}, {"role": "gan", "type": "gan"}],
            "pixel criterion is l1 or l2, not cb",
        ),
    ],
)
def test_what_the_trainer_stops_at(losses, words):
    with pytest.raises(CannotTraceError, match=words):
        traced({**STEP, "losses": losses})


OF_2018 = {
    "recipe": "basicsr-legacy.srragan",
    "networks.discriminator.arch": "discriminator_vgg_128@2018",
    "networks.discriminator.args": {"in_nc": 3, "nf": 64},
}
VANILLA = [STEP["losses"][0], {"role": "gan", "type": "vanilla"}]


def test_srragan_is_the_relativistic_step_with_its_discriminator():
    step = {**STEP, **OF_2018, "losses": VANILLA}
    tape = traced(step)
    assert {net.role: net.parameters for net in tape.networks}["discriminator"] == 14_502_281
    later = {
        **STEP, "losses": RELATIVISTIC, "networks.discriminator.args": {"num_in_ch": 3, "num_feat": 64},
    }  # fmt: skip
    biases = 2880  # of the nine convolutions that today's has without: 64 + 2 x (128 + 256) + 4 x 512
    assert 0 < peak_of(step, 2) - peak_of(later, 2) < 4 * 4 * biases + 9 * 4 * 512


def test_srragan_knows_other_types():
    traced({**STEP, **OF_2018, "losses": [{"role": "gan", "type": "lsgan"}]})
    for kind in ("ragan", "wgan-gp"):
        with pytest.raises(
            CannotTraceError, match=f"srragan trains with gan_type vanilla or lsgan, not {kind}"
        ):
            traced({**STEP, **OF_2018, "losses": [{"role": "gan", "type": kind}]})

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GFPGANModel: peaks of its own networks in its own step, traced on meta.

The step is that of iteration 16, due R1; roi_align allocates as torchvision's source says.
"""

from __future__ import annotations

import pytest

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.trace import trace

CLOSE = 5e-6  # a few scalars that the original's log keeps
FACE = 512
TAPS = ("conv1_2", "conv2_2", "conv3_4", "conv4_4", "conv5_4")
L1 = {"type": "L1Loss", "loss_weight": 1, "reduction": "mean"}
LOSSES = [
    {"role": "pixel", **L1},
    {"role": "L1", **L1},
    {
        "role": "perceptual", "type": "PerceptualLoss", "layer_weights": dict.fromkeys(TAPS, 1),
        "style_weight": 50, "range_norm": True,
    },
    {"role": "gan", "type": "GANLoss", "gan_type": "wgan_softplus", "loss_weight": 1},
    {"role": "gan_component", "type": "GANLoss", "gan_type": "vanilla", "loss_weight": 1},
]  # fmt: skip
SHIPPED = {
    "out_size": FACE, "channel_multiplier": 1, "fix_decoder": True, "input_is_latent": True,
    "different_w": True, "sft_half": True,
}  # fmt: skip
FREE = {"out_size": FACE, "channel_multiplier": 1, "fix_decoder": False}
ALL = {
    "component_discriminator": "FacialComponentDiscriminator", "pyramid": True, "component_style": True,
    "identity": {"type": "ResNetArcFace", "block": "IRBlock", "layers": [2, 2, 2, 2], "use_se": False},
}  # fmt: skip


def step(args, options=ALL, **more):
    roles = ("generator", "discriminator", "component")
    return {
        "recipe": "basicsr.GFPGANModel", "dialect": "basicsr", "crop.hr": FACE, "crop.lq": FACE,
        "networks.generator.arch": "GFPGANv1", "networks.generator.args": args,
        "networks.discriminator.arch": "StyleGAN2Discriminator",
        "networks.discriminator.args": {"out_size": FACE, "channel_multiplier": 1}, "losses": LOSSES,
        "optimizers": [{"role": role, "type": "Adam"} for role in roles], "options": options, **more,
    }  # fmt: skip


def peak(made, batch, **more):
    tape = trace(made, verify=False, batches=(batch,))
    return ledger(tape, **more).peak(Samples(batch, batch, 0)).allocated


def test_the_shipped_networks_and_files():
    tape = trace(step(SHIPPED), verify=False, batches=(1,), validation=(FACE, FACE))
    assert {network.role: network.parameters for network in tape.networks} == {
        "generator": 76207244, "discriminator": 24030753, "left_eye": 1110785, "right_eye": 1110785,
        "mouth": 1110785, "perceptual": 20024384, "identity": 25627081,
    }  # fmt: skip
    sizes = [615430539, 96136098, 629865657, 4447905, 4447923, 4447851]
    assert [file.size for file in tape.files] == sizes
    assert ledger(tape, validation=True).peak(Samples(1, 1, 0)).allocated == 2152290304


@pytest.mark.parametrize(
    ("args", "peaks"),
    [
        pytest.param(SHIPPED, {1: 4008047616, 3: 7919178240}, marks=pytest.mark.slow),
        (FREE, {1: 3700442112}),
    ],
)
def test_peak_of_the_original(args, peaks):
    assert {batch: peak(step(args), batch) for batch in peaks} == pytest.approx(peaks, rel=CLOSE)


@pytest.mark.slow
def test_each_further_network_needs_memory():
    plain = peak(step(SHIPPED, {}), 1)
    parts = peak(step(SHIPPED, {"component_discriminator": "FacialComponentDiscriminator"}), 1)
    assert plain < parts < peak(step(SHIPPED), 1)


@pytest.mark.parametrize("role", ["gan", "L1", "gan_component"])
def test_a_loss_that_the_trainer_always_builds_is_needed(role):
    losses = [loss for loss in LOSSES if loss["role"] != role]
    with pytest.raises(CannotTraceError, match=f"the {role} loss is missing"):
        peak(step(SHIPPED, losses=losses), 1)


@pytest.mark.slow
def test_two_gpus_share_the_penalty_and_the_first_has_the_losses():
    """The identity and perceptual networks run on what was gathered: on the first GPU, for all samples."""
    tape = trace(step(SHIPPED, parallel="dp"), verify=False)
    first, second = (ledger(tape, device=d).peak(Samples(2, 4, 0)).allocated for d in (0, 1))
    assert second < peak(step(SHIPPED), 2) < first < peak(step(SHIPPED), 4)

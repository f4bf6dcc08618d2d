# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's clips: peaks of its own networks, traced on meta (live bytes, rounded to 512).

References: BasicSR 1.4.2's own modules in the same step, with deform_conv2d as torchvision's CUDA kernel
allocates; the one without alignment from its own VideoRecurrentModel.
"""

from __future__ import annotations

import pytest
import torch

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import networks_of
from trainlint.trace.trace import trace
from trainlint_zoo.basicsr.networks.basicvsrpp import BasicVSRPlusPlus

PIXEL = {"role": "pixel", "type": "CharbonnierLoss", "loss_weight": 1}
GAN = {"role": "gan", "type": "GANLoss", "gan_type": "vanilla", "loss_weight": 1}
VGG = {"role": "perceptual", "type": "PerceptualLoss", "layer_weights": {"conv5_4": 1}}
ADAM = {"role": "generator", "type": "Adam"}
MEDIUM = {"num_feat": 64, "num_frame": 5, "num_reconstruct_block": 10}
LARGE = {"num_feat": 128, "num_frame": 5, "num_reconstruct_block": 40}
SMALL = {"num_feat": 64, "num_block": 30}
PLUS = {"mid_channels": 64, "num_blocks": 7}
REDS = (180, 320)


def step(model, arch, args, frames, lq=64, **more):
    options = {"validation_frames": frames} | more.pop("options", {})
    return {
        "recipe": f"basicsr.{model}", "dialect": "basicsr", "scale": 256 // lq, "crop.lq": lq, "crop.hr": 256,
        "frames": frames, "networks.generator.arch": arch, "networks.generator.args": args, "ema": 1,
        "losses": [PIXEL], "optimizers": [ADAM], "options": options, **more,
    }  # fmt: skip


def edvr(args, lq=64):
    return step("EDVRModel", "EDVR", args, 5, lq)


def recurrent(arch, args, frames, lq=64, **more):
    return step("VideoRecurrentModel", arch, args, frames, lq, **more)


CASES = {  # parameters, peak at batch 1 and 2, peak of a validation clip after batch 1
    "EDVR-M": (edvr(MEDIUM), 3300131, 382358528, 711832576, 836186112),
    "EDVR-L": (edvr(LARGE), 20633827, 1005005824, 1679854592, 1477919232),
    "EDVR without TSA": (edvr({**MEDIUM, "with_tsa": False}), 2996259, 350532608, 653054976, 830093312),
    "EDVR deblurs": (edvr({**MEDIUM, "with_predeblur": True}), 3968995, 456649728, 849693696, 849587712),
    "EDVR of full size": (
        edvr({**MEDIUM, "with_predeblur": True, "hr_in": True}, 256), 4042851, 566377472, 1067965440, None,
    ),
    "BasicVSR": (recurrent("BasicVSR", SMALL, 15), 6291311, 2844237312, 5587618304, 1101163008),
    "IconVSR": (recurrent("IconVSR", SMALL, 15), 8694991, 3807376896, 7475487232, 1218649088),
    "BasicVSR++": (recurrent("BasicVSRPlusPlus", PLUS, 30), 7322927, 7118945792, 14120549888, 3564976128),
    "BasicVSR++ of full size": (
        recurrent("BasicVSRPlusPlus", {**PLUS, "is_low_res_input": False}, 6, 256),
        7396783, 1495193600, 2871854080, None,
    ),
    "DUF": (
        step("VideoBaseModel", "DUF", {"num_layer": 52}, 7, ema=0),
        5821952, 2705124864, 5333462528, 2192958976,
    ),
}  # fmt: skip


def peak(tape, batch, *, validation=False):
    return ledger(tape, validation=validation).peak(Samples(batch, batch, 0)).allocated


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_peak_of_the_original(name):
    made, parameters, one, two, clip = CASES[name]
    first = trace(made, verify=False, batches=(1,), validation=REDS if clip else None)
    assert first.networks[0].parameters == parameters
    assert peak(first, 1) == one
    assert peak(trace(made, verify=False, batches=(2,)), 2) == two
    if clip:
        assert peak(first, 1, validation=True) == clip


def unaligned(_dialect, arch, args):
    """Build BasicVSR++ as on a machine without CUDA, where it leaves its deformable convolutions out."""
    if arch != "BasicVSRPlusPlus":
        return None
    net = BasicVSRPlusPlus(**args)
    net.deform_align = torch.nn.ModuleDict()
    return net


@pytest.mark.slow
def test_the_step_of_basicsr_itself_without_alignment():
    made = recurrent("BasicVSRPlusPlus", PLUS, 30, options={"flip_sequence": True})
    with networks_of(unaligned):
        tape = trace(made, verify=False, batches=(1,))
    assert tape.networks[0].parameters == 5283439
    assert peak(tape, 1) == 4455608320


@pytest.mark.slow
def test_every_batch_comes_from_two():
    for made in (edvr(MEDIUM), recurrent("BasicVSR", {"num_feat": 64, "num_block": 2}, 3)):
        tape = trace(made)  # verified at a third batch
        assert tape.affine == "exact"
        assert peak(tape, 8) == pytest.approx(peak(trace(made, verify=False, batches=(8,)), 8), rel=1e-4)


@pytest.mark.slow
def test_a_mirrored_clip_needs_one_flow_only():
    clip = recurrent("BasicVSRPlusPlus", PLUS, 14)
    mirrored = recurrent("BasicVSRPlusPlus", PLUS, 14, options={"flip_sequence": True})
    needs = [peak(trace(made, verify=False, batches=(1,)), 1) for made in (clip, mirrored)]
    assert needs == [3335276032, 3290700288]


@pytest.mark.slow
def test_the_mirror_image_at_validation_doubles_the_clip():
    made = recurrent("BasicVSR", SMALL, 7)
    doubled = recurrent("BasicVSR", SMALL, 7, options={"flip_seq": True})
    once, twice = (
        peak(trace(each, verify=False, batches=(1,), validation=REDS), 1, validation=True)
        for each in (made, doubled)
    )
    frame = 3 * 720 * 1280 * 4
    assert once + 7 * frame < twice < 2 * once


def test_the_gan_judges_every_frame():
    more = {
        "networks.discriminator.arch": "VGGStyleDiscriminator", "losses": [PIXEL, VGG, GAN],
        "networks.discriminator.args": {"num_in_ch": 3, "num_feat": 32, "input_size": 256},
        "optimizers": [ADAM, {"role": "discriminator", "type": "Adam"}],
    }  # fmt: skip
    made = step("VideoRecurrentGANModel", "BasicVSR", {"num_feat": 64, "num_block": 2}, 3, **more)
    plain = recurrent("BasicVSR", {"num_feat": 64, "num_block": 2}, 3)
    tape = trace(made, verify=False, batches=(1,))
    assert [network.role for network in tape.networks] == ["generator", "discriminator", "perceptual"]
    shapes = {block.size.const for block in tape.blocks}
    assert 3 * 64 * 256 * 256 * 4 in shapes  # three frames at once in VGG19's first layer
    assert peak(tape, 1) > peak(trace(plain, verify=False, batches=(1,)), 1)


def test_the_gan_of_one_frame():
    more = {
        "networks.discriminator.arch": "VGGStyleDiscriminator", "losses": [PIXEL, VGG, GAN],
        "networks.discriminator.args": {"num_in_ch": 3, "num_feat": 64, "input_size": 256},
        "optimizers": [ADAM, {"role": "discriminator", "type": "Adam"}],
    }  # fmt: skip
    adversarial = trace(step("VideoGANModel", "EDVR", MEDIUM, 5, **more), verify=False, batches=(1,))
    assert [network.role for network in adversarial.networks] == ["generator", "discriminator", "perceptual"]
    assert peak(adversarial, 1) > CASES["EDVR-M"][2]


@pytest.mark.parametrize("made", [recurrent("BasicVSR", SMALL, None), edvr({**MEDIUM, "scale": 2})])
def test_what_is_not_known_is_not_guessed(made):
    with pytest.raises(CannotTraceError, match=r"number of frames|is a fork's"):
        trace(made, verify=False, batches=(1,))

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The trainers' steps: peaks of the original frameworks, traced on meta (live bytes, rounded to 512).

Reference values come from running the frameworks' own code on the meta device (BasicSR 8d56e3a, Real-ESRGAN
a4abfb2, NAFNet 2b4af71, CAT 89cbfc8): (batch, peak bytes of the second step).
"""

from __future__ import annotations

import pytest
import torch

from tests.recipes.recorded_peak import recorded_peak
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.trace import trace
from trainlint_zoo.basicsr.recipes.losses import GANLoss, build_loss
from trainlint_zoo.forks.networks.nafssr import most_kept

RGB = {"num_in_ch": 3, "num_out_ch": 3}
L1 = {"role": "pixel", "type": "L1Loss", "loss_weight": 1, "reduction": "mean"}
GAN = {"role": "gan", "type": "GANLoss", "gan_type": "vanilla", "loss_weight": 1}
CLOSE = 5e-4  # relative; all but NAFNet (0.04 %) and RealESRNet (0.08 %) are equal to the byte


def vgg(*layers):
    return {"role": "perceptual", "type": "PerceptualLoss", "layer_weights": dict.fromkeys(layers, 1)}


def step(model, arch, args, lq, hr, **more):
    return {
        "recipe": f"basicsr.{model}", "dialect": "basicsr", "scale": hr // lq, "crop.lq": lq, "crop.hr": hr,
        "networks.generator.arch": arch, "networks.generator.args": args, "losses": [L1], "ema": 1,
        "optimizers": [{"role": "generator", "type": "Adam"}], **more,
    }  # fmt: skip


def adversarial(arch, *layers, **more):
    optimizers = [{"role": role, "type": "Adam"} for role in ("generator", "discriminator")]
    return {
        "networks.discriminator.arch": arch, "networks.discriminator.args": {"num_in_ch": 3, "num_feat": 64},
        "losses": [L1, vgg(*layers), GAN], "optimizers": optimizers, **more,
    }  # fmt: skip


TAPS = ("conv1_2", "conv2_2", "conv3_4", "conv4_4", "conv5_4")
REAL = step("RealESRGANModel", "RRDBNet", RGB, 64, 256, **adversarial("UNetDiscriminatorSN", *TAPS))
GOPRO = {"enc_blk_nums": [1, 1, 1, 28], "middle_blk_num": 1, "dec_blk_nums": [1, 1, 1, 1], "width": 32}
ECBSR = {"num_block": 4, "num_channel": 16, "with_idt": False, "act_type": "prelu", "scale": 2}
GRAY = {"num_in_ch": 1, "num_out_ch": 1}
LIGHT = {
    "upscale": 2, "img_size": 64, "window_size": 16, "depths": [6] * 4, "embed_dim": 60, "num_heads": [6] * 4,
    "mlp_ratio": 2, "upsampler": "pixelshuffledirect",
}  # fmt: skip
SWIN = {
    "upscale": 2, "img_size": 48, "window_size": 8, "depths": [6] * 6, "embed_dim": 180, "num_heads": [6] * 6,
    "mlp_ratio": 2, "upsampler": "pixelshuffle",
}  # fmt: skip

CAT_A = {
    "upscale": 4, "img_size": 64, "split_size_0": [2, 2, 2, 4, 4, 4], "split_size_1": [0] * 6,
    "depth": [6] * 6, "num_heads": [6] * 6, "upsampler": "pixelshuffle",
}  # fmt: skip
CAT_R = {
    **CAT_A, "upscale": 2, "split_size_0": [4] * 6, "split_size_1": [16] * 6, "block_name": "CATB_regular",
}  # fmt: skip

CASES = {
    "edsr": (step("SRModel", "EDSR", {**RGB, "upscale": 2}, 48, 96), [(1, 47126016), (16, 424521216)]),
    "msrresnet": (step("SRModel", "MSRResNet", RGB, 32, 128), [(2, 78093312), (16, 454441984)]),
    "ecbsr": (
        step("SRModel", "ECBSR", {**GRAY, **ECBSR}, 64, 128, channels=1, ema=0),
        [(2, 22233088), (32, 346219008)],
    ),
    "srgan": (
        step("SRGANModel", "MSRResNet", RGB, 32, 128, **adversarial("VGGStyleDiscriminator", "conv5_4")),
        [(2, 457332224), (16, 1303442944)],
    ),
    "esrgan": (
        step("ESRGANModel", "RRDBNet", RGB, 32, 128, **adversarial("VGGStyleDiscriminator", "conv5_4")),
        [(1, 854158336), (16, 4969348096)],
    ),
    "swinir": (step("SwinIRModel", "SwinIR", SWIN, 48, 96), [(2, 1947671040), (8, 7153789440)]),
    "cat-a": (step("CATModel", "CAT", CAT_A, 64, 256, ema=0), [(1, 2902560768), (8, 20805128192)]),
    "cat-r": (step("CATModel", "CAT", CAT_R, 64, 128, ema=0), [(1, 2329436160), (8, 16939900928)]),
    "nafnet": (
        step(
            "ImageRestorationModel",
            "NAFNetLocal",
            GOPRO,
            256,
            256,
            ema=0,
            gradient_clip=1,
            losses=[{"role": "pixel", "type": "PSNRLoss"}],
            optimizers=[{"role": "generator", "type": "AdamW", "weight_decay": 1}],
        ),
        [(2, 2137348096), (4, 4069306368)],
    ),
}


def allocated(tape, batch, pool=0, *, validation=False):
    return recorded_peak(ledger(tape, validation=validation), Samples(batch, batch, pool))


SLOW = {"cat-a", "cat-r", "esrgan", "nafnet", "swinir"}
"""What takes 4.6 to 6 s each."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in CASES]
)
def test_peak_of_the_framework(name):
    made, expected = CASES[name]
    single = trace(made, verify=False, batches=(1,))
    tape = trace(made, verify=False)
    for batch, peak in expected:
        assert allocated(single if batch == 1 else tape, batch) == pytest.approx(peak, rel=CLOSE), batch


REALESRGAN = {1: 1854135296, 4: 5659040768, 12: 15805455360}  # queue of 180


@pytest.fixture(scope="module")
def realesrgan():
    return trace(REAL, verify=False)


@pytest.mark.slow
def test_realesrgan_with_its_queue_at_every_batch(realesrgan):
    assert {batch: allocated(realesrgan, batch, 180) for batch in REALESRGAN} == REALESRGAN
    in_gib = {15: 18.26, 18: 21.81}
    assert {b: round(allocated(realesrgan, b, 180) / 2**30, 2) for b in in_gib} == in_gib


def test_the_queue_costs_its_samples(realesrgan):
    sample = 3 * (64**2 + 256**2) * 4
    assert allocated(realesrgan, 12, 180) - allocated(realesrgan, 12, 0) == 180 * sample


def test_paired_data_has_no_queue():
    tape = trace({**REAL, "options": {"high_order_degradation": False}}, verify=False, batches=(2,))
    assert allocated(tape, 2, 180) == 2972032000


def test_x2_trunk_is_as_large_as_x4s():
    args = {"networks.generator.args": {**RGB, "scale": 2}, "crop.lq": 128, "scale": 2}
    assert allocated(trace({**REAL, **args}, verify=False, batches=(2,)), 2, 180) == 3149749248


def test_realesrnet_keeps_one_target():
    made = step("RealESRNetModel", "RRDBNet", RGB, 64, 256)
    assert allocated(trace(made, verify=False, batches=(2,)), 2, 180) == pytest.approx(2346039808, rel=1e-3)


@pytest.mark.slow
def test_ldl_keeps_the_ema_generators_graph():
    ldl = {"role": "ldl", "type": "L1Loss"}
    made = {**REAL, "losses": [L1, ldl, *REAL["losses"][1:]]}
    assert allocated(trace(made, verify=False, batches=(2,)), 2, 180) == 6163927552


def test_validation_of_a_whole_image_can_exceed_training():
    made, _ = CASES["edsr"]
    tape = trace(made, verify=False, batches=(16,), validation=(360, 640))
    assert allocated(tape, 16, validation=True) == 632864256 > allocated(tape, 16)


def test_a_batch_prefetched_to_the_gpu_costs_one_more_input():
    made, _ = CASES["msrresnet"]
    plain, fetched = (trace({**made, **more}, verify=False) for more in ({}, {"prefetch.mode": "cuda"}))
    assert allocated(fetched, 16) - allocated(plain, 16) == 16 * 3 * (32**2 + 128**2) * 4


def test_files_of_a_save(realesrgan):
    sizes = {file.name: file.size for file in realesrgan.files}
    assert sizes["net_g_N.pth"] == 134010779
    assert sizes["net_d_N.pth"] == 17587279
    assert sizes["1000000.state"] == pytest.approx(169179257, rel=2e-4)


def test_networks_are_listed_with_their_parameters(realesrgan):
    assert [(n.role, n.arch, n.parameters, n.trainable) for n in realesrgan.networks] == [
        ("generator", "RRDBNet", 16_697_987, 16_697_987),
        ("discriminator", "UNetDiscriminatorSN", 4_376_897, 4_376_897),
        ("perceptual", "VGG19", 20_024_384, 0),
    ]


EDSR = CASES["edsr"][0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"losses": [{"role": "pixel", "type": "FooLoss"}]}, "unknown loss FooLoss"),
        (
            {"losses": [L1, {"role": "contrast", "type": "BarLoss"}]},
            "unknown loss BarLoss in the role contrast",
        ),
        ({"losses": []}, "both pixel and perceptual loss are missing"),
        ({"losses": [{"role": "perceptual", "type": "PerceptualLoss"}]}, "needs layer_weights"),
        ({"losses": [vgg("conv9_9")]}, "vgg19 has no layer conv9_9"),
        ({"losses": [{**vgg("conv1_1"), "vgg_type": "resnet"}]}, "unknown VGG network resnet"),
        ({"optimizers": [{"role": "generator", "type": "Lion"}]}, "unknown optimizer Lion"),
        ({"optimizers": [{"role": "generator", "type": "Adam", "foo": 1}]}, "Adam cannot be built"),
        ({"optimizers": []}, "no optimizer for the generator"),
        ({"networks.generator.arch": "FooNet"}, 'unknown network "FooNet"'),
        ({"recipe": "basicsr.SRGANModel", "losses": [L1, GAN]}, "no discriminator network is named"),
        (
            {**adversarial("FooDiscriminator"), "recipe": "basicsr.SRGANModel"},
            'unknown network "FooDiscriminator"',
        ),
        ({"recipe": "basicsr.FooModel"}, 'unknown training step "basicsr.FooModel"'),
    ],
)
def test_what_nobody_knows_is_named_and_never_guessed(change, message):
    with pytest.raises(CannotTraceError, match=message):
        trace({**EDSR, **change}, verify=False, batches=(2,))


def test_of_sizes_that_do_not_fit_no_line_of_a_shipped_recipe_is_named():
    with pytest.raises(CannotTraceError, match="must match the size") as raised:
        trace({**EDSR, "crop.hr": EDSR["crop.hr"] * 2}, verify=False, batches=(2,))
    assert ".py" not in str(raised.value)


def test_a_loss_on_frequencies_costs_little_and_is_counted():
    made = step("SRModel", "ShuffleMixer", {"upscaling_factor": 2}, 32, 64)
    more = {**made, "losses": [L1, {"role": "freq", "type": "FFTLoss", "loss_weight": 1}]}
    plain, counted = (allocated(trace(s, verify=False), 8) for s in (made, more))
    assert plain < counted < 1.02 * plain


def stereo(**args):
    made = step("ImageRestorationModel", "NAFSSR", {"width": 16, "num_blks": 8, **args}, 30, 120, ema=0)
    crops = {"crop.lq": None, "crop.hr": None, "channels": 6, "options": {"gt_size_h": 120, "gt_size_w": 360}}
    return allocated(trace({**made, **crops}, verify=False), 4)


def test_stereo_crops_are_wider_than_high():
    square = step("ImageRestorationModel", "NAFSSR", {"width": 16, "num_blks": 8}, 30, 120, ema=0, channels=6)
    assert 3 < stereo() / allocated(trace(square, verify=False), 4) < 4  # rows are three times as long


@pytest.mark.slow
def test_random_depth_is_counted_as_the_deepest_step_of_a_run_keeps_it():
    assert [most_kept(*run) for run in ((16, 0.0), (32, 0.1), (64, 0.2), (128, 0.3))] == [16, 32, 64, 113]
    assert stereo(num_blks=64, drop_path_rate=0.9) < 0.6 * stereo(num_blks=64, drop_path_rate=0.1)


@pytest.mark.parametrize("kind", ["vanilla", "lsgan", "wgan", "wgan_softplus", "hinge"])
def test_every_gan_loss_runs(kind):
    pred = torch.randn(2, 1, requires_grad=True)
    for real, is_disc in ((True, False), (True, True), (False, True)):
        loss = GANLoss({"gan_type": kind, "loss_weight": 0.5})(pred, real, is_disc)
        assert loss.shape == ()


def test_losses_weigh_and_reduce():
    pred, target = torch.full((1, 3, 8, 8), 2.0), torch.zeros(1, 3, 8, 8)
    assert build_loss({"type": "L1Loss", "loss_weight": 2})(pred, target) == 4
    assert build_loss({"type": "MSELoss", "reduction": "sum"})(pred, target) == 4 * 3 * 64
    assert build_loss({"type": "CharbonnierLoss"})(pred, target).item() == pytest.approx(2)
    assert build_loss({"type": "PSNRLoss"})(pred, target).item() == pytest.approx(6.0206, abs=1e-3)


@pytest.mark.parametrize("stage", ["ESRNetModel", pytest.param("ESRGANModel", marks=pytest.mark.slow)])
def test_real_hat_is_real_esrgan_with_padded_validation(stage):
    args = {**LIGHT, "upscale": 4, "depths": [2], "num_heads": [6]}
    more = {} if stage == "ESRNetModel" else adversarial("UNetDiscriminatorSN", *TAPS)
    made = step(f"Real{stage}", "SwinIR", args, 32, 128, **more)
    hat = {**made, "recipe": f"basicsr.RealHAT{'MSE' if stage == 'ESRNetModel' else 'GAN'}Model"}
    one, other = trace(made, verify=False, batches=(2,)), trace(hat, verify=False, batches=(2,))
    assert ledger(one).peak(Samples(2, 2)) == ledger(other).peak(Samples(2, 2))
    with pytest.raises(CannotTraceError, match="invalid for input"):
        trace(made, verify=False, batches=(2,), validation=(48, 40))
    trace(hat, verify=False, batches=(2,), validation=(48, 40))


def test_a_crop_that_nobody_told_is_named_in_words():
    without = {name: value for name, value in EDSR.items() if name != "crop.lq"}
    with pytest.raises(CannotTraceError, match="the size of the input crop is not known"):
        trace(without, verify=False, batches=(2,))

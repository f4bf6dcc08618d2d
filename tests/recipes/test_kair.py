# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""KAIR's steps: peaks of the framework's own code (cszn/KAIR fc1732f) on the meta device."""

from __future__ import annotations

import pytest
import torch

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import build
from trainlint.trace.trace import trace

ADAM = [{"role": role, "type": "Adam"} for role in ("generator", "discriminator")]
L1 = {"role": "pixel", "type": "l1", "loss_weight": 1}
BODY = {"in_nc": 3, "out_nc": 3, "nf": 64, "nb": 23, "gc": 32, "sf": 4}
LIGHT = {
    "upscale": 2, "in_chans": 3, "img_size": 64, "window_size": 8, "img_range": 1.0, "depths": [6] * 4,
    "embed_dim": 60, "num_heads": [6] * 4, "mlp_ratio": 2, "upsampler": "pixelshuffledirect",
    "resi_connection": "1conv",
}  # fmt: skip


def features(layer):
    return {"role": "perceptual", "type": "l1", "loss_weight": 1, "feature_layer": layer}


def gan(kind):
    return {"role": "gan", "type": kind, "loss_weight": 1}


PLAIN = {
    "recipe": "kair.plain", "dialect": "kair", "scale": 2, "crop.lq": 64, "crop.hr": 128, "ema": 1,
    "networks.generator.arch": "swinir", "networks.generator.args": LIGHT, "losses": [L1],
    "optimizers": ADAM[:1],
    "options": {"save_optimizer_g": True},
}  # fmt: skip
BSRGAN = {
    **PLAIN, "recipe": "kair.gan", "scale": 4, "crop.lq": 72, "crop.hr": 288, "optimizers": ADAM,
    "networks.generator.arch": "rrdbnet", "networks.generator.args": BODY,
    "networks.discriminator.arch": "discriminator_unet", "networks.discriminator.args": {"input_nc": 3},
    "losses": [L1, features([2, 7, 16, 25, 34]), gan("lsgan")],
}  # fmt: skip
MSR = {
    **BSRGAN, "crop.lq": 24, "crop.hr": 96, "networks.generator.arch": "msrresnet0",
    "networks.generator.args": {"upscale": 4}, "networks.discriminator.arch": "discriminator_vgg_96",
    "networks.discriminator.args": {"ac_type": "BL"}, "losses": [L1, features(34), gan("ragan")],
    "options": {},
}  # fmt: skip

UNET = {"nb": 2, "act_mode": "R", "downsample_mode": "strideconv", "upsample_mode": "convtranspose"}
UNROLLED = {**UNET, "n_iter": 6, "h_nc": 32, "in_nc": 4, "out_nc": 3, "nc": [16, 32, 64, 64]}
WIDE = {**UNROLLED, "n_iter": 8, "h_nc": 64, "nc": [64, 128, 256, 512]}
DENOISER = {**UNET, "in_nc": 4, "out_nc": 3, "nc": [64, 128, 256, 512], "nb": 4, "bias": False}
CHAIN = {"in_nc": 1, "out_nc": 1, "nc": 64, "nb": 17, "act_mode": "BR"}


def denoising(arch, args, channels, **changes):
    return {
        **PLAIN, "scale": 1, "crop.lq": 64, "crop.hr": 64, "ema": 0, "channels": channels,
        "networks.generator.arch": arch, "networks.generator.args": args,
        "options": {"target_channels": args["out_nc"]}, **changes,
    }  # fmt: skip


def peak_of(step, batch):
    batches = (batch,) if batch < 2 else (2, 3)
    tape = trace(step, verify=False, batches=batches)
    return ledger(tape).peak(Samples(batch, batch)).allocated


@pytest.mark.parametrize(
    ("made", "batch", "peak"),
    [(PLAIN, 64, 28762568192), (MSR, 32, 1510048768), (MSR, 2, 401709568)],
    ids=["swinir", "msrresnet", "msrresnet-2"],
)
def test_peak_of_the_framework(made, batch, peak):
    assert ledger(trace(made, verify=False)).peak(Samples(batch, batch)).allocated == peak


def test_files_of_a_save():
    files = {file.name: file.size for file in trace(MSR, verify=False, batches=(2,)).files}
    assert files == {"10000_G.pth": 5354370, "10000_E.pth": 5354370, "10000_D.pth": 56618772}
    assert "10000_optimizerG.pth" in {f.name for f in trace(PLAIN, verify=False, batches=(2,)).files}


@pytest.mark.parametrize(
    ("arch", "args", "parameters"),
    [
        ("rrdbnet", BODY, 16_697_987),
        ("msrresnet0", {"upscale": 4}, 1_332_928),
        ("msrresnet1", {"upscale": 4}, 1_517_571),
        ("swinir", LIGHT, 910_152),
        ("dncnn", CHAIN, 557_057),
        ("fdncnn", {"in_nc": 2, "out_nc": 1, "nb": 20}, 666_497),
        ("ffdnet", {"in_nc": 1, "out_nc": 1, "nc": 64, "nb": 15}, 485_316),
        ("ffdnet", {"in_nc": 3, "out_nc": 3, "nc": 96, "nb": 12}, 852_108),
        ("drunet", DENOISER, 32_640_960),
        ("drunet", {**DENOISER, "in_nc": 2, "out_nc": 1}, 32_638_656),
        ("srmd", {}, 1_553_200),
        ("dpsr", {"upsample_mode": "pixelshuffle"}, 3_493_824),
        ("imdn", {}, 893_936),
        ("rrdb", {}, 16_697_987),
        ("usrnet", UNROLLED, 590_332),
        ("usrnet", WIDE, 17_016_016),
        ("discriminator_unet", {}, 4_376_897),
        ("discriminator_vgg_96", {}, 14_143_881),
        ("discriminator_vgg_128_SN", {}, 14_496_521),
    ],
)
def test_parameters(arch, args, parameters):
    with torch.device("meta"):
        assert sum(p.numel() for p in build("kair", arch, args).parameters()) == parameters


def test_a_single_sample_of_drunet_peaks_in_the_optimizer_step():
    step = denoising("drunet", DENOISER, 4, **{"crop.lq": 128, "crop.hr": 128})
    two, four = (peak_of(step, batch) for batch in (2, 4))
    line = two - (four - two) / 2
    assert line / peak_of(step, 1) == pytest.approx(0.82, abs=0.005)  # 18 % too low in the framework's code


def test_ffdnet_folds_an_image_of_odd_sides_with_its_noise_level():
    with torch.device("meta"):
        net = build("kair", "ffdnet", {"in_nc": 3, "out_nc": 3})
        assert net.model[0].in_channels == 3 * 4 + 1
        assert net(torch.empty(2, 3, 63, 65), torch.empty(2, 1, 1, 1)).shape == (2, 3, 63, 65)
    assert peak_of(denoising("ffdnet", {"in_nc": 1, "out_nc": 1}, 1, recipe="kair.plain2"), 64) > 0


def test_usrnet_needs_most_at_the_smallest_scale():
    step = denoising("usrnet", UNROLLED, 3, recipe="kair.plain4", **{"crop.hr": 96})
    peaks = [peak_of({**step, "options": {"scales": [scale]}}, 2) for scale in (1, 2, 3, 4)]
    assert peaks == sorted(peaks, reverse=True)
    assert peak_of(step, 2) == peaks[0]


def test_swinir_pads_an_image_to_whole_windows():
    tape = trace(PLAIN, verify=False, validation=(171, 85))
    marks = [mark for mark in tape.marks if "validation" in str(mark)]
    assert marks
    with torch.device("meta"):
        net = build("kair", "swinir", LIGHT)
        assert net(torch.empty(1, 3, 21, 18)).shape == (1, 3, 42, 36)


@pytest.mark.parametrize("kind", ["batch", "instance", "spectral", "none"])
def test_the_patch_discriminator_shrinks_eightfold(kind):
    with torch.device("meta"):
        net = build("kair", "discriminator_patchgan", {"norm_type": kind})
        assert net(torch.empty(2, 3, 96, 96)).shape == (2, 1, 15, 15)


@pytest.mark.parametrize("kind", ["gan", "wgan", "softplusgan"])
def test_the_other_gan_losses_run(kind):
    made = {**MSR, "losses": [L1, gan(kind)]}
    assert ledger(trace(made, verify=False, batches=(2,))).peak(Samples(2, 2)).allocated > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"losses": [{**L1, "type": "msssim"}]}, "unknown loss msssim"),
        ({"losses": [L1, gan("foogan")]}, "unknown GAN loss foogan"),
        ({"losses": [L1, {**L1, "role": "tv", "type": "tv"}, gan("gan")]}, "unknown loss tv in the role tv"),
        ({"losses": [{**L1, "loss_weight": "1"}, gan("gan")]}, "must be a number"),
        ({"optimizers": [{**entry, "type": "Lion"} for entry in ADAM]}, "unknown optimizer lion"),
    ],
)
def test_what_nobody_knows_is_named(change, message):
    with pytest.raises(CannotTraceError, match=message):
        trace({**MSR, **change}, verify=False, batches=(2,))


SIMILAR = {
    **PLAIN, "losses": [{"role": "pixel", "type": "ssim", "loss_weight": 1}], "scale": 4, "crop.lq": 24,
    "crop.hr": 96, "networks.generator.arch": "msrresnet0", "networks.generator.args": {"upscale": 4},
}  # fmt: skip


@pytest.mark.parametrize(("batch", "allocated"), [(2, 57_517_056), (4, 93_657_600)])
def test_peak_with_the_published_similarity(batch, allocated):
    """This step with models/loss_ssim.py in the place of ours."""
    tape = trace(SIMILAR, verify=False, batches=(batch,))
    assert ledger(tape).peak(Samples(batch, batch)).allocated == allocated


def test_the_similarity_of_gray_images_fails_on_a_gpu():
    gray = {**SIMILAR, "channels": 1, "networks.generator.args": {"in_nc": 1, "out_nc": 1, "upscale": 4}}
    with pytest.raises(CannotTraceError, match="window stays on the CPU"):
        trace(gray, verify=False, batches=(2,))

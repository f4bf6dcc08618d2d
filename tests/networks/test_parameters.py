# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Published networks: parameter counts, output sizes, and what their constructors refuse.

Counts were measured by instantiating the original code (BasicSR 8d56e3a, Real-ESRGAN a4abfb2, NAFNet 2b4af71,
CAT 89cbfc8, KAIR fc1732f).
"""

from __future__ import annotations

import pytest
import torch

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.trace.building.build import build, networks_from
from trainlint_zoo.features.vgg import VGGFeatureExtractor

RGB = {"num_in_ch": 3, "num_out_ch": 3}
SWIN = {
    "img_size": 48,
    "window_size": 8,
    "depths": [6] * 6,
    "embed_dim": 180,
    "num_heads": [6] * 6,
    "mlp_ratio": 2,
}
LIGHT = {
    "depths": [6] * 4,
    "embed_dim": 60,
    "num_heads": [6] * 4,
    "mlp_ratio": 2,
    "upsampler": "pixelshuffledirect",
}
ECBSR = {
    "num_in_ch": 1,
    "num_out_ch": 1,
    "num_block": 4,
    "num_channel": 16,
    "with_idt": False,
    "act_type": "prelu",
}
CAT = {
    "img_size": 48,
    "split_size_0": [2, 2, 2, 4, 4, 4],
    "split_size_1": [0] * 6,
    "depth": [6] * 6,
    "num_heads": [6] * 6,
    "upsampler": "pixelshuffle",
}
CAT_R = {**CAT, "split_size_0": [4] * 6, "split_size_1": [16] * 6, "block_name": "CATB_regular"}
SIDD = {"enc_blk_nums": [2, 2, 4, 8], "middle_blk_num": 12, "dec_blk_nums": [2, 2, 2, 2]}
GOPRO = {"enc_blk_nums": [1, 1, 1, 28], "middle_blk_num": 1, "dec_blk_nums": [1, 1, 1, 1]}

GENERATORS = [
    ("RRDBNet", RGB, 16_697_987, 4),
    ("RRDBNet", {**RGB, "scale": 2}, 16_703_171, 2),
    ("RRDBNet", {**RGB, "num_block": 6}, 4_467_779, 4),
    ("SRVGGNetCompact", {"num_conv": 32}, 1_213_296, 4),
    ("SRVGGNetCompact", {"num_conv": 16}, 621_424, 4),
    ("MSRResNet", {}, 1_517_571, 4),
    ("EDSR", {**RGB, "upscale": 2}, 1_369_859, 2),
    ("EDSR", {**RGB, "num_feat": 256, "num_block": 32, "res_scale": 0.1}, 43_089_923, 4),
    ("RCAN", {**RGB, "num_block": 20, "upscale": 2}, 15_444_643, 2),
    ("ECBSR", {**ECBSR, "scale": 2}, 42_224, 2),
    ("ECBSR", {**ECBSR, "scale": 4}, 49_712, 4),
    ("SwinIR", {**SWIN, "upscale": 2, "upsampler": "pixelshuffle"}, 11_752_487, 2),
    ("SwinIR", {**SWIN, "upscale": 4, "upsampler": "pixelshuffle"}, 11_900_199, 4),
    ("SwinIR", {**SWIN, "img_size": 64, "upscale": 4, "upsampler": "nearest+conv"}, 11_715_559, 4),
    ("SwinIR", {**LIGHT, "window_size": 8, "upscale": 2}, 910_152, 2),
    ("NAFNet", {"width": 32, **SIDD}, 29_159_715, 1),
    ("NAFNetLocal", {"width": 32, **GOPRO}, 17_111_907, 1),
    ("NAFNetLocal", {"width": 64, **GOPRO}, 67_888_835, 1),
    ("CAT", {**CAT, "upscale": 4}, 16_603_815, 4),
    pytest.param("CAT", {**CAT_R, "upscale": 2}, 16_456_103, 2, marks=pytest.mark.slow),
    ("ShuffleMixer", {"upscaling_factor": 2}, 393_939, 2),
    ("ShuffleMixer", {"upscaling_factor": 4}, 410_579, 4),
    ("ShuffleMixer", {"n_feats": 32, "kernel_size": 3, "upscaling_factor": 3}, 113_715, 3),
    ("NAFSSR", {"width": 48, "num_blks": 16, "up_scale": 2}, 445_068, 2),
    ("NAFSSR", {"width": 64, "num_blks": 32, "up_scale": 4}, 1_559_344, 4),
    pytest.param(
        "NAFSSR",
        {"width": 128, "num_blks": 128, "up_scale": 4, "drop_path_rate": 0.3},
        23_832_112,
        4,
        marks=pytest.mark.slow,
    ),
]


def count(network):
    return sum(p.numel() for p in network.parameters())


@pytest.mark.parametrize(("arch", "args", "parameters", "scale"), GENERATORS)
def test_generator(arch, args, parameters, scale):
    channels = 6 if arch == "NAFSSR" else args.get("num_in_ch", 3)
    with torch.device("meta"), torch.no_grad():
        network = build("basicsr", arch, args)
        assert count(network) == parameters
        out = network(torch.empty(2, channels, 48, 48))
    assert out.shape == (2, channels, 48 * scale, 48 * scale)


@pytest.mark.parametrize(
    ("arch", "args", "side", "parameters", "out"),
    [
        ("UNetDiscriminatorSN", {"num_in_ch": 3}, 64, 4_376_897, (2, 1, 64, 64)),
        ("VGGStyleDiscriminator", {"num_in_ch": 3, "num_feat": 64}, 128, 14_499_401, (2, 1)),
        ("VGGStyleDiscriminator128", {"num_in_ch": 3}, 128, 14_499_401, (2, 1)),
        ("VGGStyleDiscriminator256", {"num_in_ch": 3}, 256, 21_055_049, (2, 1)),
    ],
)
def test_discriminator(arch, args, side, parameters, out):
    with torch.device("meta"):
        network = build("basicsr", arch, args)
        assert count(network) == parameters
        assert network(torch.empty(2, 3, side, side)).shape == out


def test_spectral_normalisation_keeps_its_vectors():
    with torch.device("meta"):
        network = build("basicsr", "UNetDiscriminatorSN", {"num_in_ch": 3})
    assert sum(b.numel() for b in network.buffers()) == 17_856


def test_vgg_is_cut_after_the_last_tap_and_frozen():
    with torch.device("meta"):
        vgg = VGGFeatureExtractor(["conv1_2", "conv5_4"])
        taps = vgg(torch.empty(1, 3, 64, 64))
    assert count(vgg) == 20_024_384
    assert not any(p.requires_grad for p in vgg.parameters())
    assert {name: tuple(tap.shape) for name, tap in taps.items()} == {
        "conv1_2": (1, 64, 64, 64), "conv5_4": (1, 512, 4, 4),
    }  # fmt: skip


def test_the_baseline_is_wider_when_told():
    args = {"width": 32, "dw_expand": 1, "ffn_expand": 2, **GOPRO}
    with torch.device("meta"):
        plain, local = build("basicsr", "Baseline", args), build("basicsr", "BaselineLocal", args)
        out = local(torch.empty(1, 3, 720, 1280))
    assert count(plain) == count(local)
    assert out.shape == (1, 3, 720, 1280)


@pytest.mark.parametrize(
    ("arch", "args", "message"),
    [
        ("RRDBNet", {**RGB, "num_feat": -1}, "num_feat must be a positive integer, is -1"),
        ("RRDBNet", {**RGB, "num_feat": "64"}, 'num_feat must be a positive integer, is "64"'),
        ("RRDBNet", {"num_in_ch": 3}, 'needs the argument "num_out_ch"'),
        ("EDSR", {**RGB, "upscale": 6}, "scale 6 is not supported"),
        ("SwinIR", {**SWIN, "upscale": 2, "upsampler": "nearest+conv"}, "needs upscale 4"),
        ("VGGStyleDiscriminator", {"num_in_ch": 3, "input_size": 96}, "input_size must be 128 or 256, is 96"),
    ],
)
def test_bad_arguments_are_refused(arch, args, message):
    with torch.device("meta"), pytest.raises(BadArgumentsError, match=message):
        build("basicsr", arch, args)


def test_an_unknown_network_is_named():
    with pytest.raises(CannotTraceError, match='unknown network "FooNet"'):
        build("basicsr", "FooNet", {})


def test_a_users_network_is_found_only_inside_its_context(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from torch import nn\nBUILDERS = {'Mine': 'Mine'}\n"
        "class Mine(nn.Conv2d):\n"
        "    def __init__(self, width: int = 8):\n        super().__init__(3, width, 1)\n"
    )
    with networks_from([tmp_path]):
        assert count(build("basicsr", "Mine", {"width": 4})) == 16
    with pytest.raises(CannotTraceError):
        build("basicsr", "Mine", {})

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks that spandrel has too, drawn in the project: counts and peaks of spandrel 0.4.2's classes.

One step of BasicSR's SRModel in fp32 (L1, Adam, EMA), one of traiNNer-redux's in bf16 (Charbonnier, AdamW).
"""

from __future__ import annotations

import pytest
import torch

from trainlint.errors import BadArgumentsError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import build
from trainlint.trace.trace import trace

OMNI = {
    "res_num": 1, "block_num": 2, "bias": False, "window_size": 7, "pe": True, "upsampling": 3,
    "num_feat": 128,
}  # fmt: skip
DRCT = {
    "upscale": 4, "embed_dim": 36, "depths": [6, 6], "num_heads": [6, 6], "window_size": 8, "img_size": 48,
    "upsampler": "pixelshuffle", "ape": True, "patch_norm": False, "resi_connection": "identity",
}  # fmt: skip
ONE = {"scale": 2, "depths": [6], "num_heads": [6]}
DYSAMPLE = {"n_blocks": 1, "dysample": True}
COUNTS = [
    ("trainner-redux:realplksr", {}, 7_389_680),
    ("trainner-redux:realplksr_tiny", {"scale": 2}, 2_351_308),
    ("trainner-redux:realplksr_large", {"n_blocks": 3}, 1_817_496),
    ("neosr:realplksr", {"n_blocks": 3}, 818_080),
    ("neosr:realplksr_s", {}, 2_372_080),
    ("basicsr:RealPLKSR", {**DYSAMPLE, "layer_norm": True, "upscaling_factor": 2}, 272_419),
    ("basicsr:RealPLKSR", {**DYSAMPLE, "upscaling_factor": 3}, 283_289),
    ("trainner-redux:safmn_l", {"n_blocks": 3}, 1_098_032),
    ("neosr:safmn", {"n_blocks": 2}, 72_336),
    ("neosr:safmn_l", {"scale": 2}, 5_559_308),
    ("basicsr:SAFMN", {"dim": 16, "n_blocks": 2, "upscaling_factor": 2}, 13_516),
    ("trainner-redux:omnisr", {}, 805_376),
    ("neosr:omnisr", {"upsampling": 2, "window_size": 16}, 814_044),
    ("basicsr:OmniSR", OMNI, 1_267_872),
    ("trainner-redux:drct", ONE, 2_790_917),
    ("trainner-redux:drct_l", {}, 27_580_719),
    ("neosr:drct_s", {}, 2_459_787),
    ("neosr:drct", {"depths": [6, 6], "num_heads": [6, 6]}, 5_178_819),
    ("basicsr:DRCT", DRCT, 1_370_663),
]  # fmt: skip

WIDE = {"scale": 4, "n_blocks": 3}
# preset of redux, arguments, side of the crop, peaks of 2 and 4 samples in fp32, and in bf16
PEAKS = [
    pytest.param(
        "realplksr", {"scale": 4}, 32, (297_731_584, 477_029_888), (239_300_096, 345_341_440),
        marks=pytest.mark.slow,
    ),
    ("realplksr_tiny", {"scale": 2}, 48, (183_511_040, 329_326_592), (130_086_400, 217_300_992)),
    ("realplksr_large", WIDE, 48, (100_196_864, 171_086_336), (77_118_976, 121_494_016)),
    ("safmn", {"scale": 4}, 48, (91_307_520, 178_558_464), (70_852_096, 137_122_304)),
    ("safmn_l", WIDE, 64, (233_859_072, 450_111_488), (179_650_560, 339_599_360)),
    pytest.param(
        "omnisr", {"scale": 4}, 48, (524_529_152, 1_035_304_960), (349_778_432, 684_185_088),
        marks=pytest.mark.slow,
    ),
    ("drct", ONE, 32, (246_873_088, 424_189_440), (226_140_672, 376_402_432)),
]  # fmt: skip


def count(name, args):
    dialect, arch = name.split(":")
    with torch.device("meta"):
        return sum(p.numel() for p in build(dialect, arch, args).parameters())


def peaks(arch, args, side, **more):
    step = {
        "dialect": "trainner-redux", "recipe": "basicsr.SRModel", "scale": args["scale"],
        "crop.lq": side, "crop.hr": side * args["scale"],
        "networks.generator.arch": arch, "networks.generator.args": args,
        "losses": [{"role": "pixel", "type": "L1Loss"}],
        "optimizers": [{"role": "generator", "type": "Adam", "lr": 1e-4}], "ema": 0.999, **more,
    }  # fmt: skip
    tape = trace(step, verify=False, batches=(2, 4))
    return tuple(ledger(tape).peak(Samples(batch, batch)).allocated for batch in (2, 4))


@pytest.mark.parametrize(("name", "args", "parameters"), COUNTS)
def test_counts_are_the_librarys(name, args, parameters):
    assert count(name, args) == parameters


@pytest.mark.parametrize(("arch", "args", "side", "single", "half"), PEAKS)
def test_peaks_are_the_librarys(arch, args, side, single, half):
    assert peaks(arch, args, side) == single
    redux = {
        "recipe": "trainner-redux.SRModel", "precision": "bf16", "channels_last": True, "ema": 1,
        "losses": [{"type": "charbonnierloss", "loss_weight": 1}],
        "optimizers": [{"role": "generator", "type": "AdamW", "weight_decay": 0}],
    }  # fmt: skip
    assert peaks(arch, args, side, **redux) == half


def test_tails_of_realplksr():
    plain = count("trainner-redux:realplksr_tiny", {})
    # at scale 4: 48 channels to 3, and twice 48 to 2 x 4 groups x 16 points, one of them with a bias
    points = 2 * 4 * 16
    dysample = count("trainner-redux:realplksr_tiny", {"upsampler": "dysample"})
    assert dysample - plain == 48 * 3 + 3 + 2 * 48 * points + points
    assert count("neosr:realplksr_s", {"dysample": True, "scale": 1}) == count(
        "neosr:realplksr_s", {"scale": 1}
    )
    with pytest.raises(BadArgumentsError, match="upsampler must be"):
        count("trainner-redux:realplksr", {"upsampler": "conv"})


def test_groups_of_neosrs_safmn():
    plain, grouped = (count("neosr:safmn", {"bcie": bcie, "num_layers": 1}) for bcie in (False, True))
    assert grouped - plain == 8 * (36 * 36 * 9 + 36)  # one convolution for each of the eight groups


def test_safmn_asks_for_its_width():
    with pytest.raises(BadArgumentsError, match='SAFMN needs the argument "dim"'):
        count("basicsr:SAFMN", {})


def test_omnisrs_own_code_copies_an_image_that_fits():
    least = {"window_size": 8, "upsampling": 4, "res_num": 1, "bias": True, "pe": True, "block_num": 1}
    images = [
        peaks(arch, {"scale": 4, **args}, 48, dialect=dialect)
        for dialect, arch, args in (
            ("basicsr", "OmniSR", least),
            ("trainner-redux", "omnisr", {"res_num": 1}),
        )
    ]
    kept = [more - less for more, less in zip(*images, strict=True)]
    assert kept == [samples * 3 * 48**2 * 4 for samples in (2, 4)]


def test_what_neosrs_omnisr_asks_for():
    with pytest.raises(BadArgumentsError, match='needs the argument "upsampling"'):
        count("neosr:omnisr", {"scale": 4})


@pytest.mark.slow
def test_reduxs_drct_recomputes_its_blocks_and_the_published_one_does_not():
    assert peaks("drct", {**ONE, "use_checkpoint": True}, 32)[1] < 0.6 * peaks("drct", ONE, 32)[1]
    small = {**DRCT, "scale": 4, "depths": [1], "num_heads": [2], "embed_dim": 16}
    plain, asked = (
        peaks("DRCT", {**small, "use_checkpoint": switch}, 48, dialect="basicsr") for switch in (False, True)
    )
    assert plain == asked


def test_reduxs_drct_mirrors_what_does_not_fill_its_windows():
    assert peaks("drct", ONE, 28) > peaks("drct", {**ONE, "window_size": 14}, 28)


@pytest.mark.parametrize(
    ("arch", "args"),
    [
        ("drct_l", {"depths": [6] * 6}),
        ("realplksr_s", {"n_blocks": 28}),
        ("safmn_l", {"dim": 36}),
        ("omnisr", {"upsampling": 4, "window_size": 8, "res_num": 5}),
    ],
)
def test_a_preset_of_neosr_fails_on_what_it_sets_itself(arch, args):
    with pytest.raises(BadArgumentsError, match="multiple values for keyword argument"):
        count(f"neosr:{arch}", args)

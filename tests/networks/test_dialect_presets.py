# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Presets of traiNNer-redux and neosr whose network the project draws: counts and peaks of spandrel 0.4.2."""

from __future__ import annotations

import pytest
import torch

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import build
from trainlint.trace.trace import trace

COUNTS = {
    "trainner-redux:hat_s": 9_621_183, "trainner-redux:hat_m": 20_772_507, "trainner-redux:hat_l": 40_846_575,
    "neosr:hat_s": 9_621_183, "neosr:hat_m": 20_772_507, "neosr:hat_l": 40_846_575,
    "trainner-redux:dat": 14_802_051, "trainner-redux:dat_s": 11_212_131, "trainner-redux:dat_2": 11_212_131,
    "neosr:dat_s": 11_212_131, "neosr:dat_m": 14_802_051, "neosr:dat_2": 11_212_131,
    "trainner-redux:atd": 20_260_929, "neosr:atd": 20_260_929, "neosr:atd_light": 768_792,
    "trainner-redux:plksr": 7_386_096, "neosr:plksr": 7_386_096, "neosr:plksr_tiny": 2_370_544,
}  # fmt: skip
TWO = {"depths": [2, 2], "num_heads": [2, 2], "embed_dim": 48}
SMALL_DAT = {"depth": [2, 2], "num_heads": [2, 2], "embed_dim": 48}
SPARSE = {"n_blocks": 2, "lk_type": "SparsePLK", "use_max_kernel": True, "with_idt": True}
# preset, arguments but for the scale of 4, side of the crop, peaks of 2 and 4 samples in bytes
PEAKS = [
    ("trainner-redux:hat_m", {**TWO, "num_feat": 32}, 32, (98_736_128, 187_983_872)),
    ("trainner-redux:hat_m", {**TWO, "use_checkpoint": True}, 40, (97_416_192, 178_266_624)),  # mirrored
    ("trainner-redux:dat_s", SMALL_DAT, 64, (266_760_704, 516_170_240)),
    ("trainner-redux:atd", {**TWO, "window_size": 8}, 32, (121_861_632, 235_269_632)),
    ("neosr:atd", {**TWO, "window_size": 8}, 36, (192_655_360, 376_856_576)),  # mirrored, no mean taken off
    ("neosr:atd", {**TWO, "norm": True}, 32, (136_172_032, 261_769_728)),
    ("trainner-redux:plksr", SPARSE, 24, (16_673_792, 23_618_048)),
    (
        "neosr:plksr",
        {"n_blocks": 2, "lk_type": "RectSparsePLK", "ccm_type": "CCM"},
        24,
        (12_979_200, 19_923_456),
    ),
]
OVERRIDDEN = [
    ("hat_m", "embed_dim"),
    ("dat_m", "expansion_factor"),
    ("atd_light", "num_heads"),
    ("plksr_tiny", "n_blocks"),
]


def made(name, args):
    dialect, arch = name.split(":")
    with torch.device("meta"):
        return build(dialect, arch, args)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_the_librarys(name):
    assert sum(p.numel() for p in made(name, {"scale": 4}).parameters()) == COUNTS[name]


@pytest.mark.parametrize(("name", "args", "side", "expected"), PEAKS)
def test_peaks_are_the_librarys(name, args, side, expected):
    dialect, arch = name.split(":")
    step = {
        "dialect": dialect, "recipe": "basicsr.SRModel", "scale": 4, "crop.lq": side, "crop.hr": 4 * side,
        "networks.generator.arch": arch, "networks.generator.args": {"scale": 4, **args},
        "losses": [{"role": "pixel", "type": "L1Loss"}],
        "optimizers": [{"role": "generator", "type": "Adam", "lr": 1e-4}], "ema": 0.999,
    }  # fmt: skip
    book = ledger(trace(step, verify=False))
    assert tuple(book.peak(Samples(batch, batch)).allocated for batch in (2, 4)) == expected


@pytest.mark.parametrize(("arch", "argument"), OVERRIDDEN)
def test_neosrs_presets_refuse_what_they_set_themselves(arch, argument):
    with pytest.raises(BadArgumentsError, match=f"multiple values for keyword argument '{argument}'"):
        made(f"neosr:{arch}", {"scale": 4, argument: 60})


@pytest.mark.parametrize(
    "name", ["trainner-redux:hat_m", "trainner-redux:dat", "trainner-redux:atd", "trainner-redux:plksr"]
)
def test_reduxs_presets_refuse_what_they_do_not_name(name):
    with pytest.raises(BadArgumentsError, match='takes no argument "down_c"'):
        made(name, {"down_c": 20})


def test_reduxs_dat_without_its_first_layer():
    with pytest.raises(CannotTraceError, match="unshuffle_mod"):
        made("trainner-redux:dat", {"scale": 2, "unshuffle_mod": True})
    assert made("trainner-redux:dat", {"scale": 4, "unshuffle_mod": True})  # no effect from scale 3 on


def test_neosrs_plksr_takes_its_factor_before_the_runs_scale():
    assert made("neosr:plksr_tiny", {"scale": 4, "upscaling_factor": 2}).to_img.upscale_factor == 2
    with pytest.raises(CannotTraceError, match="is_coreml"):
        made("neosr:plksr", {"is_coreml": True})

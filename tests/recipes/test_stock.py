# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps with networks that stock BasicSR and GFPGAN have but train by none of their options.

Counts and peaks are those of their own code (basicsr 1.4.2, gfpgan 1.3.8) in the same step, on meta.
"""

from __future__ import annotations

import pytest

from tests.recipes.recorded_peak import recorded_peak
from tests.recipes.test_gfpgan import FREE, SHIPPED
from tests.recipes.test_gfpgan import step as face
from trainlint.errors import BadArgumentsError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import build
from trainlint.trace.trace import trace


def same_size(arch, args, **more):
    return {
        "recipe": "basicsr.SRModel", "dialect": "basicsr", "scale": 1, "crop.lq": 64, "crop.hr": 64, "ema": 1,
        "networks.generator.arch": arch, "networks.generator.args": args,
        "losses": [{"role": "pixel", "type": "L1Loss", "loss_weight": 1}],
        "optimizers": [{"role": "generator", "type": "Adam"}], "options": {}, **more,
    }  # fmt: skip


RIDNET = same_size("RIDNet", {"in_channels": 3, "mid_channels": 64, "out_channels": 3})
TOFLOW = same_size("TOFlow", {}, recipe="basicsr.VideoBaseModel", frames=7)
CLEAN = {"networks.generator.arch": "GFPGANv1Clean"}


@pytest.mark.parametrize(
    ("made", "batch", "parameters", "allocated"),
    [
        (RIDNET, 2, 1_499_371, 148_198_912),
        (RIDNET, 3, 1_499_371, 210_265_088),
        (TOFLOW, 2, 1_405_899, 113_847_296),
        (TOFLOW, 3, 1_405_899, 159_413_248),
        pytest.param(face(SHIPPED, **CLEAN), 2, 76_207_244, 5_694_601_728, marks=pytest.mark.slow),
        (face(FREE, **CLEAN), 2, 48_674_924, 5_524_425_728),
    ],
    ids=lambda value: value["networks.generator.arch"] if isinstance(value, dict) else "",
)
def test_peak_of_the_own_code(made, batch, parameters, allocated):
    tape = trace(made, verify=False, batches=(batch,))
    assert tape.networks[0].parameters == parameters
    assert recorded_peak(ledger(tape), Samples(batch, batch)) == allocated


def test_an_image_is_tested_as_by_the_own_code():
    tape = trace(RIDNET, verify=False, batches=(2,), validation=(48, 50))
    assert ledger(tape, validation=True).peak(Samples(2, 2)).allocated == 34_556_416


def test_the_clean_version_takes_no_filter():
    with pytest.raises(BadArgumentsError, match='no argument "resample_kernel"'):
        build("basicsr", "GFPGANv1Clean", {"out_size": 512, "resample_kernel": [1, 3, 3, 1]})

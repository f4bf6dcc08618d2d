# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Restormer's step in each stage of its progressive training: peaks of the class itself, traced on meta.

The library's network is byte for byte the one of swz30/Restormer 861974ad (compared at batches 1 and 2).
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("spandrel_extra_arches")

from trainlint.errors import CannotTraceError  # noqa: E402  # after importorskip
from trainlint.estimate.replay.gpu_ledger import Samples, ledger  # noqa: E402  # after importorskip
from trainlint.trace.trace import trace  # noqa: E402  # after importorskip

L1 = {"role": "pixel", "type": "L1Loss", "loss_weight": 1, "reduction": "mean"}
DEBLUR = {"LayerNorm_type": "BiasFree"}
SMALL = {"dim": 8, "num_blocks": [1] * 4, "num_refinement_blocks": 1}


def step(args, side, **more):
    return {
        "recipe": "basicsr.ImageCleanModel", "dialect": "basicsr", "scale": 1, "crop.lq": side,
        "crop.hr": side,
        "networks.generator.arch": "Restormer", "networks.generator.args": args, "losses": [L1], "ema": 0,
        "optimizers": [{"role": "generator", "type": "AdamW", "weight_decay": 1}], "gradient_clip": 1, **more,
    }  # fmt: skip


def allocated(made, batch, validation=None):
    tape = trace(made, verify=False, batches=(batch,), validation=validation)
    book = ledger(tape, validation=validation is not None)
    return book.peak(Samples(batch, batch)).allocated


def test_the_peak_is_the_stage_of_four_crops_of_192():
    peaks = {(b, side): allocated(step(DEBLUR, side), b) for b, side in ((8, 128), (4, 192), (1, 384))}
    assert peaks == {(8, 128): 24385661952, (4, 192): 27378215936, (1, 384): 27085253632}


def test_one_sample_needs_less_than_the_line_through_two_and_three_says():
    tape = trace(step(DEBLUR, 128), verify=False)
    line = ledger(tape).peak(Samples(1, 1)).allocated
    assert 1.005 < line / allocated(step(DEBLUR, 128), 1) < 1.25


def test_a_720p_image_needs_eight_gigabytes():
    made = step(DEBLUR, 64, options={"val_window_size": 8})
    assert allocated(made, 1, validation=(720, 1280)) == pytest.approx(8.79e9, rel=1e-3)


def test_validation_pads_to_whole_windows():
    made = {name: step(SMALL, 32, **more) for name, more in
            (("padded", {"options": {"val_window_size": 8}}), ("whole", {}))}  # fmt: skip
    odd, even = (34, 41), (40, 48)
    assert allocated(made["padded"], 1, odd) == pytest.approx(allocated(made["padded"], 1, even), rel=2e-3)
    with pytest.raises(CannotTraceError):  # three halvings need a multiple of 8
        allocated(made["whole"], 1, odd)


def test_two_views_give_one_image():
    made = step({**SMALL, "inp_channels": 6, "dual_pixel_task": True}, 32, channels=6)
    assert allocated(made, 2) > allocated(step(SMALL, 32), 2)


def test_mixed_samples_take_no_more_room_at_the_peak():
    plain, mixed = step(SMALL, 32), step(SMALL, 32, options={"mixup": True})
    assert allocated(mixed, 2) == allocated(plain, 2)


def test_without_a_pixel_loss_nothing_is_trained():
    with pytest.raises(CannotTraceError, match="pixel loss is missing"):
        allocated(step(SMALL, 32, losses=[]), 2)

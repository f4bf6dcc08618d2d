# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""CAT's and MambaIR's neighbours: validations that mirror, pad or cut the image."""

from __future__ import annotations

import pytest
import torch

from trainlint.errors import BadArgumentsError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import build
from trainlint.trace.trace import trace
from trainlint_zoo.forks.recipes.cat import mirrored

SMALL = {
    "img_size": 16, "embed_dim": 16, "depth": [2], "num_heads": [2], "split_size_0": [2], "split_size_1": [0],
    "upsampler": "pixelshuffle", "upscale": 2,
}  # fmt: skip
L1 = {"role": "pixel", "type": "L1Loss", "loss_weight": 1, "reduction": "mean"}
STEP = {
    "recipe": "basicsr.CATModel", "dialect": "basicsr", "scale": 2, "crop.lq": 16, "crop.hr": 32,
    "networks.generator.arch": "CAT", "networks.generator.args": SMALL, "ema": 0, "losses": [L1],
    "optimizers": [{"role": "generator", "type": "Adam"}],
}  # fmt: skip


def validated(height, width, **options):
    made = {**STEP, "options": options}
    tape = trace(made, verify=False, batches=(1,), validation=(height, width))
    return ledger(tape, validation=True).peak(Samples(1, 1)).allocated


def test_an_image_is_mirrored_to_whole_rectangles():
    image = torch.arange(5.0).view(1, 1, 1, 5).expand(1, 1, 3, 5)
    assert mirrored(image, 4, 4)[0, 0, 0].tolist() == [0, 1, 2, 3, 4, 4, 3, 2]
    assert mirrored(image, 4, 4).shape == (1, 1, 4, 8)
    assert mirrored(image, 3, 5).shape == (1, 1, 3, 5)


def test_quarters_of_an_image_need_less_than_the_whole():
    assert validated(402, 404, use_chop=True) < 0.7 * validated(402, 404)


def test_small_images_are_not_cut():
    assert validated(40, 40, use_chop=True) == pytest.approx(validated(40, 40), rel=0.05)


def test_windows_of_no_size_are_refused():
    with torch.device("meta"), pytest.raises(BadArgumentsError, match="windows of group 0 are 0x0"):
        build("basicsr", "CAT", {**SMALL, "split_size_0": [0]})

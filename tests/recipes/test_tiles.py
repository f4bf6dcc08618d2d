# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Validation in tiles: what the tiles hold beside the network, and that they bound the peak."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.trace import trace
from trainlint_zoo.common import tiles

REDUX = {
    "recipe": "trainner-redux.SRModel", "dialect": "trainner-redux", "scale": 4, "crop.lq": 16, "crop.hr": 64,
    "networks.generator.arch": "compact", "networks.generator.args": {},
    "losses": [{"type": "charbonnierloss", "loss_weight": 1}],
    "optimizers": [{"role": "generator", "type": "AdamW", "weight_decay": 0}],
}  # fmt: skip
HAT = {
    "recipe": "basicsr.HATModel", "dialect": "basicsr", "scale": 4, "crop.lq": 16, "crop.hr": 64,
    "networks.generator.arch": "SwinIR",
    "networks.generator.args": {
        "upscale": 4, "embed_dim": 12, "depths": [2], "num_heads": [2], "window_size": 8, "img_size": 16,
        "upsampler": "pixelshuffle",
    },
    "losses": [{"role": "pixel", "type": "L1Loss"}],
    "optimizers": [{"role": "generator", "type": "Adam"}],
}  # fmt: skip


class Net(nn.Module):
    """Enlarges; remembers what it was given."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, image):
        self.seen.append(tuple(image.shape[2:]))
        return image.repeat_interleave(2, 2).repeat_interleave(2, 3)


def validation(step, size, **tiles):
    made = step | {f"validation.{name}": value for name, value in tiles.items()}
    tape = trace(made, verify=False, batches=(2,), validation=size)
    return ledger(tape, validation=True).peak(Samples(2, 2)).allocated


def test_blended_tiles_are_padded_to_whole_ones():
    net = Net()
    output = tiles.blended(net, torch.rand(1, 3, 40, 70), 2, 32, 8)
    assert net.seen == [(32, 32)] * 2
    assert output.shape == (1, 3, 80, 140)


def test_an_image_no_larger_than_a_tile_is_one_piece():
    net = Net()
    tiles.blended(net, torch.rand(1, 3, 20, 32), 2, 32, 0)
    assert net.seen == [(20, 32)]


def test_a_blended_tile_of_a_low_image_is_reflected_as_far_as_it_reaches():
    net = Net()
    assert tiles.blended(net, torch.rand(1, 3, 10, 70), 2, 32, 0).shape == (1, 3, 20, 140)
    assert net.seen == [(19, 32)] * 2  # 10 rows reflect 9


def test_padded_tiles_see_their_neighbours():
    net = Net()
    assert tiles.padded(net, torch.rand(1, 3, 40, 64), 2, 16, 4).shape == (1, 3, 80, 128)
    assert net.seen == [(24, 24)] * 2
    tiles.padded(net, torch.rand(1, 3, 12, 16), 2, 16, 4)
    assert net.seen[2:] == [(12, 16)]


def test_blended_tiles_hold_the_output_the_weights_and_one_tile():
    output = 3 * 1024 * 2048 * 4
    least = 5 * output  # target, sum, weights; at the end the weights that are not 0 and the quotient
    assert validation(REDUX, (256, 512), tile=32) == pytest.approx(least, rel=0.1)


def test_blended_tiles_bound_a_large_networks_peak():
    large = REDUX | {"networks.generator.arch": "esrgan", "networks.generator.args": {"num_blocks": 1}}
    whole, tiled = (validation(large, (256, 512), **kind) for kind in ({}, {"tile": 64, "overlap": 8}))
    assert tiled < whole / 3


def test_tiles_of_a_hat_bound_its_peak():
    whole, tiled = (validation(HAT, (128, 128), **kind) for kind in ({}, {"tile": 32, "overlap": 8}))
    assert 2 * 3 * 512 * 512 * 4 < tiled < whole / 2  # target and output


NEOSR = REDUX | {
    "recipe": "neosr.image", "dialect": "neosr", "losses": [{"role": "mssim", "type": "mssim_loss"}],
    "optimizers": [{"role": "generator", "type": "adamw"}],
}  # fmt: skip


def test_neosrs_tiles_leave_the_input_its_mirror_and_the_target_on_the_gpu():
    output, tile = 3 * 1020 * 2040 * 4, 3 * 256 * 256 * 4
    inputs = 3 * 255 * 510 * 4 + 3 * 256 * 512 * 4
    tiled = validation(NEOSR, (255, 510), tile=64)
    rest = tiled - output - inputs
    assert tile < rest < 60 * tile  # the weights, their state and one tile's features
    assert tiled < validation(NEOSR, (255, 510)) / 2


def test_tiles_that_overlap_wholly_cannot_be():
    with pytest.raises(CannotTraceError, match="tiles of 32 cannot overlap by 32"):
        validation(REDUX, (64, 64), tile=32, overlap=32)

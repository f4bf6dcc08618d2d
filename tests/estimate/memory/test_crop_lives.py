# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The most live bytes at other crops by sizes alone, against the ledgers of each crop's tape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.estimate.toy_tapes import Writer
from trainlint.estimate.memory.crop_lives import CropLives
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.tape import SECOND_STEP
from trainlint.tape.crops.crop_side import NotPolynomialError
from trainlint.tape.crops.crop_tapes import merged

SIDES = (16, 32, 64)


def tape(side, blocks):
    """Return a tape of two steps on two GPUs, whose blocks have the bytes that `blocks` say of a side."""
    writer = Writer()
    stay = writer.alloc(700)
    for step in range(2):
        if step:
            writer.mark(SECOND_STEP)
        made = [
            writer.alloc(const, batch(side), device=number % 2)
            for number, (const, batch) in enumerate(blocks)
        ]
        writer.free(*made)
    writer.free(stay)
    return writer.tape(step={"recipe": "test", "crop.lq": side}, devices=2)


@given(
    st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 9), st.integers(0, 3)), min_size=2, max_size=6),
    st.sampled_from((24, 40, 48, 56, 64)),
    st.integers(1, 5),
)
def test_most_is_the_peak_of_that_crops_own_ledgers(blocks, side, batch):
    sizes = [
        (const, lambda side, each=each, square=square: each * side + square * side**2)
        for const, each, square in blocks
    ]
    crops = merged({side: tape(side, sizes) for side in SIDES}, 8)
    samples = Samples(batch, 2 * batch)
    there = crops.at(side)
    peaks = [ledger(there, device).peak(samples).allocated for device in range(2)]
    lives = CropLives(crops)
    assert lives.most(side, samples, everywhere=True) == max(peaks)
    assert lives.most(side, samples, everywhere=False) == peaks[0]


def test_blocks_that_are_empty_at_one_side_only_are_for_its_own_tape():
    crops = merged({side: tape(side, [(0, lambda side: side - 16)]) for side in SIDES}, 8)
    with pytest.raises(NotPolynomialError, match="other blocks are empty"):
        CropLives(crops).most(24, Samples(1, 1), everywhere=False)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The frames that a search begins with, held against those that it found with BasicVSR on an RTX 3090."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from trainlint.estimate.memory.frames import frames_that_fit
from trainlint.judge.fixes.number_search import largest
from trainlint.model.facts import GpuMemory, Memory

GPU = GpuMemory(11_074_382_336, 11_510_218_752, 11_833_180_160, 12_779_834_573, 321_912_832, 25_265_438_720)
PARTS = {
    "activations": 10_781_837_824,
    "backward_temporaries": 141_557_760,
    "optimizer": 50_424_832,
    "inputs": 50_135_040,
    "ema": 25_213_440,
    "parameters": 25_212_416,
    "buffers": 1024,
}
BASICVSR = Memory((GPU,), PARTS, 0, "forward")
"""train_BasicVSR_REDS.yml as it is, with 15 frames; by traces of their own 33 fit and 34 do not."""


def test_the_first_guess_is_the_answer_and_one_more_proves_it() -> None:
    asked = []

    def passes(frames: int) -> bool:
        asked.append(frames)
        return frames <= 33

    assert largest(passes, frames_that_fit(BASICVSR, 15), 10) == (33, 34)
    assert asked == [33, 34]


@pytest.mark.parametrize(("capacity", "frames"), [(8 * 2**30, 11), (2**28, 1)])
def test_fewer_fit_a_smaller_card(capacity, frames) -> None:
    small = replace(BASICVSR, gpus=(GPU, replace(GPU, capacity=capacity)))
    assert frames_that_fit(small, 15) == frames


def test_a_step_of_weights_alone_says_nothing() -> None:
    assert frames_that_fit(replace(BASICVSR, gpus=(replace(GPU, least=0),)), 15) == 15

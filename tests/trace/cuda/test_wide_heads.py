# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Heads of more than 192 numbers: cards of 8.6, 8.9 and 12.x train some of them without flash attention."""

from __future__ import annotations

import pytest
import torch

from trainlint.estimate.replay.workspace import has_wide_heads
from trainlint.tape import Op, Size
from trainlint.trace.cuda.attention import NARROW, AttentionCall, efficient, flash
from trainlint.trace.dry_run.gpu.device_kernels import class_of


def call(head: int, dropout: float = 0.0, *, trained: bool = True) -> AttentionCall:
    """Attention of half-precision tensors."""
    shape = (2, 4, 16, head)
    query, key, value = (torch.empty(shape, dtype=torch.float16, device="meta") for _ in range(3))
    return AttentionCall(query.requires_grad_(trained), key, value, None, dropout, False, None, False)


@pytest.mark.parametrize(
    ("head", "dropout", "trained", "runs"),
    [
        (192, 0.1, True, True),
        (200, 0.0, True, False),
        (224, 0.0, True, False),
        (224, 0.0, False, True),  # nothing is trained, as in validation
        (232, 0.0, True, True),
        (256, 0.1, True, False),
    ],
)
def test_a_narrow_card_trains_wide_heads_otherwise(head: int, dropout: float, trained: bool, runs: bool):
    asked = call(head, dropout, trained=trained)
    assert flash(asked, "flash")
    assert flash(asked, NARROW) == runs
    assert efficient(asked, NARROW) == efficient(asked, "flash")


@pytest.mark.parametrize(
    ("capability", "card"),
    [((8, 0), "flash"), ((8, 6), NARROW), ((8, 9), NARROW), ((9, 0), "flash"), ((10, 0), "flash"),
     ((12, 0), NARROW), ((12, 1), NARROW), ((7, 5), "efficient")],
)  # fmt: skip
def test_which_cards_are_narrow(capability: tuple[int, int], card: str):
    assert class_of(capability) == card


@pytest.mark.parametrize(("head", "wide"), [(64, False), (192, False), (200, True), (256, True)])
def test_a_tape_shows_how_wide_its_heads_are(head: int, wide: bool):
    rows = 4 * 16
    query, sums = 2 * rows * head, 4 * rows
    op = Op("attention", Size(0, 1), Size(0, 3 * query), Size(0, query + sums), "", dtype="float16")
    assert has_wide_heads(op) == wide
    backward = Op("attention", Size(0, 1), Size(0, 5 * query), Size(0, 3 * query), "", dtype="float16")
    assert not has_wide_heads(backward)


def test_attention_to_a_text_shows_no_width():
    """The backward of 4096 pixels' attention to 77 words, in 8 heads of 40 numbers."""
    read, written = 8_093_952, 2_720_000
    op = Op("attention", Size(0, 1), Size(0, read), Size(0, written), "", dtype="float16")
    assert not has_wide_heads(op)

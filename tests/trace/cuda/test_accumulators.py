# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the backward of fused attention makes for itself, worked out by hand from PyTorch's kernels."""

from __future__ import annotations

import pytest
import torch

from trainlint.estimate.replay.gpu_ledger import ledger
from trainlint.estimate.replay.workspace import copies, libraries, tiles_of
from trainlint.tape import IN_TILES, Tape
from trainlint.trace.cuda.accumulators import flash, tiled
from trainlint.trace.cuda.attention import attention
from trainlint.trace.recording.merge import BatchPoint, merge
from trainlint.trace.recording.operator_cost import costs
from trainlint.trace.recording.recorder import Recorder
from trainlint.trace.recording.storage_ledger import StorageLedger


def meta(*shape, **options):
    return torch.empty(*shape, device="meta", **options)


@pytest.mark.parametrize(
    ("shape", "small", "large"),
    [
        ((2, 3, 64, 32), 6 * (16 + 64 * 64 * 4), 6 * (16 + 64 * 64 * 4)),  # one tile, whatever the card
        ((2, 3, 65, 64), 12 * (16 + 64 * 64 * 4), 12 * (16 + 64 * 64 * 4)),
        ((2, 3, 49, 96), 12 * (16 + 64 * 64 * 4), 12 * (16 + 128 * 64 * 4)),  # two tiles wide
        ((2, 3, 196, 96), 48 * (16 + 64 * 64 * 4), 24 * (16 + 128 * 64 * 4)),
    ],
)
def test_the_querys_gradient_is_summed_in_tiles(shape, small, large):
    assert tiled(meta(*shape)) == {64: small, 128: large}


@pytest.mark.parametrize(
    ("head", "columns"), [(8, 32), (64, 64), (72, 96), (128, 128), (136, 192), (256, 256)]
)
def test_flash_attention_rounds_rows_and_columns_up(head, columns):
    sums, gradient = flash(meta(2, 3, 130, head))
    assert sums == 2 * 3 * 256 * 4
    assert gradient == sums * columns


@pytest.mark.parametrize(
    ("capability", "rows"),
    [(6.0, 0), (7.0, 64), (7.5, 64), (8.0, 128), (8.6, 64), (8.9, 64), (9.0, 128), (10.0, 128), (12.0, 64)],
)
def test_the_cards_shared_memory_decides_the_tiles(capability, rows):
    assert tiles_of(capability) == rows
    assert libraries(capability, benchmark=True).tiles == rows


def test_in_fp32_a_product_comes_before_the_tiles():
    gradient = meta(2, 3, 64, 32)
    works = costs(
        "_scaled_dot_product_efficient_attention_backward",
        (gradient, gradient, gradient, gradient, None, gradient, meta(2, 3, 64)), {}, (gradient,) * 3,
    )  # fmt: skip
    found = [(work.kind, work.key, work.written) for work in works]
    size, sums = 2 * 3 * 64 * 32 * 4, 2 * 3 * 64 * 4
    assert found[:2] == [("copy", "held", size), ("reduction", "", sums)]
    assert [key for _, key, _ in found[2:]] == [*IN_TILES.values(), "held", ""]


@pytest.mark.parametrize(("rows", "count"), [(0, 2), (64, 3), (128, 3)])
def test_a_card_takes_the_workspace_of_its_own_tiles_alone(recorded_attention, rows, count):
    holds = copies(recorded_attention, rows)
    assert len(holds) == count  # the product, the sums, and the tiles where there are any
    sizes = {hold.size.at(2, 2, 0) for hold in holds}
    assert (tiled(meta(2, 3, 49, 96))[rows or 64] in sizes) is bool(rows)


@pytest.fixture(scope="module")
def recorded_attention():
    def recording(batch):
        book = StorageLedger()
        with Recorder(book):
            query, key, value = (meta(batch, 3, 49, 96, requires_grad=True) for _ in range(3))
            attention("flash")(query, key, value).sum().backward()
        return book.close()

    batches = (2, 4)
    points = [BatchPoint(batch, batch, 0) for batch in batches]
    merged = merge(points, [recording(batch) for batch in batches], parallel=False, pool=False)
    tape = Tape(
        key="", step={}, blocks=merged.blocks, ops=merged.ops, marks=(), events=merged.events, networks=()
    )
    return ledger(tape)

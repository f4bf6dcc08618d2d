# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Batches of few samples are filled in training, and stay what they are in a validation."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler  # noqa: E402 - after torch

from tests.trace.dry_run.programs import dry_run  # noqa: E402 - after torch
from trainlint.trace.dry_run.samples.full_batches import FullBatches  # noqa: E402 - it imports torch


@pytest.fixture
def full(monkeypatch):
    def install(wanted: str, *, trains: bool, **more: float) -> FullBatches:
        filling = FullBatches(wanted, lambda: trains, **more)
        for where, name, value in filling.replacements():
            monkeypatch.setattr(where, name, value)
        return filling

    return install


@pytest.mark.quick
@pytest.mark.parametrize(
    ("samples", "loader", "trains", "wanted", "found"),
    [
        (10, "shuffled", False, "ragged", ([4, 4, 4], None)),
        (10, "ordered", True, "ragged", ([4, 4, 4], None)),
        (10, "ordered", False, "all", ([4, 4, 2], None)),
        (3, "shuffled", False, "ragged", ([4], (3, 4))),
        (3, "shuffled", False, "none", ([3], (3, 4))),
        (3, "shuffled, dropping", False, "ragged", ([], None)),
        (3, "shuffled, dropping", False, "all", ([4], (3, 4))),
        (3, "ordered", False, "all", ([3], None)),
        (8, "shuffled", False, "all", ([4, 4], None)),
    ],
)
def test_a_batch_of_few_samples(samples, loader, trains, wanted, found, full):  # noqa: PLR0917 - a row of the table
    filling = full(wanted, trains=trains)
    kind = RandomSampler if "shuffled" in loader else SequentialSampler
    sampler = BatchSampler(kind(range(samples)), 4, "dropping" in loader)
    sizes = [len(batch) for batch in sampler]
    assert (sizes, filling.short) == found
    assert len(sampler) == len(sizes)


@pytest.mark.quick
def test_a_filled_batch_is_of_the_data_sets_own_samples(full):
    full("ragged", trains=True)
    batches = list(DataLoader(torch.arange(5), batch_size=4))
    assert [batch.tolist() for batch in batches] == [[0, 1, 2, 3], [4, 0, 1, 2]]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("samples", "dropping", "more", "batches"),
    [
        (10, False, {"times": 2.0}, 5),  # of four as many as of two
        (10, True, {"times": 2.0}, 5),
        (11, True, {"times": 2.0}, 5),
        (3, True, {"times": 4.0}, 3),
        (5, False, {"least": 4}, 4),
        (3, True, {}, 1),
        (40, False, {"least": 4}, 10),
    ],
)
def test_an_epoch_has_as_many_batches_of_more_samples(samples, dropping, more, batches, full):
    full("all", trains=False, **more)
    sampler = BatchSampler(RandomSampler(range(samples)), 4, dropping)
    assert [len(batch) for batch in sampler] == [4] * batches
    assert len(sampler) == batches
    assert {index for batch in sampler for index in batch} <= set(range(samples))


FEW = """
import torch
from torch import nn
net = nn.Sequential(nn.Linear(1 << 16, 8)).cuda()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
data = torch.utils.data.TensorDataset(torch.ones(%d, 1 << 16))
while True:
    for (x,) in torch.utils.data.DataLoader(data, batch_size=%d):
        optimizer.zero_grad()
        net(x.cuda()).sum().backward()
        optimizer.step()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("samples", "fill", "short"), [(12, "ragged", None), (3, "ragged", [3, 8])])
def test_a_recorded_step_is_that_of_a_full_batch(samples, fill, short, tmp_path):
    whole = dry_run(tmp_path, FEW % (16, 8), "whole")
    few = dry_run(tmp_path, FEW % (samples, 8), "few", fill=fill)
    assert few.outcome["short"] == short
    assert few.outcome["peaks"] == whole.outcome["peaks"]
    there = dry_run(tmp_path, FEW % (3, 8), "there", fill="none")
    assert max(there.outcome["peaks"]) < max(whole.outcome["peaks"])
    assert there.outcome["short"] == [3, 8]

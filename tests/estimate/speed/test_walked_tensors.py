# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an optimizer gathers in Python: every tensor that it updates, unless it computes one at a time."""

from __future__ import annotations

import pytest
from torch import nn

from tests.trace.toys import run, step
from trainlint.estimate.memory.card import Share
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.estimate.speed.pace import pace_of
from trainlint.estimate.speed.rate_factors import factors
from trainlint.estimate.speed.step_work import step_work
from trainlint.estimate.speed.walked_tensors import walked_tensors
from trainlint.hardware import load_hardware

pytestmark = pytest.mark.torch
LAYERS = 12
TENSORS = 2 * LAYERS


def net():
    return nn.Sequential(*(nn.Conv2d(3, 3, 1) for _ in range(LAYERS)))


def tape_of(parallel="none", **options):
    return run(step(net=net, shape=(3, 4, 4), optimizer=("AdamW", options)), parallel=parallel)


@pytest.mark.parametrize("options", [{}, {"fused": True}])
def test_one_that_computes_many_at_a_time_gathers_each_tensor(options):
    assert walked_tensors(tape_of(**options)) == TENSORS


def test_one_that_computes_a_tensor_at_a_time_has_its_operators_on_the_tape():
    assert walked_tensors(tape_of(foreach=False)) == 0


def test_buckets_are_no_tensors_of_the_optimizers():
    assert walked_tensors(tape_of(parallel="ddp")) == TENSORS


def test_the_host_takes_so_much_longer_for_a_step(monkeypatch):
    """With kernels that are nothing next to it, a step takes what the host does."""
    tape, gpu = tape_of(), load_hardware().gpu("h100-80gb")
    assert step_work(tape, Samples(2, 2), gpu).walked == TENSORS
    taken = pace_of(tape, Share(2, 2), gpu).seconds
    monkeypatch.setattr("trainlint.estimate.speed.pace.walked_tensors", lambda _: 0)
    without = pace_of(tape, Share(2, 2), gpu).seconds
    more = [one - other for one, other in zip(taken, without, strict=True)]
    assert more == pytest.approx([TENSORS * each for each in factors().walked])

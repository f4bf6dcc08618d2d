# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What DistributedDataParallel starts is what torch's own reducer starts."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from torch import distributed, nn
from torch.profiler import ProfilerActivity, profile

from tests.trace.toys import run, step
from trainlint.estimate.speed.ddp_launches import Launches, ddp_launches

pytestmark = pytest.mark.torch


def net():
    layers = [nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3), nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3)]
    return nn.Sequential(*layers)


@pytest.fixture
def group(tmp_path, monkeypatch):
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")  # a host's name may take a minute to look up
    store = distributed.FileStore(str(tmp_path / "store"), 1)
    distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


def started(module):
    """Count the operators of a steady step."""
    optimizer = torch.optim.SGD(module.parameters(), 1e-3)
    for steady in (False, False, True):
        with profile(activities=[ProfilerActivity.CPU]) as record:
            optimizer.zero_grad()
            module(torch.randn(2, 3, 4, 4)).mean().backward()
            optimizer.step()
        if steady:
            return Counter({event.key: event.count for event in record.key_averages()})
    raise AssertionError


def test_ddp_starts_what_torchs_own_reducer_starts(group):
    more = started(nn.parallel.DistributedDataParallel(net()))
    more.subtract(started(net()))
    copies = more["aten::copy_"] - more["aten::_to_copy"]  # the divisor, from number to tensor, is no kernel
    kernels = more["aten::mul"] + copies + more["c10d::allreduce_"]
    tape = run(step(net=net, shape=(3, 4, 4)), parallel="ddp")
    assert ddp_launches(tape).count == kernels + 1  # and one broadcast; torch sends one for each type


def test_what_it_copies_is_each_gradient_twice_read_and_twice_written():
    tape = run(step(net=net, shape=(3, 4, 4)), parallel="ddp")
    parameters = sum(each.numel() for each in net().parameters())
    assert ddp_launches(tape).moved == 4 * 4 * parameters


def test_a_step_of_one_process_has_none():
    assert ddp_launches(run(step(net=net, shape=(3, 4, 4)))) == Launches()

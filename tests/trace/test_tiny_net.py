# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A network small enough to count every byte by hand."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from torch import nn

from .toys import live_at, replay, rounded, run, step

WEIGHT, BIAS = 4 * 8 * 4, 4 * 4


def test_what_lives_when_the_backward_begins():
    tape = run()
    for batch in (2, 7, 1000):
        assert live_at(tape, "backward", batch, occurrence=2) == sorted(
            [(batch * 8 * 4, "inputs"), (WEIGHT, "parameters"), (BIAS, "parameters"), (4, "activations")],
            reverse=True,
        )


def test_the_peak_and_its_parts():
    tape = run()
    peak, mark, parts = replay(tape, 1000)
    # x, weight and bias, y and the loss: y dies before the backward, the gradients before the forward
    assert mark == "forward"
    assert parts == Counter(inputs=rounded(32_000), parameters=2 * 512, activations=rounded(16_000) + 512)
    assert peak == sum(parts.values())


def test_momentum_lives_from_the_first_optimizer_step():
    tape = run(step(optimizer=("SGD", {"lr": 0.1, "momentum": 0.9})))
    first = live_at(tape, "optimizer", 2)
    second = live_at(tape, "optimizer", 2, occurrence=2)
    assert [s for s, kind in first if kind == "optimizer"] == []
    assert [s for s, kind in second if kind == "optimizer"] == [WEIGHT, BIAS]
    assert [s for s, kind in second if kind == "gradients"] == [WEIGHT, BIAS]


def test_owners_name_modules_forward_and_backward():
    net = lambda: nn.Sequential(nn.Conv2d(3, 5, 3), nn.Sigmoid())  # noqa: E731  # called by its name below
    tape = run(step(net=net, shape=(3, 8, 8)))
    made = {(b.owner, b.kind) for b in tape.blocks}
    assert ("generator:0", "activations") in made
    assert ("generator:1", "activations") in made
    assert ("generator:1", "other") in made  # the sigmoid's backward
    assert ("generator:0.weight", "gradients") in made
    assert ("generator:optimizer", "optimizer") not in made  # plain SGD has no state and in-place kernels


def test_in_place_and_views_allocate_nothing():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(8, 4)

        def forward(self, x):
            y = self.linear(x)
            y.detach().mul_(2).view(-1)[1:].unsqueeze(0)
            return y.t()

    plain = len(run(step(net=lambda: nn.Linear(8, 4))).blocks)
    assert len(run(step(net=Net)).blocks) == plain


def test_a_storage_lives_as_long_as_its_last_view():
    class Net(nn.Linear):
        def forward(self, x):
            self.kept = super().forward(x)[:1]
            return self.kept.sum()

    tape = run(step(net=lambda: Net(8, 4)))
    assert (100 * 4 * 4, "activations") in live_at(tape, "step 2", 100)


def test_a_resized_buffer_is_a_new_block():
    class Net(nn.Linear):
        def forward(self, x):
            out = torch.empty(0, device="meta")
            torch.cat((x.detach(), x.detach()), out=out)
            return super().forward(x) + out.sum()

    tape = run(step(net=lambda: Net(8, 4)))
    assert any(block.size.batch == 2 * 8 * 4 for block in tape.blocks)


def test_every_free_follows_its_allocation():
    tape = run(step(net=lambda: nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 4))))
    seen, freed = set(), set()
    for kind, index in tape.events:
        if kind == 0:
            assert index not in seen
            seen.add(index)
        if kind == 1:
            assert index in seen
            assert index not in freed
            freed.add(index)
    assert seen == set(range(len(tape.blocks)))


def test_networks_and_files_are_listed():
    tape = run()
    (network,) = tape.networks
    assert (network.role, network.arch, network.parameters, network.trainable) == ("generator", "Toy", 36, 36)
    assert tape.files[0].name == "net.pth"
    assert tape.made_with["torch"] == torch.__version__


@pytest.mark.parametrize(("groups", "kind"), [(1, "conv"), (2, "conv-grouped"), (4, "conv-depthwise")])
def test_convolutions_are_told_apart(groups, kind):
    tape = run(step(net=lambda: nn.Conv2d(4, 8, 3, padding=1, groups=groups), shape=(4, 16, 16)))
    forward = [op for op in tape.ops if op.key.startswith("forward")]
    weight = [op for op in tape.ops if op.key.startswith("backward-weight")]
    assert [op.kind for op in forward] == [kind]
    assert forward[0].flops.at(1, 1, 0) == 2 * 8 * 16 * 16 * (4 // groups) * 9
    assert forward[0].read.at(1, 1, 0) == 4 * (4 * 16 * 16 + 8 * (4 // groups) * 9 + 8)
    assert forward[0].written.at(1, 1, 0) == 4 * 8 * 16 * 16
    assert [op.flops for op in weight] == [op.flops for op in forward]
    assert not [op for op in tape.ops if op.key.startswith("backward-data")]  # the input needs no gradient
    assert "k3x3" in forward[0].key


def test_matmul_flops():
    tape = run()
    flops = sorted(op.flops.at(10, 10, 0) for op in tape.ops if op.kind == "matmul")
    assert flops == [2 * 10 * 8 * 4, 2 * 10 * 8 * 4]  # y = x W^T, dW = dy^T x

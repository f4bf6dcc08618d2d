# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Optimizers as on CUDA: state, temporaries, gradient clipping, GradScaler, accumulation."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from .toys import Step, live_at, replay, run, step

N = 64 * 64 + 64
WEIGHT, BIAS = 64 * 64 * 4, 64 * 4
NET = {"net": lambda: nn.Linear(64, 64), "shape": (64,)}


def during_step(options, kind="AdamW"):
    """Return the sizes born inside the second optimizer step, and the peak of one-sample training."""
    tape = run(step(optimizer=(kind, options), **NET))
    born, mark, seen = [], "", 0
    for event, index in tape.events:
        if event == 3:
            mark = tape.marks[index]
            seen += mark == "optimizer"
        elif event == 0 and mark == "optimizer" and seen == 2:
            born.append(tape.blocks[index].size.const)
    return sorted(born, reverse=True), replay(tape, 1)[0]


@pytest.mark.parametrize(
    ("kind", "options", "tensors"),
    [
        ("Adam", {}, 2),
        ("AdamW", {"amsgrad": True}, 3),
        ("SGD", {"lr": 0.1, "momentum": 0.9}, 1),
        ("SGD", {"lr": 0.1}, 0),
        ("RMSprop", {}, 1),
        ("Adagrad", {}, 1),
    ],
)
def test_state(kind, options, tensors):
    tape = run(step(optimizer=(kind, options), **NET))
    state = [size for size, label in live_at(tape, "forward", 1, occurrence=2) if label == "optimizer"]
    assert sum(state) == tensors * N * 4


def test_foreach_is_the_default_and_holds_one_list_of_temporaries():
    born, _ = during_step({})
    assert born == [WEIGHT, BIAS]  # the square roots of all second moments at once


def test_a_loop_holds_the_temporaries_of_one_parameter():
    born, _ = during_step({"foreach": False})
    assert born == [WEIGHT, WEIGHT, BIAS, BIAS]  # for each in turn: a square root and its quotient
    many = {"net": lambda: nn.Sequential(*[nn.Linear(64, 64, bias=False) for _ in range(9)]), "shape": (64,)}
    peaks = [
        replay(run(step(optimizer=("AdamW", {"foreach": each}), **many)), 1)[0] for each in (None, False)
    ]
    # all nine square roots at once, against the last one's, this one's and its quotient
    assert peaks[0] - peaks[1] == (9 - 3) * WEIGHT


def test_fused_holds_none_but_keeps_its_steps_on_the_gpu():
    born, _ = during_step({"fused": True})
    assert born == []
    tape = run(step(optimizer=("AdamW", {"fused": True}), **NET))
    state = [size for size, label in live_at(tape, "forward", 1, occurrence=2) if label == "optimizer"]
    assert sorted(state) == sorted([WEIGHT, BIAS, WEIGHT, BIAS, 4, 4])


def test_the_peak_is_the_optimizer_step_where_the_batch_is_small():
    wide = {"net": lambda: nn.Linear(512, 512), "shape": (512,), "optimizer": ("Adam", {})}
    tape = run(step(**wide))
    peak, mark, parts = replay(tape, 1)
    tensor = 512 * 512 * 4 + 512 * 4
    assert mark == "optimizer"
    assert parts["optimizer"] == 3 * tensor  # two moments, the square roots
    assert parts["gradients"] == parts["parameters"] == tensor
    assert peak == sum(parts.values())


def test_clipping_is_multi_tensor():
    tape = run(step(clip=1.0, **NET))
    small = [b for b in tape.blocks if b.size.const == 4 and b.size.batch == 0]
    assert len(small) >= 2 * 4  # two norms, their norm, the coefficient, each step
    assert not [
        b for b in tape.blocks if b.kind == "activations" and b.size.const == WEIGHT
    ]  # scaled in place


def test_grad_scaler_costs_a_few_numbers():
    plain, scaled = run(step(**NET)), run(step(scaled=True, **NET))
    assert 0 <= replay(scaled, 100)[0] - replay(plain, 100)[0] <= 8 * 512
    assert scaled.notes == ()


class Accumulates(Step):
    """Two micro-batches per optimizer step, gradients kept in between."""

    def train_step(self, batch):
        self.sgd.zero_grad(set_to_none=True)
        for part in ("first", "second"):
            with self.stage.phase(part):
                self.model(self.stage.input(batch, *self.shape)).sum().backward()
        self.sgd.step()


def test_gradients_live_through_the_second_micro_batch():
    tape = run(type("Toy", (Accumulates,), {"net": staticmethod(NET["net"]), "shape": (64,)}))
    assert [k for _, k in live_at(tape, "first", 3, occurrence=2)].count("gradients") == 0
    assert [s for s, k in live_at(tape, "second", 3, occurrence=2) if k == "gradients"] == [WEIGHT, BIAS]


class Zeroes(Step):
    def train_step(self, batch):
        with self.stage.phase("forward"):
            loss = self.model(self.stage.input(batch, *self.shape)).sum()
        loss.backward()
        self.sgd.step()
        self.sgd.zero_grad(set_to_none=False)


def test_zeroed_gradients_stay():
    tape = run(Zeroes)
    assert [k for _, k in live_at(tape, "forward", 3, occurrence=2)].count("gradients") == 2


class Ema(Step):
    def __init__(self, recipe_step, stage):
        super().__init__(recipe_step, stage)
        self.ema = stage.register("ema", self.net(), kind="ema")

    def train_step(self, batch):
        super().train_step(batch)
        with torch.no_grad():
            for mine, theirs in zip(self.ema.parameters(), self.module.parameters(), strict=True):
                mine.mul_(0.9).add_(theirs, alpha=0.1)


def test_an_ema_is_a_copy_and_its_update_is_free():
    tape = run(type("Toy", (Ema,), {"net": staticmethod(NET["net"]), "shape": (64,)}))
    assert [s for s, k in live_at(tape, "step 2", 1) if k == "ema"] == [WEIGHT, BIAS]
    plain = run(step(**NET))
    assert len(tape.blocks) == len(plain.blocks) + 2
    assert [network.role for network in tape.networks] == ["generator"]


def test_frozen_networks_are_losses():
    class Frozen(Step):
        def __init__(self, recipe_step, stage):
            super().__init__(recipe_step, stage)
            self.vgg = stage.register(
                "perceptual", nn.Linear(4, 4), arch="VGG", kind="losses"
            ).requires_grad_(False)

        def loss(self, y):
            return self.vgg(y).sum()

    tape = run(Frozen)
    assert [s for s, k in live_at(tape, "forward", 1) if k == "losses"] == [64, 16]
    assert {b.owner for b in tape.blocks if b.kind == "losses"} == {"perceptual:weight", "perceptual:bias"}

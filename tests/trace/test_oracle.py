# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""PyTorch's own MemTracker as judge, on the generator most people train (`bench memtracker` times both)."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainlint.trace.cuda import imitate
from trainlint.trace.parallel.modes import Layout
from trainlint.trace.recording.storage_ledger import StorageLedger
from trainlint.trace.stage import Stage
from trainlint.trace.trace import trace

from .toys import FREE, MARK, replay

mem_tracker = pytest.importorskip("torch.distributed._tools.mem_tracker")

LQ, SCALE = 64, 4


class Dense(nn.Module):
    def __init__(self, width, grow):
        super().__init__()
        self.convs = nn.ModuleList(
            nn.Conv2d(width + i * grow, grow if i < 4 else width, 3, padding=1) for i in range(5)
        )
        self.act = nn.LeakyReLU(0.2, inplace=True)

    def forward(self, x):
        found = [x]
        for conv in self.convs[:4]:
            found.append(self.act(conv(torch.cat(found, 1) if len(found) > 1 else x)))
        return self.convs[4](torch.cat(found, 1)) * 0.2 + x


class Block(nn.Module):
    def __init__(self, width, grow):
        super().__init__()
        self.rdb1, self.rdb2, self.rdb3 = Dense(width, grow), Dense(width, grow), Dense(width, grow)

    def forward(self, x):
        return self.rdb3(self.rdb2(self.rdb1(x))) * 0.2 + x


class Generator(nn.Module):
    """ESRGAN's RRDBNet x4."""

    def __init__(self, width=64, blocks=23, grow=32):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.body = nn.Sequential(*[Block(width, grow) for _ in range(blocks)])
        self.after = nn.Conv2d(width, width, 3, padding=1)
        self.up1, self.up2 = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.hr, self.last = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, 3, 3, padding=1)
        self.act = nn.LeakyReLU(0.2, inplace=True)

    def forward(self, x):
        y = self.first(x)
        y = y + self.after(self.body(y))
        y = self.act(self.up1(nn.functional.interpolate(y, scale_factor=2, mode="nearest")))
        y = self.act(self.up2(nn.functional.interpolate(y, scale_factor=2, mode="nearest")))
        return self.last(self.act(self.hr(y)))


class Recipe:
    def __init__(self, step, stage):
        self.stage = stage
        self.net = stage.register("generator", Generator(**step.get("args", {})), arch="RRDBNet")
        self.adam = stage.optimizer("generator", self.net.parameters(), "Adam")

    def train_step(self, batch):
        self.lq = self.stage.input(batch, 3, LQ, LQ)
        self.gt = self.stage.input(batch, 3, LQ * SCALE, LQ * SCALE)
        self.adam.zero_grad()
        self.output = self.net(self.lq)
        loss = nn.functional.l1_loss(self.output, self.gt)
        loss.backward()
        self.adam.step()

    def checkpoint(self):
        return {}


def exact_peak(tape, batch):
    """Return the peak in unrounded bytes, which is what MemTracker counts on meta."""
    live = peak = 0
    for kind, index in tape.events:
        if kind < MARK - 1:
            size = tape.blocks[index].size.at(batch, batch, 0)
            live += -size if kind == FREE else size
            peak = max(peak, live)
    return peak


def judged(step, batch, **options):
    """Run two steps under MemTracker: its peak in bytes."""
    with imitate.cuda():
        stage = Stage(StorageLedger(), Layout("none", batch, batch))
        with torch.device("meta"), imitate.no_initialisation():
            recipe = Recipe(step, stage)
        tracker = mem_tracker.MemTracker()
        tracker.track_external(recipe.net, recipe.adam)
        with tracker:
            for _ in range(2):
                recipe.train_step(batch)
                tracker.reset_mod_stats()
    return tracker.get_tracker_snapshot("peak")[torch.device("meta")]["Total"]


SMALL = {"args": {"width": 16, "blocks": 2, "grow": 8}}


def test_the_same_peak_as_memtracker():
    tape = trace(SMALL, recipe=Recipe)
    for batch in (2, 5):
        assert judged(SMALL, batch) == exact_peak(tape, batch)


def test_the_full_generator():
    tape = trace({}, recipe=Recipe, verify=False)
    gib = 2**30
    assert replay(tape, 12)[0] / gib == pytest.approx(10.951, abs=5e-4)  # MemTracker gives 10.951 as well
    for batch in (1, 4, 8, 16):
        assert replay(tape, batch)[0] / gib == pytest.approx(1.084 + 0.897 * (batch - 1), abs=0.01)
    (network,) = tape.networks
    assert network.parameters == 16_697_987

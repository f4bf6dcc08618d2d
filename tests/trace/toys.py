# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Small steps and readings of a tape, for the tests of the tracer."""

from __future__ import annotations

from collections import Counter

import torch
from torch import nn

from trainlint.tape import Event
from trainlint.trace.trace import trace

ALLOC, FREE, MARK = int(Event.ALLOC), int(Event.FREE), int(Event.MARK)
BLOCK = 512


class Step:
    """The smallest recipe: a network, a loss on its output, an optimizer."""

    net = staticmethod(lambda: nn.Linear(8, 4))
    shape = (8,)
    optimizer = ("SGD", {"lr": 0.1})
    precision = "fp32"
    scaled = False
    clip = 0.0

    def __init__(self, step, stage):
        self.stage = stage
        self.module = stage.register("generator", self.net(), arch="Toy")
        self.model = stage.replicate("generator", self.module)
        kind, options = self.optimizer
        self.sgd = stage.optimizer("generator", self.module.parameters(), kind, **options)
        self.scaler = stage.scaler(enabled=self.scaled)

    def loss(self, y):
        return y.sum()

    def train_step(self, batch):
        x = self.stage.input(batch, *self.shape)
        self.sgd.zero_grad()
        with self.stage.phase("forward"), self.stage.autocast(self.precision):
            loss = self.loss(self.model(x))
        with self.stage.phase("backward"):
            self.scaler.scale(loss).backward()
        with self.stage.phase("optimizer"):
            if self.clip:
                self.scaler.unscale_(self.sgd)
                self.stage.clip_grad_norm(self.module.parameters(), self.clip)
            self.scaler.step(self.sgd)
            self.scaler.update()

    def validate(self, height, width):
        with torch.no_grad():
            self.model(self.stage.input(height, *self.shape))

    def checkpoint(self):
        return {"net.pth": self.module.state_dict()}


def step(**attributes):
    """Return a recipe class with other attributes."""
    return type(
        "Toy",
        (Step,),
        {k: staticmethod(v) if callable(v) and k == "net" else v for k, v in attributes.items()},
    )


def run(recipe=Step, batches=(2, 3), verify=True, validation=None, **fields):
    return trace(fields, recipe=recipe, batches=batches, verify=verify, validation=validation)


def rounded(size):
    return -(-size // BLOCK) * BLOCK


def replay(tape, batch, total=None, *, pool=0, device=0, after="step 2"):
    """Return the peak in rounded bytes, the mark where it is reached, and the parts at that moment."""
    live, parts, peak = 0, Counter(), (0, "", Counter())
    started, mark = False, ""
    for kind, index in tape.events:
        if kind == MARK:
            mark = tape.marks[index]
            started = started or mark == after
        elif kind in (ALLOC, FREE) and tape.blocks[index].device == device:
            block = tape.blocks[index]
            size = rounded(block.size.at(batch, batch if total is None else total, pool))
            size = size if kind == ALLOC else -size
            live += size
            parts[block.kind] += size
        if started and live > peak[0]:
            peak = (live, mark, +parts)
    return peak


def live_at(tape, mark, batch, device=0, occurrence=1):
    """Return the exact (unrounded) sizes of the blocks that live at a mark, largest first."""
    live = {}
    for kind, index in tape.events:
        if kind == MARK and tape.marks[index] == mark:
            occurrence -= 1
            if not occurrence:
                break
        elif kind == ALLOC and tape.blocks[index].device == device:
            live[index] = tape.blocks[index]
        elif kind == FREE:
            live.pop(index, None)
    return sorted(((b.size.at(batch, batch, 0), b.kind) for b in live.values()), reverse=True)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Times a trace against PyTorch's MemTracker on the same recipe: the Real-ESRGAN GAN step, two whole steps.

    python -m bench memtracker [--batch 4] [--runs 3]

MemTracker cannot run that step as it is: it puts gradient hooks on frozen parameters, which raises, and
refuses a module that is called twice between steps, as the discriminator and VGG are. `Peer` and
`frozen_pass` let both pass and change nothing else. Both sides run on meta tensors, warmed up.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch.distributed._tools.mem_tracker import MemTracker

from bench.commands import parser_of
from bench.references.steps import ALL_LAYERS, DISCRIMINATOR_ARGS, GAN, L1, perceptual
from trainlint.tape import Event
from trainlint.trace.building.build import recipe as named
from trainlint.trace.cuda import imitate
from trainlint.trace.parallel.modes import Layout
from trainlint.trace.recording.storage_ledger import StorageLedger
from trainlint.trace.stage import Stage
from trainlint.trace.trace import trace

ADAM = {"type": "Adam", "lr": 1e-4, "betas": [0.9, 0.99]}
STEP: dict[str, Any] = {
    "recipe": "basicsr.RealESRGANModel",
    "dialect": "basicsr",
    "scale": 4,
    "channels": 3,
    "crop.hr": 256,
    "crop.lq": 64,
    "networks.generator.arch": "RRDBNet",
    "networks.generator.args": {"num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "num_block": 23},
    "networks.discriminator.arch": "UNetDiscriminatorSN",
    "networks.discriminator.args": DISCRIMINATOR_ARGS,
    "losses": [L1, perceptual(ALL_LAYERS), GAN],
    "optimizers": [{"role": "generator", **ADAM}, {"role": "discriminator", **ADAM}],
    "ema": 0.999,
    "precision": "fp32",
    "parallel": "none",
    "options": {"degrade": True},
}
"""The step that Real-ESRGAN ships (options/train_realesrgan_x4plus.yml): batch 12, crop 256, pool of 180."""

POOL = 180


class Peer(MemTracker):  # type: ignore[no-untyped-call]  # torch's own class has no types
    """MemTracker that starts a module's figures again when it is called again."""

    def _pre_fw_hook(self, module: torch.nn.Module, inputs: Any) -> None:
        if module in self.memory_tracking and not self._mod_tracker.is_bw:
            del self.memory_tracking[module]
        super()._pre_fw_hook(module, inputs)


class _Nothing:
    def remove(self) -> None:
        """Do nothing: a hook that was never set."""


@contextmanager
def frozen_pass() -> Iterator[None]:
    """Let a gradient hook on a tensor without gradients be no hook."""

    def soft(method: Callable[..., Any]) -> Callable[..., Any]:
        return lambda tensor, hook: method(tensor, hook) if tensor.requires_grad else _Nothing()

    hooks = ("register_hook", "register_post_accumulate_grad_hook")
    with ExitStack() as stack:
        for name in hooks:
            stack.enter_context(patch.object(torch.Tensor, name, soft(getattr(torch.Tensor, name))))
        yield


def theirs(batch: int) -> tuple[float, int]:
    """Run two steps under MemTracker: seconds of processor time and peak bytes."""
    build = named(STEP)
    with imitate.cuda("flash"), frozen_pass():
        stage = Stage(StorageLedger(), Layout("none", batch, batch), POOL)
        with torch.device("meta"), imitate.no_initialisation():
            recipe = build(STEP, stage)
        tracker = Peer()
        start = time.process_time()
        with tracker:
            for _ in range(2):
                recipe.train_step(batch)
        seconds = time.process_time() - start
    return seconds, int(tracker.get_tracker_snapshot("peak")[torch.device("meta")]["Total"])


def ours(batch: int) -> float:
    """Trace at two batches, two steps each: seconds of processor time, the merge included."""
    start = time.process_time()
    trace(STEP, batches=(batch, batch + 2), verify=False)
    return time.process_time() - start


def replayed(batch: int) -> int:
    """Return the tape's peak in unrounded bytes, which is what MemTracker counts on meta."""
    tape = trace(STEP, batches=(batch,), verify=False)
    live = peak = 0
    for kind, index in tape.events:
        if kind in (Event.ALLOC, Event.FREE):
            live += tape.blocks[index].size.at(batch, batch, POOL) * (1 if kind == Event.ALLOC else -1)
            peak = max(peak, live)
    return peak


def main() -> None:
    """Print the seconds of each side and the ratios."""
    parser = parser_of(__doc__)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    ours(args.batch)  # torch imports its decompositions when first used
    rows = [(ours(args.batch), *theirs(args.batch)) for _ in range(args.runs)]
    mine, peer, (peak, *_) = (list(column) for column in zip(*rows, strict=True))
    print(f"peak in unrounded bytes: trainlint {replayed(args.batch):,}, MemTracker {peak:,}")
    print(f"trainlint, two steps at each of two batches  {statistics.median(mine):6.2f} s")
    ratio = statistics.median(b / a for a, b in zip(mine, peer, strict=True))
    print(f"MemTracker, two steps at one batch           {statistics.median(peer):6.2f} s   {ratio:.1f} x")

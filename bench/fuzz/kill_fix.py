# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Kills `trainlint --fix` at random moments and looks whether anything is lost.

    python -m bench kill_fix [--rounds 1000] [--seed 1]

Each round writes configs that --fix corrects, starts the command, kills it (SIGKILL) and asks that every file
is whole, as it was or fixed. Then the command runs to its end, and every file has to be fixed with no other
file in the folder. Odd rounds are killed at any moment of the run; even ones as soon as a file's new text is
being written, or up to a millisecond later, however long it takes until then. The command runs in a fork of
this process, which has run it before and so comes to the writing sooner.
"""

from __future__ import annotations

import io
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from bench.commands import parser_of
from trainlint.cli.main import run
from trainlint.files.atomic_write import DRAFT_SUFFIX

FILES = 6
WRONG, RIGHT = "use_hflipp: true", "use_hflip: true"
CONFIG = f"""\
name: tiny
model_type: SRModel
scale: 4
num_gpu: 1
datasets:
  train: {{name: photos, type: PairedImageDataset, dataroot_gt: hr, dataroot_lq: lr,
    io_backend: {{type: disk}}, gt_size: 128, {WRONG}, num_worker_per_gpu: 2, batch_size_per_gpu: 16}}
network_g: {{type: MSRResNet, num_in_ch: 3, num_out_ch: 3, num_feat: 64, num_block: 16, upscale: 4}}
path: {{pretrain_network_g: ~}}
train:
  optim_g: {{type: Adam, lr: !!float 2e-4}}
  scheduler: {{type: MultiStepLR, milestones: [200000], gamma: 0.5}}
  total_iter: 300000
  pixel_opt: {{type: L1Loss, loss_weight: 1.0, reduction: mean}}
"""


class LostError(Exception):
    """A kill did damage."""


def require(holds: bool, damage: str) -> None:
    """Raise LostError where something does not hold."""
    if not holds:
        raise LostError(damage)


def fix(folder: Path) -> None:
    """Run the command to its end."""
    silent = io.StringIO()
    with redirect_stdout(silent), redirect_stderr(silent), suppress(SystemExit):
        run(["--fix", "--unsafe-fixes", str(folder), "--no-trace", "--quiet"])


@contextmanager
def started(folder: Path) -> Iterator[int]:
    """Start the command in a fork; its process is waited for at the end."""
    child = os.fork()
    if not child:
        try:
            fix(folder)
        finally:
            os._exit(0)
    try:
        yield child
    finally:
        os.waitpid(child, 0)


def names() -> list[str]:
    """Name the configs."""
    return [f"{at}.yml" for at in range(FILES)]


def spoil(folder: Path) -> None:
    """Write the configs with their mistake."""
    for name in names():
        (folder / name).write_text(f"# {name}\n{CONFIG}", encoding="utf-8")


def state(folder: Path) -> str:
    """Say how far the command came; LostError where a file is neither as it was nor fixed."""
    texts = [(folder / name).read_text(encoding="utf-8") for name in names()]
    whole = [f"# {name}\n{CONFIG}" for name in names()]
    done = sum(text != old for text, old in zip(texts, whole, strict=True))
    for text, old in zip(texts, whole, strict=True):
        require(text in (old, old.replace(WRONG, RIGHT)), f"lost: {text!r}")
    if drafts(folder):
        return "while a file was being written"
    return {0: "before the first file", FILES: "after the last file"}.get(done, "between two files")


def drafts(folder: Path) -> list[str]:
    """Name the files that are to take another's place."""
    return [path.name for path in folder.iterdir() if path.name.endswith(DRAFT_SUFFIX)]


def wait_for_draft(folder: Path, child: int) -> None:
    """Wait until a file is being written, or the command has ended: a busy machine only takes longer."""
    while not drafts(folder) and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.0001)


def killed_round(folder: Path, chance: random.Random, seconds: float, *, aimed: bool) -> str:
    """Run a round; return where it was killed."""
    spoil(folder)
    with started(folder) as child:
        if aimed:
            wait_for_draft(folder, child)
        time.sleep(chance.uniform(0, 0.001 if aimed else seconds))
        os.kill(child, signal.SIGKILL)
    killed = state(folder)
    with started(folder):
        pass
    left = sorted(path.name for path in folder.iterdir())
    require(left == names(), f"left: {left}")
    for name in names():
        require(RIGHT in (folder / name).read_text(encoding="utf-8"), f"{name} was not fixed")
    return killed


def main() -> None:
    """Kill again and again, and count."""
    parser = parser_of(__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance, where = random.Random(args.seed), Counter[str]()  # noqa: S311 - no secret
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for _ in range(2):
            spoil(folder)
            fix(folder)
        spoil(folder)
        start = time.monotonic()
        with started(folder):
            pass
        seconds = time.monotonic() - start
        for number in range(1, args.rounds + 1):
            where[killed_round(folder, chance, seconds, aimed=number % 2 == 0)] += 1
            if number % 100 == 0:
                print(f"{number} rounds", file=sys.stderr, flush=True)
    print(f"{args.rounds} kills, nothing lost, nothing left by the next run:")
    for words, count in where.most_common():
        print(f"  {count:5} {words}")

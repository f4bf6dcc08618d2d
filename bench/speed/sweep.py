# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A sweep of a million combinations of one network: its seconds and memory, and 1,000 of them judged singly.

    python -m bench sweep [--target t4] [--singly 1000] [--jobs 1]

Run it twice: the first run traces what is not stored yet, which is counted apart.
"""

from __future__ import annotations

import random
import resource
import tempfile
import time
from functools import partial
from pathlib import Path

from bench.commands import parser_of
from trainlint.hardware import load_hardware
from trainlint.pipeline.pipeline import Pipeline
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.sweep.rule_table import Mark
from trainlint.sweep.spread import spread
from trainlint.sweep.sweep import Swept, sweep
from trainlint.sweep.sweep_plan import base_of

CONFIG = """\
name: compact_x4
scale: 4
use_amp: true
num_gpu: 1
datasets:
  train:
    name: own
    type: pairedimagedataset
    dataroot_gt: [hr]
    dataroot_lq: [lr]
    lq_size: 64
    use_hflip: true
    use_rot: true
    num_worker_per_gpu: 4
    batch_size_per_gpu: 8
    accum_iter: 1
network_g: {type: compact}
path: {strict_load_g: true}
train:
  total_iter: 300000
  warmup_iter: -1
  ema_decay: 0.999
  optim_g: {type: AdamW, lr: 0.0001, betas: [0.9, 0.99]}
  scheduler: {type: MultiStepLR, milestones: [100000], gamma: 0.5}
  losses: [{type: charbonnierloss, loss_weight: 1.0}]
logger: {print_freq: 100, save_checkpoint_freq: 1000, use_tb_logger: true}
"""
AXES = (
    "datasets.train.batch_size_per_gpu=range(1,251)",
    "datasets.train.lq_size=range(32,160,8)",
    "use_amp=true,false",
    "datasets.train.accum_iter=range(1,126)",
)
WORDS = {Mark.PASS: "pass", Mark.OPEN: "open", Mark.FAIL: "fail"}


def cpu() -> float:
    """Return the CPU seconds of this process and of those that it waited for."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def quiet(_line: str) -> None:
    """Say nothing of a trace's progress."""


def differing(swept: Swept, pipeline: Pipeline, count: int) -> list[tuple[tuple[int, ...], str, str]]:
    """Return those of `count` combinations by chance of which a single check says something else."""
    chance, found = random.Random(20_261_122), []  # noqa: S311 - a sample, no secret
    for _ in range(count):
        combination = tuple(chance.randrange(len(axis.values)) for axis in swept.axes)
        values = [axis.values[at] for axis, at in zip(swept.axes, combination, strict=True)]
        jobs = pipeline.jobs(swept.base.document(values))
        results = pipeline.judge_all(jobs, swept.target, largest=False)
        fails = any(one.level == "fail" for each in results for one in each.findings)
        word = "fail" if fails else "open" if any(each.undecided for each in results) else "pass"
        said = WORDS[swept.verdict(combination).mark]
        if word != said:
            found.append((combination, said, word))
    return found


def main() -> None:
    """Sweep, and say what it took."""
    parser = parser_of(__doc__)
    parser.add_argument("--target", default="t4")
    parser.add_argument("--singly", type=int, default=1000)
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "compact.yml")
        path.write_text(CONFIG, encoding="utf-8")
        began, used = time.perf_counter(), cpu()
        settings = Settings().with_options(target=(options.target,))
        tapes = partial(tapes_for, settings, may_trace=True)
        pipeline = pipeline_for(settings, tapes(progress=quiet))
        target = load_hardware().target(options.target)
        do = partial(spread, tapes=tapes, backend=None, jobs=options.jobs, progress=quiet)
        swept = sweep(pipeline, base_of(str(path), AXES), target, settings, do)
        counts = {WORDS[mark]: swept.count(mark) for mark in Mark}
        wall, used = time.perf_counter() - began, cpu() - used
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{swept.combinations:,} combinations on {options.target}: {counts}")
        print(f"{swept.steps:,} distinct steps, {swept.replays:,} of them replayed")
        print(
            f"{swept.traced} traced in {swept.seconds:.1f} s; in all {wall:.1f} s, {used:.1f} s of CPU here"
        )
        print(f"at most {most:.0f} MiB in this process")
        began = time.perf_counter()
        other = differing(swept, pipeline, options.singly)
        print(f"{options.singly} judged singly in {time.perf_counter() - began:.0f} s: {len(other)} differ")
        for one in other[:10]:
            print(one)

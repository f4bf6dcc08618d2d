# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Results made by hand, for every report format to render."""

from __future__ import annotations

from trainlint.model.document import Source, Span
from trainlint.model.facts import (
    Disk,
    Facts,
    GpuMemory,
    HostNeeds,
    Image,
    LargestBatch,
    Limits,
    Memory,
    NamedTensor,
    Time,
)
from trainlint.model.finding import Edit, Finding, Fix, Level, Outcome, Skip
from trainlint.model.result import Crash, Report, Result
from trainlint.model.target import Gpu, Target
from trainlint.tape import Network

GIB = 2**30
TEXT = """\
name: photos
num_gpu: auto
queue_size: 180
datasets:
  train:
    batch_size_per_gpu: 12  # what the guide says
    gt_size: 256
"""


def span(text: str, source: str = TEXT) -> Span:
    start = source.index(text)
    return Span(start, start + len(text))


def t4() -> Gpu:
    return Gpu("tesla-t4", "Tesla T4", int(14.56 * GIB), 111 << 20, 7.5, 40, 3.2e11, 8.1e12, 6.5e13, 0, 0,
               bf16_native=False, cuda_min="10", cuda_max=None, source="data sheet")  # fmt: skip


def kaggle() -> Target:
    return Target("kaggle-t4x2", t4(), 2, cpu_cores=4, session_h=12, session_budget_h=9)


def gpu(allocated: float, least: float, expect: float, worst: float) -> GpuMemory:
    sizes = (int(size * GIB) for size in (allocated, least, expect, worst))
    return GpuMemory(*sizes, context=111 << 20, capacity=int(14.56 * GIB))


def memory() -> Memory:
    parts = {
        "activations": 15.2,
        "queue": 2.4,
        "optimizer": 0.2,
        "parameters": 0.06,
        "losses": 0.02,
        "ema": 0.001,
    }
    return Memory(
        gpus=(gpu(17.9, 18.4, 19.1, 20.5), gpu(9.1, 9.4, 9.9, 10.6)),
        parts={name: int(size * GIB) for name, size in parts.items()},
        saved_per_sample=int(1.18 * GIB),
        peak_phase="train",
        validation=gpu(3.1, 3.4, 3.8, 4.1),
        image=Image(339, 510, "DIV2K has images of 2040x1356, x4"),
        limits=Limits(
            largest_batch=9,
            batch=LargestBatch("batch_size_per_gpu", 9, 18),
            safe_batch=7,
            safe=LargestBatch("batch_size_per_gpu", 7, 14),
        ),
        overhead={
            name: int(size * GIB)
            for name, size in {"cudnn_workspace": 0.7, "cache": 0.38, "context": 0.12}.items()
        },
        largest=NamedTensor(int(1.5 * GIB), "activations", "generator:body.22.rdb3"),
        short=NamedTensor(int(0.5 * GIB), "backward_temporaries", "generator:conv_hr"),
        belongings={"generator": int(15.3 * GIB), "queue": int(2.4 * GIB), "optimizer": int(0.2 * GIB)},
    )


def failing() -> Result:
    fix = Fix("set batch_size_per_gpu to 6", (Edit(span("12"), "6"),))
    other = Fix("set queue_size to 192", (Edit(span("180"), "192"),))
    queue = Finding(
        "queue-not-divisible", Level.FAIL,
        "pool of 180 is not a multiple of the 24 samples one process takes per step",
        (span("180"), span("12")), (fix, other), ("num_gpu is auto and there is no launcher: DataParallel",),
    )  # fmt: skip
    workers = Finding("workers-over-cores", Level.WARN, "8 workers on 4 cores", (span("num_gpu: auto"),))
    return Result(
        "configs/photos.yml", Source("configs/photos.yml", TEXT), Outcome.FAIL,
        name="photos", dialect="basicsr", target=kaggle(),
        networks=(Network("generator", "RRDBNet", 16_697_987, 16_697_987),),
        facts=Facts(
            memory=memory(), disk=Disk(200 << 20, 80, 80 * (200 << 20)), host=HostNeeds(8, None, None),
            missing={"time": "no seconds per iteration"},
        ),
        findings=(workers, queue), skips=(Skip("session-budget", "no seconds per iteration"),),
    )  # fmt: skip


def passing() -> Result:
    limits = Limits(largest_batch=40, safe_batch=36)
    fine = Memory((gpu(5, 5.3, 5.6, 6.1),), {"activations": 5 * GIB}, GIB, "train", limits=limits)
    time = Time((0.2, 0.25, 0.4), (12.0, 15.0, 24.0), (2, 2, 3), "roofline", save_hours=(0.5, 0.6, 1.0))
    return Result(
        "configs/small.yml", Source("configs/small.yml", TEXT), Outcome.PASS, dialect="basicsr", name="small",
        target=kaggle(), facts=Facts(memory=fine, time=time, disk=Disk(2 << 20, 1, 2 << 20)),
    )  # fmt: skip


def unknown() -> Result:
    reason = 'unknown network "FooNet"'
    return Result(
        "configs/own.yml", Source("configs/own.yml", TEXT), Outcome.SKIPPED, dialect="basicsr",
        target=kaggle(), skips=tuple(Skip(rule, reason) for rule in ("vram-budget", "vram-tight")),
        undecided=True,
    )  # fmt: skip


def unreadable() -> Result:
    finding = Finding("unreadable", Level.FAIL, 'found "]", expected a key', (Span(14, 14),))
    return Result(
        "configs/bad.yml",
        Source("configs/bad.yml", "name: x\nfoo: ]\n"),
        Outcome.UNREADABLE,
        findings=(finding,),
    )


def report() -> Report:
    return Report(
        (unreadable(), unknown(), failing(), passing()), files=6,
        unrecognised=("configs/ci.yml", "configs/mkdocs.yml"),
        notes=("the template configs/t.yml was not read",),
        crashes=(Crash("configs/odd.yml", "internal error on configs/odd.yml: KeyError: 'x'", "Traceback"),),
    )  # fmt: skip

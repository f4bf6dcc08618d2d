# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The measured step times of timm's benchmark.py on an RTX 3090, and the tapes of what ran.

    python -m bench step_time_rows TAPES [--models REGEX] [--processes 2] [--limit N] [--only-write]

traces what TAPES lacks, in the order of a digest of the model's name, so that a part is no choice, and writes
the work of what is traced into bench/replayed/step_times.csv and other_cards.csv. --models traces and writes
those that it matches alone; the others stay as they are written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

from bench.accuracy.timm_tapes import Step, benchmark_step, trace_step
from bench.commands import parser_of
from bench.measured_tables import MEASURED, REPLAYED, table, write_table
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.estimate.speed.step_work import step_work
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.hardware import load_hardware
from trainlint.model.target import Gpu
from trainlint.tape import Tape
from trainlint.tape.step import built, key_of

NHWC = "nhwc"
CLASSES = (
    "conv", "conv nhwc", "conv winograd", "conv-grouped", "conv-grouped nhwc", "conv-grouped 32 nhwc",
    "conv-depthwise", "conv-depthwise fp32", "conv-depthwise nhwc", "matmul", "memory", "norm", "norm nhwc",
    "attention",
)  # fmt: skip
NAMES = ("model", "layout", "gpu", "batch")
COLUMNS = (*NAMES, "kernels", "forward", *CLASSES)
PYCLS = re.compile(r"(RegNet[XY]|ResNeXt|ResNet|EfficientNet)-(.+)")


@dataclass(frozen=True)
class Row:
    """One measured step: seconds, and the step that was measured."""

    model: str
    family: str
    layout: str
    batch: int
    seconds: float
    step: Step
    gpu: str = "rtx-3090"

    @property
    def key(self) -> str:
        """Return the key of the step's tape."""
        return key_of(built(self.step))


def digest(text: str) -> int:
    """Return a number that a name alone decides."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def half_of(family: str) -> int:
    """Return the half of the data that a family belongs to: 0 or 1, fixed before anything was fitted."""
    return digest(family) % 2


def rows() -> list[Row]:
    """Return the measured rows; the brackets' table has what became of renamed networks and image sizes."""
    named = {row["model"]: row for row in table(MEASURED, "timm3090")}
    found = []
    for row in table(MEASURED, "step_times"):
        known = named.get(row["model"], row | {"flags": "", "kind": "cnn"})
        step = benchmark_step(known | {"img_size": row["img_size"]})
        if row["memory_format"] == NHWC:
            step |= {"channels_last": True}
        seconds, batch = float(row["step_time_ms"]) / 1e3, int(row["batch_per_gpu"])
        found.append(Row(row["model"], row["family"], row["memory_format"], batch, seconds, step))
    return found


def elsewhere() -> list[Row]:
    """Return the rows of other cards: pycls's V100 (no optimizer's step), NVIDIA's V100 and A100."""
    return [*_pycls(), *_examples()]


def _pycls() -> Iterator[Row]:
    for row in table(MEASURED, "pycls_v100"):
        model = PYCLS.sub(_timm_name, row["model"])
        side = int(row["input_size"].split("x")[0])
        step = _fp32(model, side)
        yield Row(
            model,
            "pycls",
            "nchw",
            int(row["batch_per_gpu"]),
            float(row["s_per_iter"]),
            step,
            "v100-sxm2-16gb",
        )


def _timm_name(match: re.Match[str]) -> str:
    kind, size = match.groups()
    if kind.startswith("RegNet"):
        number = float(size[:-2]) * (1000 if size.endswith("GF") else 1)
        return f"{kind.lower()}_{round(number / 100):03d}"
    return {"ResNet": "resnet", "ResNeXt": "resnext", "EfficientNet": "efficientnet_"}[kind] + (
        {"50": "50_32x4d", "101": "101_32x4d", "152": "152_32x4d"}[size]
        if kind == "ResNeXt"
        else size.lower()
    )


def _fp32(model: str, side: int) -> Step:
    base = {"model": model, "img_size": str(side), "flags": "", "kind": "cnn"}
    step = benchmark_step(base)
    return {name: value for name, value in step.items() if name != "precision"}


def _examples() -> Iterator[Row]:
    """NVIDIA's rates on one GPU: fp32 (TF32 on the A100), and AMP with channels last."""
    for row in table(MEASURED, "nvidia_examples"):
        model, gpu = row["model"], row["gpu"]
        plain = _fp32(model, 380 if model.endswith("b4") else 224)
        slow, mixed = float(row["images_per_second"]), float(row["mixed_images_per_second"])
        batch, mixed_batch = int(row["batch"]), int(row["mixed_batch"])
        yield Row(model, "nvidia", "nchw", batch, batch / slow, plain, gpu)
        half = plain | {"precision": "fp16", "channels_last": True}
        yield Row(model, "nvidia", NHWC, mixed_batch, mixed_batch / mixed, half, gpu)


def tape_of(row: Row, folders: Sequence[Path]) -> Tape | None:
    """Return the stored tape of a row, or None."""
    return next((tape for folder in folders if (tape := Store(Path(folder)).find(row.key, row.batch))), None)


def _trace(job: tuple[str, Row]) -> str:
    """Trace a row at its own batch alone: half the work of a tape that speaks for every batch."""
    folder, row = job
    return trace_step(folder, row.step, {row.batch}, row.model, alone=True)


def work_of(tape: Tape, batch: int, gpu: Gpu) -> dict[str, str]:
    """Return the ideal seconds of a step by class, its kernels, and those that Python calls in a forward."""
    work = step_work(tape, Samples(batch, batch), gpu)
    counts = {"kernels": str(work.kernels), "forward": str(work.forward)}
    return counts | {name: f"{seconds:.5g}" for name, seconds in work.classes.items()}


def lines(found: Sequence[Row], folder: Path) -> Iterator[dict[str, str]]:
    """Yield the work of what is traced."""
    hardware = load_hardware()
    for row in found:
        tape = tape_of(row, [folder])
        if tape is not None:
            names = {"model": row.model, "layout": row.layout, "gpu": row.gpu, "batch": str(row.batch)}
            yield names | work_of(tape, row.batch, hardware.gpu(row.gpu))


def main() -> None:
    """Trace what the folder lacks, and write the work of what it has."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=re.compile, default=re.compile(""))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--only-write", action="store_true")
    options = parser.parse_args()
    wanted = [*elsewhere(), *sorted(rows(), key=lambda row: digest(row.model))]
    wanted = [row for row in wanted if options.models.search(f"{row.model} {row.layout}")]
    work = [(str(options.folder), row) for row in wanted if tape_of(row, [options.folder]) is None]
    if not options.only_write:
        with Pool(options.processes, maxtasksperchild=30) as pool:
            for number, text in enumerate(pool.imap_unordered(_trace, work[: options.limit]), start=1):
                if text or number % 20 == 0:
                    print(text or f"{number} of {len(work)}", flush=True)
    for name, found in (("step_times", rows()), ("other_cards", elsewhere())):
        written = [
            row
            for row in table(REPLAYED, name)
            if not options.models.search(f"{row['model']} {row['layout']}")
        ]
        chosen = [row for row in found if options.models.search(f"{row.model} {row.layout}")]
        made = {tuple(row[key] for key in NAMES): row for row in (*written, *lines(chosen, options.folder))}
        keys = [(row.model, row.layout, row.gpu, str(row.batch)) for row in found]
        write_table(REPLAYED, name, COLUMNS, [made[key] for key in keys if key in made])

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The measured step times of timm's benchmark.py on an RTX 3090, and the tapes of what ran.

    python -m bench step_time_rows TAPES MEASURED [--processes 2] [--limit N]

traces what TAPES lacks, in the order of a digest of the model's name, so that a part is no choice. MEASURED
holds <part>_step_times.csv and <part>_timm3090.csv (renamed networks and image sizes are in the latter).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

from bench.accuracy.timm_tapes import Step, benchmark_step, rows_of, trace_step
from bench.commands import parser_of
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.tape import Tape
from trainlint.tape.step import built, key_of

NHWC = "nhwc"
PYCLS = re.compile(r"(RegNet[XY]|ResNeXt|ResNet|EfficientNet)-(.+)")
EXAMPLES = {
    ("resnet50", "a100-80gb"): (938, 2470, (256, 256)),
    ("resnet50", "v100-sxm2-16gb"): (367, 1200, (128, 256)),
    ("resnext101_32x4d", "a100-80gb"): (456, 1211, (128, 128)),
    ("resnext101_32x4d", "v100-sxm2-16gb"): (147, 587, (64, 128)),
    ("seresnext101_32x4d", "a100-80gb"): (395, 855, (128, 128)),
    ("seresnext101_32x4d", "v100-sxm2-16gb"): (132, 443, (64, 128)),
    ("efficientnet_b0", "a100-80gb"): (1078, 2489, (256, 256)),
    ("efficientnet_b0", "v100-sxm2-16gb"): (655, 1301, (128, 256)),
    ("efficientnet_b4", "a100-80gb"): (157, 331, (64, 128)),
    ("efficientnet_b4", "v100-sxm2-16gb"): (83, 204, (32, 64)),
}
"""Images per second of one GPU without and with mixed precision (TF32 on the A100), and the batches.

NVIDIA/DeepLearningExamples 729963dd, PyTorch/Classification/ConvNets: each network's README, "Training
performance", one GPU. The batches are those of its launch scripts' names; a large batch's rate hardly depends
on it.
"""


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


def rows(measured: Path, part: str = "dev") -> list[Row]:
    """Return the measured rows whose network the brackets' table names too."""
    named = {row["model"]: row for row in rows_of(measured / f"{part}_timm3090.csv")}
    found = []
    for row in rows_of(measured / f"{part}_step_times.csv"):
        known = named.get(row["model"], row | {"flags": "", "kind": "cnn"})
        step = benchmark_step(known | {"img_size": row["img_size"]})
        if row["memory_format"] == NHWC:
            step |= {"channels_last": True}
        seconds, batch = float(row["step_time_ms"]) / 1e3, int(row["batch_per_gpu"])
        found.append(Row(row["model"], row["family"], row["memory_format"], batch, seconds, step))
    return found


def elsewhere(measured: Path) -> list[Row]:
    """Return the rows of other cards: pycls's V100 (no optimizer's step), NVIDIA's V100 and A100."""
    return [*_pycls(measured), *_examples()]


def _pycls(measured: Path) -> Iterator[Row]:
    for row in rows_of(measured / "pycls_v100.csv"):
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
    for (model, gpu), (slow, mixed, batch) in EXAMPLES.items():
        side = 380 if model.endswith("b4") else 224
        plain = _fp32(model, side)
        yield Row(model, "nvidia", "nchw", batch[0], batch[0] / slow, plain, gpu)
        yield Row(
            model, "nvidia", NHWC, batch[1], batch[1] / mixed,
            plain | {"precision": "fp16", "channels_last": True}, gpu,
        )  # fmt: skip


def tape_of(row: Row, folders: Sequence[Path]) -> Tape | None:
    """Return the stored tape of a row, or None."""
    return next((tape for folder in folders if (tape := Store(Path(folder)).find(row.key, row.batch))), None)


def _trace(job: tuple[str, Row]) -> str:
    """Trace a row at its own batch alone: half the work of a tape that speaks for every batch."""
    folder, row = job
    return trace_step(folder, row.step, {row.batch}, row.model, alone=True)


def main() -> None:
    """Trace what the folder lacks."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("measured", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    wanted = [
        *elsewhere(options.measured),
        *sorted(rows(options.measured), key=lambda row: digest(row.model)),
    ]
    work = [(str(options.folder), row) for row in wanted if tape_of(row, [options.folder]) is None]
    with Pool(options.processes, maxtasksperchild=30) as pool:
        for number, text in enumerate(pool.imap_unordered(_trace, work[: options.limit]), start=1):
            if text or number % 20 == 0:
                print(text or f"{number} of {len(work)}", flush=True)

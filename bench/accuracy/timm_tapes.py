# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Trace timm's and torchvision's models as public data sets trained them, outside of the repository.

    python -m bench timm_tapes FOLDER DATASET.csv [...] [--processes 2] [--models NAME ...]

Needs torch, timm and torchvision. A data set is known by its columns: GPUMemNet's runs (fp32, loader, foreach
SGD), the batch brackets of timm's benchmark.py on an RTX 3090 (AMP, torch 1.12: no fused attention, no
foreach), or the runs of other machines, which are traced as jobs of trainlint's own dialect.
Tapes that are there are kept; failures are listed in FOLDER/failures.txt.
"""

from __future__ import annotations

import csv
import gc
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from bench.commands import parser_of
from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.tape import Tape
from trainlint.tape.step import key_of

Row = dict[str, str]
"""A row of a data set, by the names of its columns."""
Step = dict[str, Any]

MISNAMED: dict[str, tuple[str, dict[str, Any]]] = {
    "ig_resnext101_32x16d": ("resnext101_32x16d", {}),
    "ig_resnext101_32x32d": ("resnext101_32x32d", {}),
    "ig_resnext101_32x48d": ("resnext101_32x32d", {"base_width": 48}),
    "vit_base_patch16_224_sam": ("vit_base_patch16_224", {}),
}
"""The brackets' networks that timm 1.0.9 has under another name only: what ran.

The first three it takes for ResNeXt-101 32x8d (_deprecated_models); the brackets' source states 194, 469
and 828 million parameters.
"""
IN_PLACE = "tresnet"
"""What the names of networks begin with that had InPlaceABN until timm 0.9 (timm/models/tresnet.py)."""

SGD = {"role": "generator", "type": "SGD", "momentum": 1, "nesterov": True}


def training_step(row: Row) -> Step:
    """Return a row's step of GPUMemNet: timm's train.py with its defaults."""
    step = _step(row, "timm.train", {}) | {"prefetch.mode": "prefetcher"}
    return step | {"optimizers": [SGD | {"weight_decay": 1}]}


def benchmark_step(row: Row) -> Step:
    """Return a row's step of the brackets: timm's benchmark.py at torch 1.12."""
    old: dict[str, bool] = {"fused_attention": False, "zeroed_gradients": True}
    if row["model"].startswith(IN_PLACE):
        old["in_place_norm"] = True
    step = _step(row, "timm.benchmark", old) | {"precision": "fp16", "attention": "math"}
    if row["model"] in MISNAMED:
        step["networks.generator.arch"], args = MISNAMED[row["model"]]
        step |= {"networks.generator.args": args} if args else {}
    return step | {"optimizers": [SGD | {"foreach": False}]}


def native_step(model: str, optimizer: Step, *, half: bool = False) -> Step:
    """Return the step of a classifier on 224x224 pixels as a job of trainlint's own dialect has it."""
    step: Step = {
        "recipe": "trainlint",
        "dialect": "trainlint",
        "networks.generator.arch": model,
        "losses": [{"role": "pixel", "type": "cross-entropy"}],
        "optimizers": [{"role": "generator", **optimizer}],
        "options": {"input": [3, 224, 224]},
    }
    return step | ({"precision": "fp16"} if half else {})


def independent_step(row: Row) -> Step:
    """Return the step of a row of independent_memory.csv."""
    momentum = {"momentum": 1} if row["optimizer"] == "SGD" else {}
    half = row["precision"] == "fp16"
    return native_step(row["model"], {"type": row["optimizer"], **momentum}, half=half)


def _step(row: Row, recipe: str, options: Mapping[str, Any]) -> Step:
    step: Step = {
        "recipe": recipe,
        "dialect": "timm",
        "networks.generator.arch": row["model"],
        "crop.lq": int(row["img_size"]),
        "optimizers": [SGD],
    }
    if "img-size-differs-from-current-default" in row["flags"] and not row["kind"].startswith("cnn"):
        step["networks.generator.args"] = {"img_size": int(row["img_size"])}
    return step | ({"options": options} if options else {})


def step_of_row(row: Row) -> Step:
    """Return the step of a row of any data set."""
    if "cudnn_benchmark" in row:
        return independent_step(row)
    return benchmark_step(row) if "fit_batch" in row else training_step(row)


def batches_of(row: Row) -> list[int]:
    """Return the batches that a row speaks of."""
    return [int(row[name]) for name in ("batch", "fit_batch", "fail_batch") if name in row]


def rows_of(path: Path | str) -> list[Row]:
    """Read a data set."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def trace_one(folder: str, row: Row, batches: Collection[int]) -> str:
    """Store the tapes that speak for all of `batches`; returns an error's text or ""."""
    return trace_step(folder, step_of_row(row), batches, row["model"])


def trace_step(folder: str, step: Step, batches: Collection[int], model: str, *, alone: bool = False) -> str:
    """Store the tapes of a step that speak for all of `batches`; returns an error's text or "".

    `alone`: a tape for each batch, instead of one that speaks for all.
    """
    import torch  # noqa: PLC0415 - slow to import, and `--help` needs it not

    from trainlint.trace.trace import trace  # noqa: PLC0415 - slow to import, and `--help` needs it not

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")

    def traced(step: Mapping[str, Any], **options: Any) -> Tape:
        with in_place_norms() if (step.get("options") or {}).get("in_place_norm") else nullcontext():
            return trace(step, verify=False, **(options | at))

    store = Store(Path(folder))
    tapes = TapeSource([store], save_to=store, trace=traced)
    try:
        for batch in sorted(batches):
            at = {"batches": (batch,)} if alone else {}
            tapes.tape(step, batch)
    except CannotTraceError as error:
        return f"{model}: {error}"
    finally:
        gc.collect()
    return ""


@contextmanager
def in_place_norms() -> Iterator[None]:
    """Let timm's normalisation with its activation overwrite its input, as InPlaceABN does.

    Its backward works from the output and makes two tensors of that size, the normalised input and the
    gradient before the activation. Source: mapillary/inplace_abn 1.1, inplace_abn/functions.py.
    """
    import torch  # noqa: PLC0415 - slow to import, and `--help` needs it not
    from timm.layers import BatchNormAct2d  # noqa: PLC0415 - slow to import, and `--help` needs it not
    from torch import Tensor  # noqa: PLC0415 - with torch

    class InPlace(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            ctx.mark_dirty(x)
            mean, variance = torch.empty_like(weight), torch.empty_like(weight)
            x.mul_(2)
            ctx.save_for_backward(x, variance, weight, bias, mean)
            return x

        @staticmethod
        def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            output, _, weight, bias, _ = ctx.saved_tensors
            normal, before = torch.empty_like(output), torch.empty_like(gradient)
            return normal.mul_(before), torch.empty_like(weight), torch.empty_like(bias)

    plain = BatchNormAct2d.forward
    BatchNormAct2d.forward = lambda norm, x: InPlace.apply(  # type: ignore[no-untyped-call]  # torch's has no types
        x, norm.weight, norm.bias
    )
    try:
        yield
    finally:
        BatchNormAct2d.forward = plain


def _unpacked(job: tuple[str, Row, set[int]]) -> str:
    return trace_one(*job)


def main() -> None:
    """Trace what the folder lacks, and list what could not be traced."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--models", nargs="*")
    options = parser.parse_args()
    jobs: defaultdict[str, set[int]] = defaultdict(set)
    rows: dict[str, Row] = {}
    for row in (row for path in options.datasets for row in rows_of(path)):
        if not options.models or row["model"] in options.models:
            key = key_of(step_of_row(row))
            jobs[key].update(batches_of(row))
            rows[key] = row
    work = [(str(options.folder), rows[key], batches) for key, batches in jobs.items()]
    failures: list[str] = []
    with Pool(options.processes, maxtasksperchild=30) as pool:
        for number, text in enumerate(pool.imap_unordered(_unpacked, work), start=1):
            if text:
                failures.append(text)
                print(text)
            if number % 20 == 0:
                print(f"{number} of {len(work)}", flush=True)
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "failures.txt").write_text("\n".join(sorted(failures)) + "\n", encoding="utf-8")
    print(f"{len(work) - len(failures)} tapes made, {len(failures)} failed")

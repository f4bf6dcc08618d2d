"""Trace timm's models as two public data sets trained them, into a folder outside the repository.

    python bench/timm_tapes.py FOLDER DATASET.csv [...] [--processes 2] [--models NAME ...]

Needs torch and timm. A data set is told by its columns: GPUMemNet's runs (fp32, loader, foreach SGD) or the
batch brackets of timm's benchmark.py on an RTX 3090 (AMP, torch 1.12: no fused attention, no foreach).
Tapes that are there are kept; failures are listed in FOLDER/failures.txt.
"""

from __future__ import annotations

import argparse
import csv
import gc
import warnings
from collections import defaultdict
from multiprocessing import Pool
from pathlib import Path

from trainlint.errors import CannotTraceError
from trainlint.estimate.profiles import Store
from trainlint.estimate.source import TapeSource
from trainlint.estimate.step import key_of

SGD = {"role": "generator", "type": "SGD", "momentum": 1, "nesterov": True}


def training_step(row):
    """GPUMemNet: timm's train.py with its defaults."""
    step = _step(row, "timm.train", {}) | {"prefetch.mode": "prefetcher"}
    return step | {"optimizers": [SGD | {"weight_decay": 1}]}


def benchmark_step(row):
    """The brackets: timm's benchmark.py at torch 1.12."""
    old = {"fused_attention": False, "zeroed_gradients": True}
    step = _step(row, "timm.benchmark", old) | {"precision": "fp16", "attention": "math"}
    return step | {"optimizers": [SGD | {"foreach": False}]}


def _step(row, recipe, options):
    step = {
        "recipe": recipe,
        "dialect": "timm",
        "networks.generator.arch": row["model"],
        "crop.lq": int(row["img_size"]),
        "optimizers": [SGD],
    }
    if "img-size-differs-from-current-default" in row["flags"] and not row["kind"].startswith("cnn"):
        step["networks.generator.args"] = {"img_size": int(row["img_size"])}
    return step | ({"options": options} if options else {})


def step_of_row(row):
    """Return the step of a row of either data set."""
    return benchmark_step(row) if "fit_batch" in row else training_step(row)


def batches_of(row):
    """Return the batches that a row speaks of."""
    return [int(row[name]) for name in ("batch", "fit_batch", "fail_batch") if name in row]


def rows_of(path):
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def trace_one(folder, row, batches):
    """Store the tapes that speak for all of `batches`; returns an error's text or ""."""
    import torch  # noqa: PLC0415

    from trainlint.trace.trace import trace  # noqa: PLC0415

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")

    def traced(step, **options):
        return trace(step, verify=False, **options)

    store = Store(Path(folder))
    tapes = TapeSource([store], save_to=store, trace=traced)
    try:
        for batch in sorted(batches):
            tapes.tape(step_of_row(row), batch)
    except CannotTraceError as error:
        return f"{row['model']}: {error}"
    finally:
        gc.collect()
    return ""


def _unpacked(job):
    return trace_one(*job)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--models", nargs="*")
    options = parser.parse_args()
    jobs, rows = defaultdict(set), {}
    for row in (row for path in options.datasets for row in rows_of(path)):
        if not options.models or row["model"] in options.models:
            key = key_of(step_of_row(row))
            jobs[key].update(batches_of(row))
            rows[key] = row
    work = [(str(options.folder), rows[key], batches) for key, batches in jobs.items()]
    failures = []
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


if __name__ == "__main__":
    main()

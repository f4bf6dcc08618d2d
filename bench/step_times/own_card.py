# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps that `trainlint measure` ran on an H100 with torch 2.11: a host on which nothing is fitted.

bench/replayed/own_card.csv has the tensors that each step's optimizer gathers, which its rows do not say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from bench.accuracy.timm_tapes import trace_step
from bench.measured_tables import MEASURED, REPLAYED, table, write_table
from bench.step_times.independent import Sample, host_of_machine, is_inside, ranged
from trainlint.estimate.calibration import Work
from trainlint.estimate.speed.rate_factors import factors
from trainlint.estimate.speed.walked_tensors import walked_tensors
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.hardware import load_hardware
from trainlint.tape.step import built, key_of

NAME: Final = "own_card"
CARD: Final = "h100-80gb"
MACHINE: Final = f"trainlint measure, {CARD}"
HEAD: Final = "| step | measured | estimated | in the range |\n|---|--:|--:|---|"
WITH_DDP: Final = "vit_base_patch16_224-bf16-ddp b1"
WITHOUT_DDP: Final = "vit_base_patch16_224-bf16 b1"
"""The same step with DistributedDataParallel and without it."""


def rows() -> list[dict[str, Any]]:
    """Return the measured lines."""
    text = (MEASURED / f"{CARD}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def lines(folder: Path) -> Iterator[dict[str, object]]:
    """Yield what each step's optimizer gathers, tracing what the folder lacks."""
    store = Store(folder)
    for row in rows():
        key, batch = key_of(built(row["step"])), row["batch"]
        error = "" if store.find(key, batch) else trace_step(str(folder), row["step"], {batch}, row["case"])
        tape = store.find(key, batch)
        if tape is None:
            raise SystemExit(error or f"{row['case']}: no tape")
        yield {"case": row["case"], "walked": walked_tensors(tape)}


def write(folder: Path) -> None:
    """Write what the steps' optimizers gather."""
    write_table(REPLAYED, NAME, ("case", "walked"), lines(folder))


def samples() -> list[Sample]:
    """Return the steps with cudnn.benchmark and without DistributedDataParallel."""
    gpu = load_hardware().gpu(CARD)
    walked = {row["case"]: int(row["walked"]) for row in table(REPLAYED, NAME)}
    return [
        Sample(
            machine=MACHINE,
            gpu=gpu,
            model=row["case"],
            batch=row["batch"],
            seconds=row["seconds"],
            work=Work(**row["work"], walked=walked[row["case"]]),
        )
        for row in rows()
        if row["benchmark"] and row["step"].get("parallel") != "ddp"
    ]


def table_lines(found: Sequence[Sample]) -> Iterator[str]:
    """Yield the table of the steps with the shipped ranges."""
    for row in found:
        low, middle, high = (f"{1e3 * end:.1f}" for end in shipped_range(row))
        inside = "yes" if is_inside((row, shipped_range(row))) else "no"
        estimated = f"{low} to {high} ms (middle {middle})"
        yield f"| {row.model} | {1e3 * row.seconds:.1f} ms | {estimated} | {inside} |"


def shipped_range(row: Sample) -> tuple[float, float, float]:
    """Return the range of a step with the shipped factors; a card with TF32 has no Winograd of its own."""
    return ranged(row, factors().forward, 1.0)


def host(found: Sequence[Sample]) -> float:
    """Return the host's milliseconds for an operator of a forward that fit these steps best."""
    return 1e3 * host_of_machine(found)


def pair() -> tuple[float, float]:
    """Return the milliseconds of one step with DistributedDataParallel and without it."""
    seconds = {row["case"]: 1e3 * row["seconds"] for row in rows()}
    return seconds[WITH_DDP], seconds[WITHOUT_DDP]

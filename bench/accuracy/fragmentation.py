# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Measure what segments take above expandable ones.

    python -m bench fragmentation TAPES [...] MEASURED [--part dev]

For every run of GPUMemNet's that took more than 8 GiB, as a step does that nearly fills a card: the smallest
capacity on which the replay succeeds, over the same with expandable segments. In smaller ones the rounding of
segments weighs more. Prints the ratio's median, 95th percentile and largest.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from bench.accuracy.runs import A100, Tapes, quantile
from bench.accuracy.timm_tapes import Row, rows_of
from bench.commands import parser_of
from trainlint.estimate.memory.card import Share
from trainlint.estimate.replay.footprint import segments
from trainlint.estimate.replay.gpu_ledger import Ledger

LARGE = 8 * 1024
"""MiB of nvidia-smi's figure."""


def ratio(book: Ledger, batch: int) -> float:
    """Return what a ledger's step takes with fixed segments, over what it takes with expandable ones."""
    samples, used = Share(batch, batch).samples, A100.libraries
    return segments(book, samples, used) / segments(book, samples, replace(used, expandable=True))


def ratios(tapes: Tapes, rows: Iterable[Row]) -> list[tuple[float, str, int]]:
    """Return [(ratio, model, batch)] of every large run that has a tape, smallest ratio first."""
    large = [row for row in rows if float(row["measured_mib"]) > LARGE]
    runs = [(row["model"], int(row["batch"]), tapes.find(row, int(row["batch"]))) for row in large]
    return sorted((ratio(book, batch), model, batch) for model, batch, book in runs if book is not None)


def main() -> None:
    """Print the ratio's spread, and the runs that waste most."""
    parser = parser_of(__doc__)
    parser.add_argument("tapes", nargs="+", type=Path, help="folders of tapes, then the measurements' folder")
    parser.add_argument("--part", default="dev", help="the measurements' prefix")
    options = parser.parse_args()
    *folders, measured = options.tapes
    found = ratios(Tapes(folders), rows_of(measured / f"{options.part}_gpumemnet.csv"))
    values = [value for value, _, _ in found]
    print(f"{len(found)} runs: median {median(values):.3f}, p95 {quantile(values, 0.95):.3f}")
    for value, model, batch in found[:-6:-1]:
        print(f"{value:.3f} {model}, batch {batch}")

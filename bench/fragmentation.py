"""Measure what segments take above expandable ones, which is estimate's FRAGMENTATION.

    python bench/fragmentation.py TAPES [...] MEASURED [--part dev]

For every run of GPUMemNet's that is measured: the smallest capacity on which the replay succeeds, over the
same with expandable segments. Prints the ratio's median, 95th percentile and largest; takes minutes.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from statistics import median

import accuracy
from timm_tapes import rows_of

from trainlint.estimate.card import Share
from trainlint.estimate.footprint import segments


def ratio(book, batch):
    """Return what a ledger's step takes with fixed segments, over what it takes with expandable ones."""
    samples, used = Share(batch, batch).samples, accuracy.A100.libraries
    return segments(book, samples, used) / segments(book, samples, replace(used, expandable=True))


def ratios(tapes, rows):
    """Return [(ratio, model, batch)] of every run that has a tape, smallest ratio first."""
    runs = [(row["model"], int(row["batch"]), tapes.find(row, int(row["batch"]))) for row in rows]
    return sorted((ratio(book, batch), model, batch) for model, batch, book in runs if book is not None)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tapes", nargs="+", type=Path, help="folders of tapes, then the measurements' folder")
    parser.add_argument("--part", default="dev", help="the measurements' prefix")
    options = parser.parse_args()
    *folders, measured = options.tapes
    found = ratios(accuracy.Tapes(folders), rows_of(measured / f"{options.part}_gpumemnet.csv"))
    values = [value for value, _, _ in found]
    print(f"{len(found)} runs: median {median(values):.3f}, p95 {accuracy.quantile(values, 0.95):.3f}")
    for value, model, batch in found[:-6:-1]:
        print(f"{value:.3f} {model}, batch {batch}")


if __name__ == "__main__":
    main()

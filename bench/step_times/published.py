# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The constants of factors.toml that are no fit: what others published (bench/measured/published.csv)."""

from __future__ import annotations

from statistics import median
from typing import Final

from bench.measured_tables import MEASURED, table
from bench.step_times.loading_rates import between

NAME: Final = "published"
WORKERS: Final = 8
"""Of the row of the loader's further workers."""


def figures(constant: str) -> list[float]:
    """Return the figures of a constant's rows, smallest first."""
    rows = [row for row in table(MEASURED, NAME) if row["constant"] == constant]
    return sorted(float(row["figure"]) / float(row["over"]) for row in rows)


def untuned() -> tuple[float, float, float]:
    """Return [untuned]: nothing, what everyone who reports a gain has, and all of them but the farthest.

    Whoever gains nothing writes no report.
    """
    reported = figures("untuned")
    return 1.0, reported[0], reported[-2]


def link() -> tuple[float, float, float]:
    """Return [link]: nine of ten of the measured copies, and their median."""
    measured = figures("link")
    slow, fast = between(measured)
    return slow, median(measured), fast


def constants() -> dict[str, tuple[float, ...]]:
    """Return the constants that follow from published figures, by table and key."""
    decoding, (further,) = figures("decoding"), figures("workers")
    return {
        "class attention": (figures("attention")[-1],),
        "link bytes_per_second": link(),
        "untuned times_as_long": untuned(),
        "compiled times_as_fast": tuple(figures("compiled")),
        "compiled seconds": (0.0, *figures("compiling")),  # nothing where all is in its cache
        "disk bytes_per_second": tuple(figures("disk")),
        "loading machines": (decoding[-1] / decoding[0],),
        "loading further": ((further - 1) / (WORKERS - 1),),
        "loading.patch plain": tuple(figures("patch plain")),
        "loading.patch masked": tuple(figures("patch masked")),
    }

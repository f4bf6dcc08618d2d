# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the host takes for a step's parts, in operators of the same network's forward.

From the rows that host_costs.py measured (bench/data/host_costs.csv): a CPU is as slow or quick in all of
them, so that a machine's forward, which its steps show, says the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Final

from bench.measured_tables import table
from bench.step_times.loading_rates import DATA
from trainlint.model.facts import Range

AT_ONCE: Final = ("foreach", "fused")
"""Optimizers that gather their tensors in Python."""
HEAD: Final = (
    "| network | part | tensors | operators | ms | an operator | a tensor |\n|---|---|--:|--:|--:|--:|--:|"
)
Share = tuple[dict[str, str], float | None, float | None]
"""A row, and what an operator and a tensor of it take, in operators of its network's forward."""


def shares() -> Iterator[Share]:
    """Yield each row with what it takes; what gathers its tensors has little of operators."""
    rows = table(DATA, "host_costs")
    unit = {
        row["network"]: float(row["microseconds"]) / int(row["operators"])
        for row in rows
        if row["part"] == "forward"
    }
    for row in rows:
        taken, operators = float(row["microseconds"]) / unit[row["network"]], int(row["operators"])
        gathers = row["part"].endswith(AT_ONCE)
        each = None if gathers or not operators else taken / operators
        yield row, each, taken / int(row["tensors"]) if gathers else None


def walked() -> float:
    """Return what gathering a tensor takes, in the median of all optimizers."""
    return median(each for _, _, each in shares() if each is not None)


def gathering(host: Range) -> Range:
    """Return the seconds of gathering a tensor, by those of a forward's operator."""
    low, middle, high = (call * walked() for call in host)
    return low, middle, high


def table_lines() -> Iterator[str]:
    """Yield the table."""
    for row, operator, tensor in shares():
        cells = [row["network"], row["part"], row["tensors"], row["operators"]]
        cells.append(f"{float(row['microseconds']) / 1e3:.2f}")
        cells += ["" if each is None else f"{each:.2f}" for each in (operator, tensor)]
        yield "| " + " | ".join(cells) + " |"

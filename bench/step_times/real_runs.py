# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Real trainings, as their authors posted them, next to what is said of their configs.

    python -m bench real_runs CONFIGS

CONFIGS is a folder outside of the repository with the option files that bench/measured/real_runs.csv names,
changed as it says. Writes bench/replayed/real_runs.csv: hours, or seconds an iteration. Needs torch where no
stored profile has a step.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from bench.commands import parser_of
from bench.measured_tables import MEASURED, REPLAYED, table, write_table

NAME: Final = "real_runs"
HOURS: Final = "hours"
COLUMNS: Final = ("run", "low", "middle", "high", "alone")
HEAD: Final = "| run | machine | measured | estimated | in the range | source |\n|---|---|--:|--:|---|---|"


def lines(configs: Path) -> Iterator[dict[str, str]]:
    """Yield what is said of each config."""
    for row in table(MEASURED, NAME):
        facts = judged(configs / row["file"], row["target"])
        time = facts["time"]
        if time is None:
            raise SystemExit(f"{row['file']}: {facts['missing']['time']}")
        values = time["total_hours" if row["unit"] == HOURS else "step_seconds"]
        if values is None:
            raise SystemExit(f"{row['file']} does not say how long the run is")
        low, middle, high = (f"{value:.4g}" for value in values)
        alone = time["loading"] is None or not time["loading"]["cores_known"]
        yield {"run": row["run"], "low": low, "middle": middle, "high": high, "alone": str(alone).lower()}


def judged(config: Path, target: str) -> dict[str, Any]:
    """Return the facts of a config's first job, as the command has them."""
    command = [sys.executable, "-m", "trainlint", str(config), "-t", target, "--launcher", "torchrun"]
    done = subprocess.run(  # noqa: S603 - ourselves
        [*command, "--format", "json"], capture_output=True, text=True, check=False
    )
    facts: dict[str, Any] = json.loads(done.stdout)["results"][0]["facts"]
    return facts


def compared() -> list[tuple[Mapping[str, str], Mapping[str, str]]]:
    """Return [(measured, said)] of the runs that were judged."""
    said = {row["run"]: row for row in table(REPLAYED, NAME)}
    return [(row, said[row["run"]]) for row in table(MEASURED, NAME) if row["run"] in said]


def is_inside(measured: Mapping[str, str], said: Mapping[str, str]) -> bool:
    """Say whether the middle of what was measured lies in the range."""
    middle = (float(measured["low"]) + float(measured["high"])) / 2
    return float(said["low"]) <= middle <= float(said["high"])


def table_lines() -> Iterator[str]:
    """Yield the table of real runs."""
    for measured, said in compared():
        unit = "h" if measured["unit"] == HOURS else "s"
        low, high = measured["low"], measured["high"]
        took = low if low == high else f"{low} to {high}"
        estimate = f"{said['low']} to {said['high']} {unit} (middle {said['middle']})"
        inside = "yes" if is_inside(measured, said) else "no"
        run, machine, source = measured["run"], measured["target"], measured["source"]
        yield f"| {run} | {machine} | {took} {unit} | {estimate} | {inside} | {source} |"


def main() -> None:
    """Judge the configs, and print the table."""
    parser = parser_of(__doc__)
    parser.add_argument("configs", type=Path)
    options = parser.parse_args()
    write_table(REPLAYED, NAME, COLUMNS, lines(options.configs))
    print(HEAD, *table_lines(), sep="\n")

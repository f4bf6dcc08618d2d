# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Holds trainlint's figures against trainers' own programs that ran on an H100; docs/accuracy_own_runs.md.

    python -m bench own_runs [--only TEXT] [--page]

The runs are in bench/measured/h100_finetune.csv: trainers' own programs as they are, which
bench/finetune/metered.py started. Needs torch, transformers, peft and diffusers; a new step takes some ten
seconds. `--page` writes the page.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from msgspec import Struct

from bench import ROOT
from bench.commands import parser_of
from bench.finetune.comparison import Compared, UnjudgedError, compared
from bench.finetune.measured_row import Row

TABLE: Final = ROOT / "bench" / "measured" / "h100_finetune.csv"
PAGE: Final = ROOT / "docs" / "accuracy_own_runs.md"
TEMPLATE: Final = Path(__file__).with_name("own_runs.md")
CARD: Final = "h100-80gb"
FILES: Final = {
    "LLaMA-Factory": "config.yaml", "axolotl": "config.yaml", "TRL": "train.sh", "diffusers": "train.sh",
    "sd-scripts": "train.sh", "ai-toolkit": "config.yaml",
}  # fmt: skip
"""What a program's input is, by the file that trainlint is given."""
READINGS: Final = {"1.3": "TRL 0.26 to 1.6", "1.8": "TRL 1.7 to 1.12", "1.16": "TRL since 1.15"}
"""The reading that each release of TRL is of."""
WITHOUT_FLASH: Final = "without FlashAttention"
"""The reading of a model that asks for it, where a program may do without: it was not installed."""
OUTCOMES: Final = ("ran", "out of memory", "out of memory while loading")
GIB: Final = 2**30


class Run(Struct, frozen=True):
    """What was measured of one input, in bytes.

    `loading` until the first update, with what the loading takes, `allocated` and `reserved` after it; `ran`
    and `failed` are limits of torch's memory, `loads` those with which the weights could not be loaded.
    """

    name: str
    program: str
    text: str
    trl: str
    loading: int
    allocated: int
    reserved: int
    ran: tuple[int, ...] = ()
    failed: tuple[int, ...] = ()
    loads: tuple[int, ...] = ()


def runs() -> Iterator[Run]:
    """Yield the runs of the table, each with what ran of it under a limit."""
    with TABLE.open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    limits: Mapping[tuple[str, str], list[int]] = defaultdict(list)
    for row in table:
        if row["limit"]:
            limits[row["name"], row["outcome"]].append(int(row["limit"]))
    for row in table:
        if not row["limit"]:
            loading, allocated, reserved = (int(row[name]) for name in ("loading", "allocated", "reserved"))
            ran, failed, loads = (tuple(limits[row["name"], outcome]) for outcome in OUTCOMES)
            measured = (loading, allocated, reserved, ran, failed, loads)
            yield Run(row["name"], row["program"], row["input"], row["trl"], *measured)


def judged(run: Run) -> Compared | None:
    """Judge a run's input as a user's file is, on its card; None where memory is not judged."""
    row = Row(run.name, run.program, "", run.text, CARD, run.allocated)
    wanted = (READINGS[run.trl.rpartition(".")[0]],) if run.trl else (WITHOUT_FLASH, "")
    try:
        readings = (one for name in wanted for one in compared(row, FILES[run.program], name))
        return next((one for one in readings if not one.reading), None)
    except UnjudgedError:
        return None


def lines(found: Sequence[tuple[Run, Compared]]) -> list[str]:
    """Return a table with a line for each run."""
    table = [
        "| run | allocated GiB | trainlint | error | reserved GiB | trainlint | error | while loading GiB |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for run, ours in found:
        live, reserved = ours.live / run.allocated, ours.reserved / run.reserved
        table.append(
            f"| {run.program}: {run.name} | {run.allocated / GIB:.3f} "
            f"| {ours.live / GIB:.3f} | {100 * (live - 1):+.2f} % "
            f"| {run.reserved / GIB:.3f} | {ours.reserved / GIB:.3f} | {100 * (reserved - 1):+.1f} % "
            f"| {run.loading / GIB:.2f} |"
        )
    return table


def limited(found: Sequence[tuple[Run, Compared]]) -> list[str]:
    """Return a table of the limits: what is needed lies between those that did not do and those that did."""
    table = [
        "| run | torch's memory with which it ran out, GiB | trainlint: needs | with which it ran |",
        "|---|--:|--:|--:|",
    ]
    for run, ours in found:
        if run.ran or run.loads:
            out = f"{max(run.failed) / GIB:.2f}" if run.failed else ""
            if not run.ran:
                out = f"{max(run.loads) / GIB:.2f}, while loading"
            needs, ran = (ours.least - ours.context) / GIB, f"{min(run.ran) / GIB:.2f}" if run.ran else ""
            table.append(f"| {run.name} | {out} | {needs:.2f} | {ran} |")
    return table


def summary(found: Sequence[tuple[Run, Compared]]) -> list[str]:
    """Return a table with a line for each program."""
    table = [
        "| program | runs | allocated: median | worst | reserved: median | worst |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for program in FILES:
        of = [(run, ours) for run, ours in found if run.program == program]
        live = [100 * abs(ours.live / run.allocated - 1) for run, ours in of]
        reserved = [100 * abs(ours.reserved / run.reserved - 1) for run, ours in of]
        if of:
            table.append(
                f"| {program} | {len(of)} | {median(live):.2f} % | {max(live):.2f} % "
                f"| {median(reserved):.2f} % | {max(reserved):.2f} % |"
            )
    return table


def main() -> int:
    """Compare, print, and write the page where it is asked for."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", default="", help="runs with this in their names")
    parser.add_argument("--page", action="store_true", help=f"write docs/{PAGE.name}")
    options = parser.parse_args()
    found = []
    for run in runs():
        if options.only not in f"{run.program} {run.name}":
            continue
        ours = judged(run)
        if ours is None:
            print(f"{run.program}: {run.name}: memory is not judged", flush=True)
        else:
            found.append((run, ours))
            print(lines(found[-1:])[-1], flush=True)
    parts = {
        "summary": summary(found),
        "limits": limited(found),
        "runs": lines(found),
    }
    print(*parts["summary"], sep="\n")
    if options.page:
        text = TEMPLATE.read_text(encoding="utf-8")
        for name, part in parts.items():
            text = text.replace(f"{{{name}}}", "\n".join(part))
        PAGE.write_text(text, encoding="utf-8")
    return 0

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Holds trainlint's figures of fine-tuning against published measurements; docs/accuracy_finetune.md.

    python -m bench finetune CSV [--only TEXT] [--page]

CSV is the table of measured runs (dev_finetune.csv). Each row's config is judged as a user's file is, in
every reading that it has; an error is a signed percentage of what was measured, positive where trainlint is
too high. Needs torch; a new step takes some ten seconds. `--page` writes the page.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct

from bench import ROOT
from bench.commands import parser_of
from bench.finetune.litgpt_rows import HUB, TABLES, Row, litgpt_rows
from trainlint.documents.file_format import read
from trainlint.estimate.replay.workspace import CUBLAS, CUBLAS_SM90
from trainlint.files.text_source import source_of
from trainlint.model.result import Result
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

PAGE = ROOT / "docs" / "accuracy_finetune.md"
TEMPLATE = Path(__file__).with_name("page.md")
OLD = "bitsandbytes before 0.43.2"
SHORT = "short samples"
WORKSPACES = 2
"""Of cuBLAS, which are no tensors: one for the thread of the forward, one for that of the backward."""

HOPPER = ("h100-80gb",)
"""Cards on which a workspace of cuBLAS is larger."""


class Compared(Struct, frozen=True):
    """One row's figure in one reading: live bytes, and what the smallest card would have."""

    row: Row
    reading: str
    live: int
    least: int
    capacity: int

    @property
    def error(self) -> float | None:
        """Per cent of the measured peak."""
        return None if self.row.measured is None else 100 * (self.live / self.row.measured - 1)


def compared(row: Row, path: str = "config.yaml") -> Iterator[Compared]:
    """Judge a row's config in its readings of long samples."""
    settings = Settings(target=(row.card,))
    pipeline = pipeline_for(settings, tapes_for(settings, lambda _task: None, may_trace=True))
    (document,) = read(source_of(row.config.encode(), path))
    (target,) = pipeline.targets_of(path)
    placed = [
        job for job in pipeline.readings(pipeline.jobs(document), target) if SHORT not in str(job.reading)
    ]
    for result in pipeline.judge.judge_all(placed, largest=False):
        yield _compared(row, result)


def _compared(row: Row, result: Result) -> Compared:
    if result.facts is None or result.facts.memory is None:
        raise SystemExit(f"{row.name}: {result.facts and dict(result.facts.missing)}")
    gpu = result.facts.memory.gpus[0]
    reading = OLD if OLD in str(result.variant) else ""
    return Compared(
        row,
        reading,
        gpu.allocated + WORKSPACES * (CUBLAS_SM90 if row.card in HOPPER else CUBLAS),
        gpu.least,
        gpu.capacity,
    )


def lines(found: Sequence[Compared]) -> list[str]:
    """Return a table with a line for each figure."""
    table = ["| run | measured GB | trainlint GB | error |", "|---|--:|--:|--:|"]
    for one in found:
        reading = f" ({one.reading})" if one.reading else ""
        if one.error is None:
            least, card = one.least / 10**9, one.capacity / 10**9
            table.append(
                f"| {one.row.name}{reading} | out of memory | needs a card of {least:.2f}, has {card:.2f} | |"
            )
        else:
            measured = (one.row.measured or 0) / 10**9
            table.append(
                f"| {one.row.name}{reading} | {measured:.2f} | {one.live / 10**9:.2f} | {one.error:+.2f} % |"
            )
    return table


def summed(name: str, found: Sequence[Compared]) -> str:
    """Return one line of the page's first table."""
    errors = [abs(one.error) for one in found if one.error is not None]
    if not errors:
        return f"| {name} | 0 | | |"
    return f"| {name} | {len(errors)} | {median(errors):.2f} % | {max(errors):.2f} % |"


def main() -> int:
    """Compare, print, and write the page where it is asked for."""
    parser = parser_of(__doc__)
    parser.add_argument("csv", type=Path)
    parser.add_argument("--only", default="", help="rows with this in their names")
    parser.add_argument("--page", action="store_true", help="write docs/accuracy_finetune.md")
    options = parser.parse_args()
    with options.csv.open(encoding="utf-8") as file:
        rows = [row for row in litgpt_rows(csv.DictReader(file)) if options.only in row.name]
    found = []
    for row in rows:
        found += list(compared(row))
        print(*lines(found[-1:])[2:], flush=True)
    groups = {
        "config hub, LoRA": [one for one in found if one.row.table == HUB and not one.row.quantised],
        "config hub, QLoRA": [one for one in found if one.row.table == HUB and one.reading],
        "resource tables, LoRA": [one for one in found if one.row.table == TABLES and not one.row.quantised],
        "resource tables, four bits, inputs kept": [
            one for one in found if one.row.table == TABLES and one.reading
        ],
        "resource tables, four bits, inputs let go": [
            one for one in found if one.row.table == TABLES and one.row.quantised and not one.reading
        ],
    }
    table = ["| rows | n | median error | worst |", "|---|--:|--:|--:|"]
    table += [summed(name, group) for name, group in groups.items()]
    print(*table, sep="\n")
    if options.page:
        parts = {"{summary}": table, "{runs}": lines(found)}
        text = TEMPLATE.read_text(encoding="utf-8")
        for name, part in parts.items():
            text = text.replace(name, "\n".join(part))
        PAGE.write_text(text, encoding="utf-8")
    return 0

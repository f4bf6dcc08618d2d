# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Holds trainlint's figures of fine-tuning against measured ones, and writes the page that says how far off.

Each row's config is judged as a user's file is, in every reading that it has; an error is a signed percentage
of what was measured, positive where trainlint is too high.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from msgspec import Struct

from bench.commands import parser_of
from bench.finetune.measured_row import Row
from trainlint.documents.file_format import read
from trainlint.estimate.replay.workspace import CUBLAS, CUBLAS_SM90
from trainlint.files.text_source import source_of
from trainlint.model.result import Result
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

OLD_BITSANDBYTES: Final = "bitsandbytes before 0.43.2"
WITHOUT_KERNEL: Final = "without the package xielu"
OTHER_READINGS: Final = (OLD_BITSANDBYTES, WITHOUT_KERNEL)
"""Those that are named next to a row: axolotl's guide installs that package."""
SHORT: Final = ("short samples", "short captions")
"""Readings that are no row's: what was measured had samples of more tokens."""
WORKSPACES: Final = 2
"""Of cuBLAS, which are no tensors: one for the thread of the forward, one for that of the backward."""
HOPPER: Final = ("h100-80gb",)
"""Cards on which a workspace of cuBLAS is larger."""
FEWEST_VALUES: Final = 2
"""Values that have quantiles."""

Table = Sequence[Mapping[str, str]]


class UnjudgedError(SystemExit):
    """A row whose memory is not judged, and why: it ends a comparison."""


class Compared(Struct, frozen=True):
    """One row's figures in one reading: live and reserved bytes, and what the smallest card would have."""

    row: Row
    reading: str
    live: int
    reserved: int
    least: int
    capacity: int
    context: int = 0

    @property
    def figure(self) -> int:
        """What is held against what was measured."""
        return self.reserved if self.row.reserved else self.live

    @property
    def error(self) -> float | None:
        """Per cent of the measured peak."""
        return None if self.row.measured is None else 100 * (self.figure / self.row.measured - 1)


class Page(Struct, frozen=True):
    """A page: where it is written, its template, the configs' name, and the rows that are compared.

    `parts` gives what stands in the template besides {runs}, by what was compared and the whole table.
    """

    path: Path
    template: Path
    file: str
    rows: Callable[[Table], Iterable[Row]]
    parts: Callable[[Sequence[Compared], Table], Mapping[str, Sequence[str]]]


def run(page: Page, description: str | None) -> int:
    """Compare, print, and write the page where it is asked for."""
    parser = parser_of(description)
    parser.add_argument("csv", type=Path)
    parser.add_argument("--only", default="", help="rows with this in their names")
    parser.add_argument("--page", action="store_true", help=f"write docs/{page.path.name}")
    options = parser.parse_args()
    with options.csv.open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    found: list[Compared] = []
    for row in page.rows(table):
        if options.only in row.name:
            known = len(found)
            found += compared(row, page.file)
            print(*lines(found[known:])[2:], sep="\n", flush=True)
    parts = page.parts(found, table)
    print(*parts["summary"], sep="\n")
    if options.page:
        text = page.template.read_text(encoding="utf-8")
        for name, part in (*parts.items(), ("runs", lines(found))):
            text = text.replace(f"{{{name}}}", "\n".join(part))
        page.path.write_text(text, encoding="utf-8")
    return 0


def compared(row: Row, path: str, wanted: str = "") -> Iterator[Compared]:
    """Judge a row's config in its readings of long samples, or in those of them whose name has `wanted`."""
    settings = Settings(target=(row.card,))
    pipeline = pipeline_for(settings, tapes_for(settings, lambda _task: None, may_trace=True))
    (document,) = read(source_of(row.config.encode(), path))
    (target,) = pipeline.targets_of(path)
    jobs = pipeline.jobs(document)
    if not jobs:
        raise UnjudgedError(f"{row.name}: its training program is not known")
    all_readings = pipeline.readings(jobs, target)
    readings = [job for job in all_readings if not any(short in str(job.reading) for short in SHORT)]
    placed = [job for job in readings if wanted in str(job.reading)]
    for result in pipeline.judge.judge_all(placed, largest=False):
        yield _compared(row, result)


def _compared(row: Row, result: Result) -> Compared:
    if result.facts is None or result.facts.memory is None:
        raise UnjudgedError(f"{row.name}: {result.facts and dict(result.facts.missing)}")
    gpu = result.facts.memory.gpus[0]
    reading = ", ".join(name for name in OTHER_READINGS if name in str(result.variant))
    workspace = CUBLAS_SM90 if row.card in HOPPER else CUBLAS
    live = gpu.allocated + WORKSPACES * workspace
    return Compared(row, reading, live, gpu.expect - gpu.context, gpu.least, gpu.capacity, gpu.context)


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
            figure = one.figure / 10**9
            table.append(f"| {one.row.name}{reading} | {measured:.2f} | {figure:.2f} | {one.error:+.2f} % |")
    return table


def summary(groups: Mapping[str, Sequence[Compared]]) -> list[str]:
    """Return a table with a line for each group of figures that has two."""
    table = ["| rows | n | median error | 95th percentile | worst |", "|---|--:|--:|--:|--:|"]
    for name, group in groups.items():
        errors = [abs(one.error) for one in group if one.error is not None]
        if len(errors) >= FEWEST_VALUES:
            high = quantiles(errors, n=20, method="inclusive")[-1]
            table.append(
                f"| {name} | {len(errors)} | {median(errors):.2f} % | {high:.2f} % | {max(errors):.2f} % |"
            )
    return table

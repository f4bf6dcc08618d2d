# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Holds trainlint's figures of language models against published measurements; docs/accuracy_finetune.md.

    python -m bench finetune CSV [--only TEXT] [--page]

CSV is the table of measured runs (dev_finetune.csv). Needs torch and, for axolotl's rows, transformers and
peft; a new step takes some ten seconds. `--page` writes the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench import ROOT
from bench.finetune.axolotl_rows import README, axolotl_rows, examples, why_skipped
from bench.finetune.comparison import Compared, Page, Table, run, summary
from bench.finetune.litgpt_rows import HUB, TABLES, litgpt_rows, why_left_out
from bench.finetune.measured_row import Row
from bench.finetune.torchtune_rows import TABLE as TUNE
from bench.finetune.torchtune_rows import torchtune_rows, why_not_traced

LEFT_OUT: Final[Mapping[str, str]] = {
    "peft_method_comparison": "no config that is read: PEFT's own benchmark (docs/dry-run.md has some)",
    "ms_swift_benchmark": "2023's trainer and libraries, samples of unknown lengths",
    "torchtitan": "several GPUs, whose weights are sharded (FSDP2)",
}
"""A table of language models -> why none of its rows is compared."""


def left_out(table: Table) -> Sequence[str]:
    """Return the lines that say how many rows of each table are not compared, and why."""
    whys: Counter[tuple[str, str]] = Counter()
    for row in table:
        name = row["table"]
        if name in {HUB, TABLES}:
            why = why_left_out(row)
        else:
            why = why_not_traced(row) if name == TUNE else LEFT_OUT.get(name, "")
        if why and "image" not in row["trainer"]:
            whys[row["trainer"], why] += 1
    return [
        "| rows | of | why they are not compared |",
        "|--:|---|---|",
        *(f"| {count} | {trainer} | {why} |" for (trainer, why), count in whys.items()),
    ]


def rows(table: Table) -> Iterator[Row]:
    """Yield the runs that are compared."""
    yield from litgpt_rows(iter(table))
    yield from torchtune_rows(table)
    yield from axolotl_rows(table)


def parts(found: Sequence[Compared], table: Table) -> Mapping[str, Sequence[str]]:
    """Return the summary and why the other rows of axolotl are not compared."""
    hub, tables = ([one for one in found if one.row.table == name] for name in (HUB, TABLES))
    groups = {
        "litgpt's config hub, LoRA": [one for one in hub if not one.row.quantised],
        "litgpt's config hub, QLoRA": [one for one in hub if one.reading],
        "litgpt's resource tables, LoRA": [one for one in tables if not one.row.quantised],
        "litgpt's resource tables, four bits, inputs kept": [one for one in tables if one.reading],
        "litgpt's resource tables, four bits, inputs let go": [
            one for one in tables if one.row.quantised and not one.reading
        ],
        "torchtune's README, packed": [one for one in found if one.row.table == TUNE],
        "axolotl's README files": [one for one in found if one.row.table == README and not one.reading],
    }
    skipped = [(row["config"], why) for row in examples(table) if (why := why_skipped(row))]
    return {
        "summary": summary(groups),
        "left_out": left_out(table),
        "skipped": [
            "| config | why it is not compared |",
            "|---|---|",
            *(f"| {a} | {b} |" for a, b in skipped),
        ],
    }


def main() -> int:
    """Compare, print, and write the page where it is asked for."""
    template = Path(__file__).with_name("page.md")
    page = Page(ROOT / "docs" / "accuracy_finetune.md", template, "config.yaml", rows, parts)
    return run(page, __doc__)

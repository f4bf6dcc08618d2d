# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Holds trainlint's figures of image models against SimpleTuner's sweep; docs/accuracy_image_models.md.

    python -m bench finetune_images CSV [--only TEXT] [--page]

CSV is the table of measured runs (dev_finetune.csv). Each row's config.json is judged as a user's file is; an
error is a signed percentage of what was measured, positive where trainlint is too high. Needs torch,
diffusers and peft; a new step takes some ten seconds. `--page` writes the page.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles

from bench import ROOT
from bench.commands import parser_of
from bench.finetune.measured import Compared, compared, lines
from bench.finetune.simpletuner_rows import MODELS, SWEEP, simpletuner_rows, why_skipped

PAGE = ROOT / "docs" / "accuracy_image_models.md"
TEMPLATE = Path(__file__).with_name("image_page.md")
FEWEST = 2
"""Values that have quantiles."""


def summary(found: Sequence[Compared]) -> list[str]:
    """Return a table with a line for each model, and one for all."""
    table = ["| rows | n | median error | 95th percentile | worst |", "|---|--:|--:|--:|--:|"]
    for name in (*MODELS, "all"):
        errors = [
            abs(one.error)
            for one in found
            if one.error is not None and (name == "all" or one.row.name.startswith(name))
        ]
        if len(errors) >= FEWEST:
            high = quantiles(errors, n=20, method="inclusive")[-1]
            table.append(
                f"| {name} | {len(errors)} | {median(errors):.2f} % | {high:.2f} % | {max(errors):.2f} % |"
            )
    return table


def main() -> int:
    """Compare, print, and write the page where it is asked for."""
    parser = parser_of(__doc__)
    parser.add_argument("csv", type=Path)
    parser.add_argument("--only", default="", help="rows with this in their names")
    parser.add_argument("--page", action="store_true", help="write docs/accuracy_image_models.md")
    options = parser.parse_args()
    with options.csv.open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    found: list[Compared] = []
    for row in simpletuner_rows(iter(table)):
        if options.only in row.name:
            found += compared(row, "config.json")
            print(*lines(found[-1:])[2:], flush=True)
    reasons = Counter(why_skipped(row) for row in table if row["table"] == SWEEP)
    del reasons[""]
    skipped = ["| rows | why they are not compared |", "|--:|---|"]
    skipped += [f"| {number} | {why} |" for why, number in reasons.most_common()]
    print(*summary(found), sep="\n")
    if options.page:
        text = TEMPLATE.read_text(encoding="utf-8")
        for name, part in (("{summary}", summary(found)), ("{skipped}", skipped), ("{runs}", lines(found))):
            text = text.replace(name, "\n".join(part))
        PAGE.write_text(text, encoding="utf-8")
    return 0

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Holds trainlint's figures of image models against SimpleTuner's sweep; docs/accuracy_image_models.md.

    python -m bench finetune_images CSV [--only TEXT] [--page]

CSV is the table of measured runs (dev_finetune.csv). Needs torch, diffusers and peft; a new step takes some
ten seconds. `--page` writes the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench import ROOT
from bench.finetune.comparison import Compared, Page, Table, run, summary
from bench.finetune.simpletuner_rows import MODELS, SWEEP, simpletuner_rows, why_skipped


def parts(found: Sequence[Compared], table: Table) -> Mapping[str, Sequence[str]]:
    """Return the summary, with a line for each model and one for all, and why the rest is not compared."""
    groups = {name: [one for one in found if one.row.name.startswith(name)] for name in MODELS}
    sweep = [row for row in table if row["table"] == SWEEP]
    reasons = Counter(map(why_skipped, sweep))
    del reasons[""]
    short = Counter(why_skipped(row) for row in sweep if row["oom"] == "1")
    skipped = ["| rows | of them out of memory | why they are not compared |", "|--:|--:|---|"]
    skipped += [f"| {number} | {short[why]} | {why} |" for why, number in reasons.most_common()]
    counted = f"{short.total()} of the sweep's {len(sweep)} rows, {short[''] or 'none'} of them compared"
    ran_out = f"- **Out of memory** were {counted}."
    return {"summary": summary({**groups, "all": found}), "ran_out": [ran_out], "skipped": skipped}


def main() -> int:
    """Compare, print, and write the page where it is asked for."""
    template = Path(__file__).with_name("image_page.md")
    path = ROOT / "docs" / "accuracy_image_models.md"
    page = Page(path, template, "config.json", lambda table: simpletuner_rows(iter(table)), parts)
    return run(page, __doc__)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The first page's table of errors: its row of trainlint says what the page of all runs says."""

from __future__ import annotations

import re

from bench import ROOT

RUNS = (
    "llama-2-7b, bf16, 2 x 512",
    "llama-3.1-8b, bnb.nf4, 2 x 512 (bitsandbytes before 0.43.2)",
    "llama-3.2-1b, bf16, 1 x 512",
)
"""The rows of docs/accuracy_finetune.md that the columns of the first page are, in their order."""


def test_the_errors_are_those_of_the_measured_runs() -> None:
    first, runs = ((ROOT / "docs" / name).read_text("utf-8") for name in ("index.md", "accuracy_finetune.md"))
    measured = [
        re.search(rf"^\| {re.escape(run)} \| (\S+) \| \S+ \| (\S+) % \|$", runs, re.MULTILINE) for run in RUNS
    ]
    shown = [f"{float(row[2]):+.1f} %" for row in measured if row]
    sizes = [f"{float(row[1]):.1f} GB" for row in measured if row]
    assert f"| trainlint | {' | '.join(shown)} |" in first
    head = next(line for line in first.splitlines() if line.startswith("| what you may use now"))
    assert [cell.rpartition(", ")[2].strip() for cell in head.split("|")[2:5]] == sizes

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Trace the networks of bench/measured/old_attention.csv with attention fused, written out, as in torch 1.7.

    python -m bench old_attention

Writes bench/replayed/old_attention.csv: the allocated bytes of each, in MiB as the sources count. Needs torch
and timm 0.9 or later. DeiT's main.py as its defaults have it, launched: AdamW, mixed images; EMA.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.commands import parser_of
from bench.measured_tables import MEASURED, REPLAYED, table, write_table
from trainlint.estimate.replay.gpu_ledger import Samples, ledger

VARIANTS: Mapping[str, Mapping[str, bool | str]] = {
    "fused": {},
    "eager": {"fused_attention": False},
    "old_torch": {"fused_attention": False, "old_torch": "1.9"},
}
"""The options of each column."""
COLUMNS = ("model", "batch", *VARIANTS)
MIB = 2**20


def step_of_row(row: dict[str, str], options: Mapping[str, bool | str]) -> dict[str, Any]:
    """Return a row's step, launched as DeiT's README does."""
    return {
        "recipe": "timm.train",
        "dialect": "timm",
        "networks.generator.arch": row["model"],
        "crop.lq": int(row["img_size"]),
        "precision": row["precision"],
        "ema": 0.99996,
        "losses": [{"role": "class", "type": "SoftTargetCrossEntropy"}],
        "optimizers": [{"role": "generator", "type": "AdamW"}],
        "options": {"mixup": True, **options},
        "parallel": "ddp",
    }


def allocated(row: dict[str, str], options: Mapping[str, bool | str]) -> int:
    """Return the most that torch has allocated in a row's step, MiB."""
    from trainlint.trace.trace import trace  # noqa: PLC0415 - torch, which `--help` needs not

    batch = int(row["batch"])
    book = ledger(trace(step_of_row(row, options), verify=False))
    return round(book.peak(Samples(batch, batch)).allocated / MIB)


def main() -> None:
    """Write the table."""
    parser_of(__doc__).parse_args()
    rows = [
        {**row, **{name: allocated(row, options) for name, options in VARIANTS.items()}}
        for row in table(MEASURED, "old_attention")
    ]
    write_table(REPLAYED, "old_attention", COLUMNS, rows)

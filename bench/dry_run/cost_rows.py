# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What recording costs, as `python -m bench dry_run_costs` measured it (bench/data/dry_run_costs.csv)."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, convert, to_builtins

COSTS: Final = Path(__file__).parents[1] / "data" / "dry_run_costs.csv"
PROGRAMS: Final = (
    ("recipes", "BasicSR ESRGAN x4"),
    ("measured", "litgpt finetune_lora, Llama 3.2 1B, 512 tokens"),
    ("recipes", "timm vit_small_patch16_224"),
    ("reach", "Pytorch-UNet"),
)
"""The programs of which one recording is timed, by list and name."""


class Cost(Struct, frozen=True):
    """CPU seconds: of a program's one recording, or of a network's step in a dry run and `bare` on meta.

    `imports` are those of a program's imports alone, in an interpreter without trainlint.
    """

    name: str
    seconds: float
    bare: float | None = None
    imports: float | None = None


def costs(path: Path = COSTS) -> list[Cost]:
    """Return what was measured."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        read = [{key: value for key, value in row.items() if value} for row in csv.DictReader(file)]
    return convert(read, list[Cost], strict=False)


def keep_costs(found: Sequence[Cost], path: Path = COSTS) -> None:
    """Write what was measured."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, Cost.__struct_fields__, lineterminator="\n")
        writer.writeheader()
        writer.writerows(to_builtins(each) for each in found)

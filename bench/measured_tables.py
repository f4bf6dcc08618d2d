# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The tables of measured figures (bench/measured), and of what trainlint says of the same runs (replayed)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench import ROOT

MEASURED: Final = ROOT / "bench" / "measured"
REPLAYED: Final = ROOT / "bench" / "replayed"


def table(folder: Path, name: str) -> list[dict[str, str]]:
    """Read a table of a folder."""
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_table(folder: Path, name: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a table."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What factors.toml's [loading] follows from: the rows that loading.py measured (bench/data/loading.csv)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from bench import ROOT
from bench.measured_tables import table

DATA: Final = ROOT / "bench" / "data"
KINDS: Final = ("png", "jpeg", "scaled", "shrunk")
SHARES: Final = (0.05, 0.95)
"""Nine of ten lie between these quantiles."""
Rows = Iterable[Mapping[str, Any]]


def between(ordered: Sequence[float]) -> tuple[float, float]:
    """Return the ends of nine of ten of some figures, smallest first."""
    least, most = (ordered[int(share * len(ordered))] for share in SHARES)
    return least, most


def decoding(rows: Rows) -> dict[str, tuple[float, float]]:
    """Return [loading.decode]: seconds a megapixel by what is done to an image."""
    rates: dict[str, list[float]] = {}
    for row in rows:
        rates.setdefault(str(row["what"]).partition(" ")[0], []).append(float(row["per_megapixel"] or 0))
    return {kind: between(sorted(rates[kind])) for kind in KINDS if kind in rates}


def constants() -> dict[str, tuple[float, ...]]:
    """Return the constants that follow from the committed rows, by table and key."""
    rows = table(DATA, "loading")
    fetched = {row["what"]: float(row["seconds"]) for row in rows if not row["library"]}
    return {
        "loading file": (fetched["file"],),
        "loading lmdb": (fetched["lmdb"],),
        "loading largest": (float(max(int(row["height"]) * int(row["width"]) for row in rows)),),
        **{f"loading.decode {kind}": ends for kind, ends in decoding(rows).items()},
    }

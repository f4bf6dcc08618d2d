# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Collect the figures of docs/accuracy.md from the commands accuracy, peaks and systems; kept as JSON.

Each part takes minutes, so it is kept in a folder outside the repository and run again only where it is
missing. The measurements are others' and are not committed; neither are these files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bench.accuracy.runs import A100, BRACKET_CONTEXTS, CONVERTED, LEFT_OUT_PARTS, RTX3090, Found, Tapes, runs
from bench.accuracy.timm_tapes import Row, rows_of
from bench.references import peaks, systems
from trainlint.estimate.memory.card import Share
from trainlint.estimate.replay.conversion_room import room_with_conversions
from trainlint.estimate.replay.footprint import ROOMY_RATIO, Footprint, footprint, reserved
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples
from trainlint.estimate.replay.workspace import Libraries, largest_gradient
from trainlint.tape import IN_TILES

MIB = 2**20
CEILING_BATCH = 128
"""GPUMemNet's largest batch: the flagged models that hit the card's ceiling did so here at the latest."""


class Remembering(Tapes):
    """Tapes that remember the last ledger found."""

    last: Ledger | None = None

    def find(self, row: Row, batch: int) -> Ledger | None:
        """Find a ledger, and remember it."""
        self.last = super().find(row, batch)
        return self.last


def need_of(book: Ledger, samples: Samples, used: Libraries) -> Found:
    """Return a ledger's footprint without context, in bytes."""
    found = footprint(book, samples, used)
    return {
        "live": found.live.allocated,
        "segments": found.segments,
        "reserved": found.reserved,
        "spike": found.spike,
        "largest": largest_gradient(book, samples) if used.benchmark else 0,
    }


def need(tapes: Remembering, batch: int) -> Found:
    """Return the last ledger's footprint on GPUMemNet's card without context, and without each of WITHOUT."""
    samples, used = Share(batch, batch).samples, A100.libraries
    book = tapes.last
    if book is None:
        raise LookupError("no ledger was found before")
    without = _without(book, samples, footprint(book, samples, used))
    return need_of(book, samples, used) | {"without": dict(zip(LEFT_OUT_PARTS, without, strict=True))}


def _without(book: Ledger, samples: Samples, found: Footprint) -> Iterator[int]:
    """Yield what is reserved without each of WITHOUT."""
    used = A100.libraries
    keys = {op.key for _, op, _ in book.ops}
    flat = replace(used, tiles=0)
    tiled = keys & set(IN_TILES.values())
    yield reserved(book, samples, flat, cudnn=True) if tiled else found.reserved
    yield reserved(book, samples, used)


def gpumemnet(tapes: Remembering, rows: Sequence[Row]) -> Found:
    """Return the runs, and what the flagged models need at the largest batch."""
    found: list[Found] = []
    ceiling: dict[str, Found] = {}
    for row in rows:
        found += [
            asdict(run) | need(tapes, run.batch) | {"fake": float(row["faketensor_mib"] or 0) * MIB}
            for run in runs(tapes, [row])
        ]
        if "larger-batch-hits-ceiling" in row["flags"] and tapes.find(row, CEILING_BATCH):
            ceiling[row["model"]] = need(tapes, CEILING_BATCH)
    return {"rows": len(rows), "runs": found, "ceiling": ceiling, "missing": sorted(tapes.missing)}


def brackets(tapes: Tapes, measured: Path, part: str) -> list[Found]:
    """Return the brackets: the segments at both ends, and which contexts leave room for the step."""
    found: list[Found] = []
    for row in rows_of(measured / f"{part}_timm3090.csv"):
        names: Found = {name: row[name] for name in ("model", "family", "kind", "fit_batch", "fail_batch")}
        ends = [_end(tapes, row, int(row[name])) for name in ("fit_batch", "fail_batch")]
        found.append(names | {"ends": ends})
    return found


def _end(tapes: Tapes, row: Row, batch: int) -> Found | None:
    """Return None without a tape, else the segments and {context: whether it fits} for each of CONVERTED."""
    book = tapes.find(row, batch)
    if book is None:
        return None
    samples, used = Share(batch, batch).samples, RTX3090.libraries
    least = footprint(book, samples, used).segments
    fits: dict[str, dict[int, bool]] = {name: {} for name in CONVERTED}
    for mib in BRACKET_CONTEXTS:
        room = RTX3090.capacity - mib * MIB
        plain = fits["none"][mib] = least <= room
        roomy = room >= ROOMY_RATIO * least
        fits["copies"][mib] = plain and (roomy or room_with_conversions(book, samples, used, room) == room)
    return {"segments": least, "fits": fits}


def reference_peaks(measured: Path, part: str) -> list[Found]:
    """Return a verdict per row, with the row's references."""
    file = measured / f"{part}_peaks.csv"
    return [
        asdict(peaks.judge(row))
        | {"network": row["network"], "references": {name: row[name] for name in peaks.COLUMNS if row[name]}}
        for row in peaks.rows(file)
    ]


def collect(keep: Path, folders: Sequence[Path], measured: Path, part: str = "dev") -> Found:
    """Return {part's name: its figures}, from `keep` where they are there."""
    tapes = Remembering(folders)
    parts: dict[str, Callable[[], object]] = {
        "brackets": lambda: brackets(tapes, measured, part),
        "systems": lambda: list(systems.rows()),
        "peaks": lambda: reference_peaks(measured, part),
    }
    return {name: _kept(keep / f"{name}.json", run) for name, run in parts.items()}


def _kept(path: Path, run: Callable[[], object]) -> Any:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(run()), encoding="utf-8")
        print(f"{path.name} collected", flush=True)
    return json.loads(path.read_text(encoding="utf-8"))

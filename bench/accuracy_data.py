# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Collect the figures of docs/accuracy.md by running accuracy.py, peaks.py and systems.py; kept as JSON.

Each part takes minutes, so it is kept in a folder outside the repository and run again only where it is
missing. The measurements are others' and are not committed; neither are these files.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import accuracy
import peaks
import systems
from timm_tapes import rows_of

from trainlint.estimate.card import Share
from trainlint.estimate.replay.footprint import footprint, reserved
from trainlint.estimate.run import gpu_memory

MIB = 2**20
CEILING_BATCH = 128
"""GPUMemNet's largest batch: the flagged models that hit the card's ceiling did so here at the latest."""

SPLITS = ("0", "256", "512", "768", "1024", "1048576")
"""What the held-out fits choose among, in MiB: from where a weight gradient's workspace has parts."""

BRACKET_CONTEXTS = range(1450, 2551, 100)
"""MiB of context among which the held-out fits choose: what a step takes depends on the room that it has."""


class Remembering(accuracy.Tapes):
    """Tapes that remember the last ledger found."""

    last = None

    def find(self, row, batch):
        self.last = super().find(row, batch)
        return self.last


def need(tapes, batch):
    """Return the last ledger's footprint on GPUMemNet's card, in bytes; `reserved` for each of SPLITS."""
    samples, used = Share(batch, batch).samples, accuracy.A100.libraries
    found = footprint(tapes.last, samples, used)
    figures = gpu_memory(found, accuracy.A100)
    tried = {split: replace(used, split_from=int(split) * MIB) for split in SPLITS}
    return {
        "least": figures.least,
        "worst": figures.worst,
        "segments": found.segments,
        "reserved": {split: reserved(tapes.last, samples, tried[split], cudnn=True) for split in SPLITS},
    }


def gpumemnet(tapes, measured, part):
    """Return the runs, and what the flagged models need at the largest batch."""
    rows, found, ceiling = rows_of(measured / f"{part}_gpumemnet.csv"), [], {}
    for row in rows:
        found += [asdict(run) | need(tapes, run.batch) for run in accuracy.runs(tapes, [row])]
        if "larger-batch-hits-ceiling" in row["flags"] and tapes.find(row, CEILING_BATCH):
            ceiling[row["model"]] = need(tapes, CEILING_BATCH)
    return {"rows": len(rows), "runs": found, "ceiling": ceiling, "missing": sorted(tapes.missing)}


def faketensor(measured, part):
    """Return the same runs with PyTorch's FakeTensor estimate, which the source prints beside its own."""
    return [
        {name: row[name] for name in ("model", "family", "kind", "flags")}
        | {"batch": int(row["batch"])}
        | {"measured": float(row["measured_mib"]), "expect": float(row["faketensor_mib"])}
        for row in rows_of(measured / f"{part}_gpumemnet.csv")
        if row["faketensor_mib"]
    ]


def brackets(tapes, measured, part):
    """Return the brackets with the verdicts of `least`, with other contexts too, and its segments."""
    room, found = accuracy.RTX3090.capacity - accuracy.RTX3090.context, []
    for row in rows_of(measured / f"{part}_timm3090.csv"):
        says, shares = accuracy.verdict(tapes, row)
        names = {name: row[name] for name in ("model", "family", "kind", "fit_batch", "fail_batch")}
        others = {mib: accuracy.verdict(tapes, row, mib * MIB)[0] for mib in BRACKET_CONTEXTS}
        segments = [share * room for share in shares]
        found.append(names | {"says": says, "segments": segments, "others": others})
    return found


def reference_peaks(measured, part):
    """Return a verdict per row, with the row's references."""
    file = measured / f"{part}_peaks.csv"
    return [
        asdict(peaks.judge(row))
        | {"network": row["network"], "references": {name: row[name] for name in peaks.COLUMNS if row[name]}}
        for row in peaks.rows(file)
    ]


def collect(keep, folders, measured, part="dev"):
    """Return {part's name: its figures}, from `keep` where they are there."""
    tapes = Remembering(folders)
    parts = {
        "gpumemnet": lambda: gpumemnet(tapes, measured, part),
        "brackets": lambda: brackets(tapes, measured, part),
        "systems": lambda: list(systems.rows()),
        "faketensor": lambda: faketensor(measured, part),
        "peaks": lambda: reference_peaks(measured, part),
    }
    return {name: _kept(keep / f"{name}.json", run) for name, run in parts.items()}


def _kept(path, run):
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(run()), encoding="utf-8")
        print(f"{path.name} collected", flush=True)
    return json.loads(path.read_text(encoding="utf-8"))

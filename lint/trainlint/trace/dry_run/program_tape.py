# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Recordings at several batches become one tape, without torch: the same arithmetic as a recipe's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trainlint.tape import File, Network, Tape
from trainlint.tape.step import key_of
from trainlint.trace.dry_run.steps.recorded_run import RecordedRun, read
from trainlint.trace.recording.merge import BatchPoint, Merged, NotAffineError
from trainlint.trace.recording.merge import merge as merged


def merge(
    recordings: Sequence[Path], step: Mapping[str, Any] | None = None, counts: Sequence[int] = ()
) -> Tape:
    """Return the tape of a program; `step` is what is known of its training, else the batch and the networks.

    `counts` are the samples of recordings in which no loader was seen. Where the recordings differ in more
    than sizes, the tape is for the first one's batch alone, and says why.
    """
    runs, counts = [read(path) for path in recordings], counts or [0] * len(recordings)
    runs = [run._replace(batch=run.batch or count) for run, count in zip(runs, counts, strict=True)]
    first = runs[0]
    try:
        tables, affine = _merged(runs), "exact"
    except NotAffineError as error:
        tables, affine = _merged(runs[:1]), f"not affine: {error}"
    alone = len(runs) == 1 or affine != "exact"
    known = (
        dict(step)
        if step is not None
        else {"recipe": "dry run", "networks": [n["arch"] for n in first.networks]}
    )
    return Tape(
        key=key_of(known),
        step=known,
        blocks=tables.blocks,
        ops=tables.ops,
        marks=tuple(first.marks),
        events=tables.events,
        networks=tuple(Network(**network) for network in first.networks),
        files=tuple(File(name, size) for name, size in first.files.items()),
        devices=1 + max((block.device for block in tables.blocks), default=0),
        affine=affine,
        batches=(first.batch,) if alone and first.batch else (),
        made_with=dict(first.made_with),
        notes=tuple(first.notes),
    )


def _merged(runs: Sequence[RecordedRun]) -> Merged:
    distinct: dict[int, RecordedRun] = {}
    for run in runs:
        distinct.setdefault(run.batch, run)
    points = [BatchPoint(batch, 0, 0) for batch in distinct]
    recordings: Any = list(distinct.values())  # with the fields that merging reads
    return merged(points, recordings, parallel=False, pool=False)

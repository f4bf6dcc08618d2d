# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The recording as a file: what merging needs of it, in JSON, read without torch."""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class RecordedBlock(NamedTuple):
    """One storage; the fields are those of the ledger's."""

    nbytes: int
    kind: str
    owner: str
    device: int
    stream: int


class RecordedCost(NamedTuple):
    """One kernel's work; the fields are those of the tracer's."""

    kind: str
    flops: int
    read: int
    written: int
    key: str = ""
    dtype: str = "float32"


class RecordedRun(NamedTuple):
    """One recording as it is merged."""

    events: Sequence[tuple[int, int]]
    blocks: Sequence[RecordedBlock]
    ops: Sequence[tuple[RecordedCost, int]]
    marks: Sequence[str]
    notes: Sequence[str]
    networks: Sequence[Mapping[str, Any]]
    files: Mapping[str, int]
    batch: int
    made_with: Mapping[str, str]


def written(run: RecordedRun) -> bytes:
    """Return the file's bytes."""
    blocks: dict[RecordedBlock, int] = {}
    births = [blocks.setdefault(block, len(blocks)) for block in run.blocks]
    body = {
        **run._asdict(),
        "events": ["".join("AFOM"[kind] for kind, _ in run.events), [index for _, index in run.events]],
        "blocks": list(blocks), "births": births,
        "ops": [[*cost, device] for cost, device in run.ops],
    }  # fmt: skip
    return lzma.compress(json.dumps(body, separators=(",", ":")).encode(), preset=1)


def read(path: Path) -> RecordedRun:
    """Return what a file holds."""
    body = json.loads(lzma.decompress(path.read_bytes()))
    kinds, numbers = body["events"]
    distinct = [RecordedBlock(*block) for block in body["blocks"]]
    return RecordedRun(
        events=[("AFOM".index(kind), number) for kind, number in zip(kinds, numbers)],  # noqa: B905 - Python 3.9
        blocks=[distinct[row] for row in body["births"]],
        ops=[(RecordedCost(*cost[:-1]), cost[-1]) for cost in body["ops"]],
        **{name: body[name] for name in ("marks", "notes", "networks", "files", "batch", "made_with")},
    )

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The largest batch as the user would write it, at a key that each trainer multiplies in its own way."""

from __future__ import annotations

from typing import Final

from trainlint.estimate.memory.card import Share
from trainlint.model.document import Path
from trainlint.model.facts import LargestBatch
from trainlint.model.spec import TrainSpec

FIELDS: Final = ("batch.per_gpu", "batch.per_process", "batch.total")
"""Where a batch may have been written; estimate/run/placement.py derives the others from it."""


def batch_at_key(spec: TrainSpec, share: Share, largest: int) -> LargestBatch | None:
    """Return what a placed spec may hold at its own key for `largest` samples on the fullest GPU.

    0 where even 1 there puts more samples on a GPU; None where not one sample fits, or nothing was written.
    """
    field = next((name for name in FIELDS if name in spec and spec.fields[name].origin != "derived"), None)
    if field is None or not largest:
        return None
    process = largest * share.replicas
    value = {
        "batch.per_gpu": process // _multiplied(spec),
        "batch.per_process": process,
        "batch.total": process * share.processes,
    }[field]
    loaded = value * _multiplied(spec) if field == "batch.per_gpu" else process
    paths = () if spec.fields[field].origin == "default" else spec.at(field)  # that of the mapping around it
    return LargestBatch(key_of_path(paths, "batch"), value, loaded * share.processes)


def _multiplied(spec: TrainSpec) -> int:
    """Return by how much BasicSR multiplies the batch of one GPU for the loader of one process."""
    return max(1, spec.get("gpus", 1)) if spec.get("parallel") == "dp" else 1


def key_of_path(paths: tuple[Path, ...], otherwise: str) -> str:
    """Return the name of the key: the last word of the path; `otherwise` where it is nowhere written."""
    words = [word for word in (paths[0] if paths else ()) if isinstance(word, str)]
    return words[-1] if words else otherwise

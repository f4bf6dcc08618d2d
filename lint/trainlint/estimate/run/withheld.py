# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Facts that rest on what only the shell knows are none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from trainlint.model.facts import Facts
from trainlint.model.job import Job

NO_TENSORS: Final = (
    "name", "data.", "workers.", "prefetch.batches", "pin_memory", "schedule.", "duration.", "checkpoint.",
    "log.", "resume", "pretrained.", "validation.sets",
)  # fmt: skip
"""Beginnings of the fields that no tensor of a step depends on, or only those of a validation that is unknown
without them."""

NO_COST: Final = ("name", "pretrained.", "data.root")
"""Beginnings of the fields that neither time nor disk nor the host depends on."""

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "memory": NO_TENSORS, "networks": NO_TENSORS, "time": NO_COST, "disk": NO_COST, "host": NO_COST,
}  # fmt: skip


def withheld(job: Job, facts: Facts | None) -> Facts | None:
    """Return the facts of a job without those that rest on unknown fields."""
    if facts is None or not job.unknown:
        return facts
    why = {}
    for family, spared in FAMILIES.items():
        reasons = (text for name, text in job.unknown.items() if not name.startswith(spared))
        if (reason := next(reasons, None)) is not None:
            why[family] = reason
    if not why:
        return facts
    gone: dict[str, Any] = {name: () if name == "networks" else None for name in why}
    refused = {} if "networks" in why else facts.refused
    return replace(facts, **gone, refused=refused, missing={**facts.missing, **why})

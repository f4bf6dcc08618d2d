# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a GPU's figures fit, in a word and a colour."""

from __future__ import annotations

from trainlint.model.facts import GpuMemory
from trainlint.model.finding import Outcome
from trainlint.model.result import Result
from trainlint.model.verdict import Verdict


def state_of(gpu: GpuMemory, result: Result) -> tuple[Outcome, str]:
    """Say whether a GPU's figures fit; red is only what the verdict on memory calls a fail."""
    if result.verdicts.get("memory", Verdict.NOT_JUDGED) is Verdict.NOT_JUDGED:
        return Outcome.SKIPPED, "not judged"
    if gpu.least > gpu.capacity:
        if result.verdicts["memory"] is Verdict.FAIL and gpu.expandable is None:
            return Outcome.FAIL, "does not fit"
        return Outcome.WARN, "fits if it does not fragment" if gpu.expandable else "may not fit"
    if gpu.expect > gpu.capacity:
        return Outcome.WARN, "fits only by flushing its cache"
    return (
        (Outcome.WARN, "fits, but may take all of it") if gpu.worst > gpu.capacity else (Outcome.PASS, "fits")
    )

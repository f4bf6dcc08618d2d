# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a reader asks first of a job, in one line: does it fit, up to which batch, how long, how much disk."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.model.facts import Memory
from trainlint.model.result import Result
from trainlint.model.units import disk, hours
from trainlint.model.verdict import Verdict
from trainlint.report.style import printable


def answer(result: Result, *, several: bool = False) -> str:
    """Return the answer; `several`: the job has readings, of which only what they share is said."""
    return "; ".join(_parts(result, several=several))


def _parts(result: Result, *, several: bool) -> Iterator[str]:
    facts = result.facts
    if facts is None or result.target is None:
        return
    verdict = result.verdicts.get("memory") or Verdict.NOT_JUDGED
    if facts.memory is not None and (fits := _fits(facts.memory, verdict, several=several)):
        yield fits
    if facts.time is not None and facts.time.total_hours is not None:
        yield f"about {hours(facts.time.total_hours[1])}"
    if facts.disk is not None:
        yield f"{disk(facts.disk.total)} of disk"


def _fits(memory: Memory, verdict: Verdict, *, several: bool) -> str:
    """Say whether it fits; nothing where that was not judged, or depends on the reading."""
    if verdict is Verdict.FAIL:
        most = largest(memory)
        return f"does not fit, {most} does" if most else "does not fit"
    said = {Verdict.PASS: "fits", Verdict.WARN: "" if several else "tight"}.get(
        verdict or Verdict.NOT_JUDGED, ""
    )
    most = largest(memory) if said else ""
    return f"{said}, {most}" if most else said


def largest(memory: Memory) -> str:
    """Name the largest batch that is known to fit, as the config writes it; "" where none is."""
    if memory.largest_batch == 0 or (memory.batch is not None and not memory.batch.value):
        return ""
    up_to = "of at least" if memory.largest_open else "up to"
    if memory.batch is None:
        return f"a batch {up_to} {memory.largest_batch} per GPU"
    return f"{printable(memory.batch.key)} {up_to} {memory.batch.value}"

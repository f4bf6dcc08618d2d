# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One job on one target as people read it: its readings in one place, and what they found, each finding once.

JSON keeps every reading whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trainlint.model.finding import Finding, Key, Outcome, key_of
from trainlint.model.result import Result
from trainlint.model.verdict import Verdict
from trainlint.report.memory.decisive_figure import peak

WORST_FIRST = (Outcome.UNREADABLE, Outcome.FAIL, Outcome.WARN, Outcome.SKIPPED, Outcome.PASS)


class JobBlock(Struct, frozen=True):
    """A job's `readings`, and the one that needs most of its card with the findings of all as `result`.

    Where there is one reading, it is `result` as it was.
    """

    result: Result
    readings: tuple[Result, ...]

    @property
    def tightest(self) -> str:
        """The name of the reading whose figures `result` has."""
        return next(
            (reading.variant or "" for reading in self.readings if reading.facts is self.result.facts), ""
        )

    @property
    def running(self) -> tuple[Result, ...]:
        """The readings that fit, where the one whose memory is shown runs out: time and disk are theirs."""
        if not runs_out(self.result):
            return ()
        return tuple(reading for reading in self.readings if is_judged(reading) and not runs_out(reading))


def is_judged(reading: Result) -> bool:
    """Return whether a reading's memory is judged: without that nothing says that it is better."""
    return reading.facts is not None and reading.facts.memory is not None


def runs_out(result: Result) -> bool:
    """Return whether a reading by itself is known not to fit its card, whatever can only add to it."""
    memory = result.facts.memory if result.facts is not None else None
    if memory is None or result.outcome is Outcome.UNREADABLE:
        return False
    if any(term.direction != "more" for term in memory.open):
        return False
    gpu = peak(memory)
    return gpu.least > gpu.capacity and gpu.expandable is None


def blocks(results: Iterable[Result]) -> Iterator[JobBlock]:
    """Yield sorted results by job and target."""
    for _, group in groupby(results, _job):
        readings = tuple(group)
        yield JobBlock(_merged(readings) if len(readings) > 1 else readings[0], readings)


def _job(result: Result) -> tuple[Any, ...]:
    target = result.target.name if result.target else None
    alone = () if result.variant is not None else (id(result),)
    return result.path, result.line, result.document, result.cell, target, alone


def _merged(readings: Sequence[Result]) -> Result:
    tightest = max(readings, key=_need)
    worst = min((result.outcome for result in readings), key=WORST_FIRST.index)
    return replace(
        tightest,
        variant=None,
        start=tightest.start if len({result.start for result in readings}) == 1 else None,
        outcome=worst,
        findings=tuple(_findings(readings)),
        skips=tuple(dict.fromkeys(skip for result in readings for skip in result.skips)),
        undecided=any(result.undecided for result in readings),
        verdicts={
            family: min((result.verdicts[family] for result in readings), key=list(Verdict).index)
            for family in readings[0].verdicts
        },
    )


def _need(result: Result) -> float:
    """Return how much more than its card a reading needs, in bytes; nothing where that is not known."""
    memory = result.facts.memory if result.facts is not None else None
    if memory is None:
        return float("-inf")
    figures = [*memory.gpus, *filter(None, [memory.validation])]
    return max(gpu.least - gpu.capacity for gpu in figures)


def _findings(readings: Sequence[Result]) -> Iterator[Finding]:
    """Yield every finding once, by its place in the file."""
    by_key: dict[Key, list[tuple[str, Finding]]] = {}
    for result in readings:
        for finding in result.findings:
            by_key.setdefault(key_of(finding), []).append((result.variant or "", finding))
    for same in sorted(
        by_key.values(), key=lambda named_findings: (named_findings[0][1].spans[0], named_findings[0][1].rule)
    ):
        yield _merged_finding(same, len(readings))


def _merged_finding(same: Sequence[tuple[str, Finding]], count: int) -> Finding:
    """Make one finding of a rule's in several readings: where their words differ, each names its reading."""
    first = same[0][1]
    messages = dict.fromkeys(finding.message for _, finding in same)
    if len(same) < count and len(messages) == 1:
        names = " and ".join(dict.fromkeys(name for name, _ in same))
        return replace(first, message=f"{names}: {first.message}", notes=tuple(_notes(same)))
    if len(messages) == 1:
        return replace(first, notes=tuple(_notes(same)))
    others = [f"{name}: {finding.message}" for name, finding in same[1:]]
    return replace(first, message=f"{same[0][0]}: {first.message}", notes=(*others, *_notes(same)))


def _notes(same: Sequence[tuple[str, Finding]]) -> Iterator[str]:
    """Yield the notes, those that not all readings have with the reading's name."""
    every = [set(finding.notes) for _, finding in same]
    shared = set.intersection(*every)
    yield from (note for note in same[0][1].notes if note in shared)
    for name, finding in same:
        yield from (f"{name}: {note}" for note in finding.notes if note not in shared)

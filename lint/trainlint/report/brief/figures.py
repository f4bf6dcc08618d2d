# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A job's figures for one line, and what would give those that are missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.model.facts import Facts, Memory
from trainlint.model.result import Result
from trainlint.model.units import disk, seconds
from trainlint.report.brief.batch_limits import advised_batch, batch_figures, limit_words
from trainlint.report.brief.calendar_time import hours_at_most, hours_each, length
from trainlint.report.brief.missing import (
    GPU_ALONE,
    disk_wanted,
    flags_wanted,
    measurement_wanted,
    memory_wanted,
    samples_wanted,
    time_wanted,
)
from trainlint.report.brief.reading_names import reading_words
from trainlint.report.job_block import JobBlock, runs_out
from trainlint.report.memory.decisive_figure import needed, peak
from trainlint.report.memory.memory_text import PROJECT, library_words, source_words
from trainlint.report.style import printable

ASKS: Final = {
    "memory": memory_wanted,
    "sample images": samples_wanted,
    "hours": time_wanted,
    "disk": disk_wanted,
    "flags": flags_wanted,
}
"""What a figure lacks, by its name in a list of what is missing."""
HOPELESS_TIMES: Final = 2
"""How many times a card's memory a step needs at least whose time is of no use: it never runs."""


def figures_of(block: JobBlock, *, room: int, with_disk: bool = True, short: bool = False) -> list[str]:
    """Return a job's figures for one line, the most important first; the last is the size on disk.

    `short` is for a line among others: the batch is last there. How large that may be is worked out only if
    what is before it leaves some of the `room`.
    """
    result = block.result
    facts = result.facts
    if facts is None or result.target is None:
        return []
    known = []
    if facts.memory is not None:
        known.append(f"{needed(facts.memory)}{beyond_words(facts.memory)}")
    measured = any(fact.measured for fact in (facts.memory, facts.time) if fact is not None)
    if measured:
        known.append("by your measured runs")
    if facts.time is not None and facts.time.total_hours is not None:
        first, *several = length(facts.time, result.target)
        known += [f"{first}{_alone(result, short=short)}", *several]
    elif facts.time is not None and (step := step_words(facts, short=short)):
        known.append(step)
    on_disk = list(_on_disk(facts, short=short)) if with_disk else []
    before = [*known, *on_disk] if short else known
    batches = []
    if facts.memory is not None and len(", ".join(before)) < room and not runs_out(result):
        batches = batch_figures(facts.memory, named=False)
    return [*before, *batches] if short else [*before, *batches, *on_disk]


def _on_disk(facts: Facts, *, short: bool) -> Iterator[str]:
    if facts.disk is not None:
        yield disk_words(facts.disk.total, short=short)
    if words := download_words(facts):
        yield words


def download_words(facts: Facts) -> str:
    """Say how large the base model is at the hub, "" where there is none."""
    return "" if facts.download is None else f"{disk(facts.download)} to download"


def _alone(result: Result, *, short: bool = False) -> str:
    """Say that hours leave out a loader that may be slower than the GPU."""
    words = "of GPU" if short else GPU_ALONE
    return f" {words}" if measurement_wanted(result).startswith(GPU_ALONE) else ""


def disk_words(size: int, *, short: bool = False) -> str:
    """Write what a run leaves on disk, for one line."""
    return f"{disk(size)} {'' if short else 'of '}disk"


def step_words(facts: Facts, *, short: bool = False) -> str:
    """Return how long a step takes, or a run of 1,000 images; "" where it is too far from fitting to run."""
    memory, time = facts.memory, facts.time
    if time is None or (memory is not None and never_runs(memory)):
        return ""
    if time.thousand_hours is not None:
        words = hours_each(time.thousand_hours, time.samples, short=short)
        return words if time.most_hours is None else f"{words}, {hours_at_most(time.most_hours)}"
    return f"{seconds(time.step_seconds[1])} a step"


def never_runs(memory: Memory) -> bool:
    """Return whether a step is too far from fitting to start, so that how long it takes is of no use."""
    gpu = peak(memory)
    return gpu.least > HOPELESS_TIMES * gpu.capacity


def wanted(result: Result) -> dict[str, list[str]]:
    """Return what would give what is missing, and what each of it gives: hours, disk."""
    asks: dict[str, list[str]] = {}
    for name, ask in ASKS.items():
        if words := ask(result):
            asks.setdefault(words, []).append(name)
    return asks


def listing(names: list[str]) -> str:
    """Write a list of up to three: "memory, hours and disk"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def each_wanted(block: JobBlock, *, short: bool = False) -> Iterator[str]:
    """Yield what is missing, with what gives it: "hours: how many training images? --dataset-size N".

    In `short` without the question.
    """
    for words, names in wanted(block.result).items():
        what = ", ".join(names) if short else listing(names)
        yield f"{what}: {printable(words.rpartition('? ')[2] if short else words)}"


def limit_of(reading: Result) -> str:
    """Say how large the batch may be where a reading runs out of memory; "" where that is not known.

    What makes it fit comes after it, with what the reading needs then.
    """
    memory = reading.facts.memory if reading.facts is not None else None
    if memory is None or memory.batch is None or not runs_out(reading):
        return ""
    fixed = [finding for finding in reading.findings if finding.rule == "vram-budget" and finding.fixes]
    words = limit_words(memory, advised_batch(fixed[0]) if fixed else 0)
    name = f" {reading_words(reading.variant)}" if reading.variant else ""
    edit = ""
    if fixed:
        from trainlint.report.brief.advised_edit import head_of, then  # noqa: PLC0415 - where something is wrong

        fix = fixed[0].fixes[0]
        outer_keys, key, _ = head_of(fix.summary).partition(f"{memory.batch.key}: ")
        words_of_fix = head_of(fix.summary).replace(outer_keys if key else "", "")
        edit = f"; possible fix: {words_of_fix}{then(fix.after, reading)}"
    return f"  {printable(f'{memory.batch.key}: {words}{name}')}{edit}" if words else ""


def beyond_words(memory: Memory) -> str:
    """Say what a figure leaves out, and by whose profile or library it is."""
    left = ", ".join(printable(term.what) for term in memory.uncounted)
    return f"{f', without {left}' if left else ''}{library_words(memory)}{project_words(memory)}"


def project_words(memory: Memory) -> str:
    """Say that figures are by a profile of the project, which others may have written."""
    return source_words(memory) if memory.source == PROJECT else ""

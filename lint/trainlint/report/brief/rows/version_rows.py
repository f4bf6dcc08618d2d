# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A script's published versions that need different memory, a row each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from trainlint.model.facts import Memory
from trainlint.model.finding import Outcome
from trainlint.model.result import Result
from trainlint.model.units import plural
from trainlint.report.brief.figures import listing
from trainlint.report.brief.reading_names import without_launcher
from trainlint.report.brief.rows.figure_row import Row
from trainlint.report.brief.rows.other_readings import memory_of, others_in_brackets, which_version
from trainlint.report.job_block import JobBlock, runs_out
from trainlint.report.memory.decisive_figure import needed, peak
from trainlint.report.style import printable

MOST_VERSIONS: Final = 4
MOST_RULES: Final = 2


def are_versions(block: JobBlock) -> bool:
    """Return whether published versions of a script need different memory: each has a row of its own then."""
    published = all(reading.version is not None for reading in block.readings)
    return published and len(_versions(block)) <= MOST_VERSIONS and bool(which_version(block))


def _versions(block: JobBlock) -> list[str]:
    """Return the names of a job's versions, each once, however it is started."""
    return list(dict.fromkeys(without_launcher(reading.variant or "") for reading in block.readings))


def of_version(block: JobBlock, name: str) -> JobBlock:
    """Return one version's readings, called by how they are started, with the one that needs most."""
    own = [reading for reading in block.readings if without_launcher(reading.variant or "") == name]
    readings = tuple(
        replace(reading, variant=(reading.variant or "").removeprefix(name).removeprefix(", "))
        for reading in own
    )
    return replace(block, result=max(readings, key=_short_of), readings=readings)


def _short_of(reading: Result) -> float:
    """Return how much more than its card a reading needs, in bytes."""
    memory = reading.facts.memory if reading.facts is not None else None
    return float("-inf") if memory is None else peak(memory).least - peak(memory).capacity


def on_gpus(memory: Memory, block: JobBlock) -> str:
    """Say that a version trains on fewer GPUs than the machine has: " on 1 GPU"."""
    target, used = block.result.target, len(memory.gpus)
    return f" on {plural(used, 'GPU')}" if target is not None and used < target.gpu_count else ""


def version_rows(block: JobBlock) -> Iterator[Row]:
    """Yield a row for each version but the one that is shown: what it needs, and the rules it fails."""
    for name in _versions(block) if are_versions(block) else ():
        own = of_version(block, name)
        memory = own.result.facts.memory if own.result.facts is not None else None
        if name == without_launcher(block.tightest) or memory is None:
            continue
        rules = dict.fromkeys(
            finding.rule
            for finding in block.result.findings
            if name in map(without_launcher, finding.holds_in or ()) and not finding.hint
        )
        fails = all(reading.alone is Outcome.FAIL for reading in own.readings) and rules
        state = f"stops by {listing(list(rules)[:MOST_RULES])}" if fails else "fits"
        state = "does not fit" if runs_out(own.result) else state
        said = f"{printable(name)}{on_gpus(memory, own)}: {state}{others_in_brackets(own, memory_of)}"
        yield Row("", needed(memory), said)

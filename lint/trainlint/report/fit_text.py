# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One config against many machines, as a table: does it fit, how much more would, how long, how much disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from trainlint.estimate.crop_fit import LargestCrop
from trainlint.estimate.facts import Memory
from trainlint.report.closing import headline
from trainlint.report.columns import columns_of
from trainlint.report.memory_text import peak, source_words, takes_all
from trainlint.report.result import Result
from trainlint.report.style import Style, printable
from trainlint.report.units import disk, gib, hours
from trainlint.report.unjudged import why_unjudged

HEADINGS = (
    "target", "reading", "verdict", "least", "expect", "has", "largest batch", "largest crop", "time",
    "sessions", "disk", "why",
)  # fmt: skip
WORDS = HEADINGS.index("verdict") + 1
"""How many columns, from the first, are words and no figures."""
UNJUDGED = "not judged"
"""Stands for the figures of memory where it has no verdict."""
Crops = Mapping[tuple[str, str | None], LargestCrop]
"""The largest crop by target and reading."""
NO_CROPS: Final[Crops] = MappingProxyType({})


def render_fit(results: Sequence[Result], style: Style, crops: Crops = NO_CROPS) -> Iterator[str]:
    """Yield the table of one job's results, the smallest card first."""
    ranked = sorted(results, key=_rank)
    table = [HEADINGS[:-1], *(tuple(map(printable, _row(result, crops))) for result in ranked)]
    told = [at for at in range(len(table[0])) if any(row[at] for row in table[1:])]
    words = sum(at < WORDS for at in told)
    lines = list(columns_of([[row[at] for at in told] for row in table], words))
    yield style.paint("bold", f"{lines[0]}  {HEADINGS[-1]}")
    for line, result in zip(lines[1:], ranked, strict=True):
        yield f"{style.outcome(headline(result), line)}  {_why(result)}".rstrip()


def _rank(result: Result) -> tuple[int, int, str]:
    target = result.target
    if target is None or target.gpu is None:
        return (0, 0, "")
    return (target.gpu.memory, target.gpu_count, target.name)


def _row(result: Result, crops: Crops) -> tuple[str, ...]:
    facts, target = result.facts, result.target
    cells = [
        target.name if target else "",
        printable(result.variant or ""),
        headline(result).value,
    ]
    memory = facts.memory if facts else None
    if memory is None or memory.uncounted:
        has = gib(target.gpu.memory) if target and target.gpu else "no GPU"
        cells += [UNJUDGED if why_unjudged(result) else "", "", has, ""]
    else:
        gpu = peak(memory)
        cells += [
            gib(gpu.least),
            "all" if takes_all(gpu) else gib(gpu.expect),
            gib(gpu.capacity),
            _batch(memory),
        ]
    crop = crops.get((target.name, result.variant)) if target and not (memory and memory.uncounted) else None
    cells.append(_crop(crop) if crop else "")
    time = facts.time if facts else None
    long, sessions = (time.total_hours, time.sessions) if time is not None else (None, None)
    cells += [hours(long[1]) if long else "", str(sessions[1]) if sessions else ""]
    cells.append(disk(facts.disk.total) if facts and facts.disk else "")
    return tuple(cells)


def _crop(crop: LargestCrop) -> str:
    return f"{crop.value}{'+' * crop.open}" if crop.value else f"<{crop.least}"


def _batch(memory: Memory) -> str:
    """Write the largest batch as the config would, at its own key."""
    most = memory.batch.value if memory.batch else memory.largest_batch
    if not most and memory.largest_open:
        return "?"
    return f"{most}{'+' * memory.largest_open}"


def source_of(results: Sequence[Result]) -> str:
    """Say where the figures are from (", by a profile ..."), where one of the results says it."""
    found = (source_words(result.facts.memory) for result in results if result.facts and result.facts.memory)
    return next(filter(None, found), "")


def batch_key(results: Sequence[Result]) -> str:
    """Return the key at which the config writes its batch ("" where none of the results knows)."""
    found = (result.facts.memory for result in results if result.facts and result.facts.memory)
    return next((memory.batch.key for memory in found if memory.batch), "")


def _why(result: Result) -> str:
    """Name the rules that found something, or why nothing could be said."""
    told = list(dict.fromkeys(finding.rule for finding in result.findings))
    if told:
        return printable(", ".join(told))
    return next((printable(skip.reason) for skip in result.skips), "") if result.undecided else ""

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The first thing on a page of many jobs: what each needs, what to change, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.model.facts import Facts
from trainlint.model.finding import Outcome
from trainlint.model.result import Report, Result
from trainlint.model.units import disk
from trainlint.report.brief.calendar_time import hours_each, run_hours
from trainlint.report.brief.figures import never_runs
from trainlint.report.brief.headline import reason
from trainlint.report.brief.missing import memory_wanted
from trainlint.report.brief.tally import asks
from trainlint.report.closing import headline, unknown_files
from trainlint.report.job_block import WORST_FIRST, JobBlock, blocks
from trainlint.report.memory.decisive_figure import needed
from trainlint.report.page.machines import badge
from trainlint.report.page.markup import Html, el, join, table

HEAD: Final = ("verdict", "job, why, and what to change", "memory", "time", "disk")
UNJUDGED: Final = "not judged"


def index(report: Report, jobs: Sequence[Sequence[Result]]) -> Html:
    """Return the list of a page's jobs in their order, the worst first; nothing for a single one."""
    if len(jobs) < 2:  # noqa: PLR2004 - it is on the screen
        return Html()
    rows = [_row(number, job) for number, job in enumerate(jobs)]
    missing = [el("li", line) for line in _missing(report)]
    parts = [el("h3", "What is missing"), el("ul", *missing, class_="open")] if missing else []
    return el("section", el("h3", "Jobs"), table(HEAD, rows), *parts, class_="index")


def _row(number: int, results: Sequence[Result]) -> Iterator[Html | str]:
    """Yield a job's cells: on the target, and in the reading, where it is worst."""
    worst = min(blocks(results), key=lambda block: WORST_FIRST.index(headline(block.result)))
    target = worst.result.target
    several = len({result.target.name for result in results if result.target is not None}) > 1
    on = el("small", f"on {target.name}") if several and target is not None else Html()
    yield badge(headline(worst.result))
    yield join([el("a", title_of(results[0]), href=f"#job{number}"), on, *_why(worst)])
    memory = worst.result.facts.memory if worst.result.facts is not None else None
    judged = memory is not None and not memory_wanted(worst.result)
    yield needed(memory) if memory is not None and judged else UNJUDGED
    facts = next(iter(worst.running), worst.result).facts
    yield _hours(facts) if facts is not None else UNJUDGED
    yield disk(facts.disk.total) if facts is not None and facts.disk is not None else UNJUDGED


def _hours(facts: Facts) -> str:
    """Write how long the run takes, or with 1,000 samples, where their number is not known."""
    if facts.memory is not None and never_runs(facts.memory):
        return "never runs"
    time = facts.time
    if time is not None and time.thousand_hours is not None:
        return hours_each(time.thousand_hours, time.samples)
    return run_hours(time.total_hours) if time is not None and time.total_hours is not None else UNJUDGED


def title_of(first: Result) -> str:
    """Name a job by its file, and its line where that holds several."""
    return f"{first.path}{f':{first.line}' if first.document else ''}"


def _why(worst: JobBlock) -> Iterator[Html]:
    unjudged = memory_wanted(worst.result) if worst.result.outcome is Outcome.SKIPPED else ""
    yield el("small", unjudged or reason(worst))
    if worst.result.recommended is not None:
        yield el("b", worst.result.recommended.summary.partition(" (")[0])


def _missing(report: Report) -> Iterator[str]:
    """Yield what jobs lack, with what gives it, and the files that are no training config."""
    yield from asks(report, most=None)
    yield from unknown_files(report, most=None)

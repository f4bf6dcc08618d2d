# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is said of a run as a whole: rules not judged, files in no dialect, how many of each verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from trainlint.model.finding import NO_TARGET, PART_OF_CONFIG, Outcome, Skip
from trainlint.model.result import (
    NOT_SELECTED,
    Report,
    Result,
    does_not_fit_unsaid,
    memory_known_before,
    outcome_of,
    why_unjudged,
)
from trainlint.model.units import plural
from trainlint.model.verdict import Verdict
from trainlint.report.style import Style, printable

NAMES = {
    Outcome.PASS: "pass",
    Outcome.WARN: "warn",
    Outcome.FAIL: "FAIL",
    Outcome.SKIPPED: "skip",
    Outcome.UNREADABLE: "unreadable",
}
PAGE_SUFFIXES = (".md", ".markdown", ".ipynb", ".ipy")
"""Files that hold jobs among other things."""
NO_RULES = frozenset({"unknown-dialect", "not-a-training-job"})
"""Reasons to skip a whole file, which no rule gives."""
WITH_TARGET = f"{NO_TARGET}: pass -t NAME (trainlint targets) to judge memory, disk and time"
WITH_DRY_RUN = "trainlint dry-run -- COMMAND runs one and says what it needs"
MOST_NAMES = 5
"""Rules named for one reason."""
MOST_PATHS = 5
"""Files named in a closing remark; the rest is counted."""


def _outcome(result: Result) -> Outcome:
    """Return a verdict in the text's words: hints are no warnings, as which other formats count them."""
    if result.outcome is Outcome.WARN and all(finding.hint for finding in result.findings):
        return outcome_of((), undecided=result.undecided)
    return result.outcome


def is_half_known(result: Result) -> bool:
    """Return whether memory was judged and passed, and only some other rule could not be."""
    memory = result.facts.memory if result.facts is not None else None
    known = memory is not None and not memory.open
    known = known and result.verdicts.get("memory") is not Verdict.NOT_JUDGED  # of one of its readings
    return known and _outcome(result) is Outcome.SKIPPED


def headline(result: Result) -> Outcome:
    """Return the verdict to head a result with: that of what was judged, where memory was."""
    return Outcome.PASS if is_half_known(result) else _outcome(result)


def open_memory(result: Result) -> str:
    """Return " (memory not judged)" for a verdict that would hide it."""
    why = why_unjudged(result)
    if does_not_fit_unsaid(result):
        unheard = "; vram-budget not selected" if why == NOT_SELECTED else "; vram-budget ignored"
        return f" (does not fit{', known before' if memory_known_before(result) else unheard})"
    hides = headline(result) in (Outcome.WARN, Outcome.PASS, Outcome.FAIL)
    return " (memory not judged)" if hides and why not in (None, NOT_SELECTED) else ""


READING_PREFIX: Final = "as "
"""What the name of a reading may begin with: "as in docs/train.md:3"."""


STARTED: Final = ("with ", "without ")
"""How the name of a reading begins that says how a job is started."""


def place_of(result: Result) -> str:
    """Name a result: path, line where a file holds several jobs, the command assumed, variant, target."""
    cell = f", cell {result.cell}" if result.cell is not None else ""
    line = f":{result.line}" if result.document > 0 or _stands_in_text(result) else ""
    name = (result.variant or "").removeprefix(READING_PREFIX)
    lead = ", " if name.startswith(STARTED) else ", read as "
    variant = f"{lead}{name}" if name else ""
    if result.start is not None and result.start.place not in variant:
        alone = " without further arguments" if result.start.unheard else ""
        variant = f" as {result.start.place} starts it{alone}{variant}"
    target = f" on {result.target.name}" if result.target else ""
    return f"{result.path}{line}{cell}{variant}{target}"


def _stands_in_text(result: Result) -> bool:
    """Return whether the job is a command or a block in a longer text, so that its line helps to find it."""
    origin = result.origin
    return origin is not None and (origin.format == "command" or Path(result.path).suffix in PAGE_SUFFIXES)


def reasons(skips: Iterable[Skip]) -> Iterator[str]:
    """Yield "rule, rule: reason", one line for each reason."""
    rules: dict[str, list[str]] = defaultdict(list)
    for skip in skips:
        rules[skip.reason].append(skip.rule)
    for reason, names in rules.items():
        yield f"{_few(sorted(set(names)))}: {printable(reason)}"


def _few(names: Sequence[str]) -> str:
    """List names, or the first of many and how many more there are."""
    names = [printable(name) for name in names]
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[: MOST_NAMES - 1])} and {len(names) - MOST_NAMES + 1} more rules"


def _reasons_by_job(results: Iterable[Result]) -> Iterator[str]:
    """Yield " in PATH: rule, rule: reason", or how many jobs where a reason holds for several."""
    jobs: dict[str, list[Result]] = defaultdict(list)
    rules: dict[str, set[str]] = defaultdict(set)
    for result in results:
        for skip in result.skips:
            reason = PART_OF_CONFIG if result.is_part and skip.reason != NO_TARGET else skip.reason
            jobs[reason].append(result)
            rules[reason].add(skip.rule)
    rules.pop(NO_TARGET, None)  # it holds for every job, and has a line of its own
    for reason, names in rules.items():
        places = dict.fromkeys(place_of(replace(result, variant=None)) for result in jobs[reason])
        place = place_of(jobs[reason][0]) if len(jobs[reason]) == 1 else next(iter(places))
        where = place if len(places) == 1 else f"{len(places)} jobs"
        yield f" in {printable(where)}: {_few(sorted(names))}: {printable(reason)}"


def remarks(report: Report, style: Style) -> Iterator[str]:
    """Yield what is true of the run as a whole: rules not judged, files not recognised, notes."""
    unjudged_jobs = [
        result for result in report.results if result.outcome is not Outcome.SKIPPED or is_half_known(result)
    ]
    for line in _reasons_by_job(unjudged_jobs):
        yield style.paint("dim", f"not judged{line}")
    if any(skip.reason == NO_TARGET for result in report.results for skip in result.skips):
        yield WITH_TARGET
    yield from (style.paint("dim", f"note: {printable(note)}") for note in report.notes)
    yield from (style.paint("dim", line) for line in unknown_files(report))


def unknown_files(report: Report, most: int | None = MOST_PATHS) -> Iterator[str]:
    """Yield the programs that no dialect knows, with what judges them, and the files that are no config."""
    if report.programs:
        started = [f"{script} ({_first(paths)})" for script, paths in report.programs.items()]
        yield f"programs that trainlint does not know: {_shown(started, most)}: {WITH_DRY_RUN}"
    if report.unrecognised:
        yield f"no training config: {_shown(report.unrecognised, most)}"


def _first(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {plural(len(paths) - 1, 'other file')}"


def _shown(words: Sequence[str], most: int | None) -> str:
    more = len(words) - len(words[:most])
    return ", ".join(map(printable, words[:most])) + (f" and {more} more" if more else "")


def summary(report: Report, style: Style) -> str:
    """Return the last lines: how many jobs of each outcome, and how many have no verdict on memory."""
    from trainlint.report.unjudged_memory import jobs_of  # noqa: PLC0415 - not on a first screen

    jobs = jobs_of(report)
    half = sum(map(is_half_known, jobs))
    counts = Counter(headline(result) for result in jobs)
    counts[Outcome.PASS] -= half
    parts = [
        style.outcome(outcome, f"{counts[outcome]} {NAMES[outcome].lower()}")
        for outcome in (Outcome.FAIL, Outcome.UNREADABLE, Outcome.WARN, Outcome.SKIPPED, Outcome.PASS)
        if counts[outcome]
    ]
    if half:
        parts.append(style.outcome(Outcome.PASS, f"{half} pass as far as judged"))
    if report.crashes:
        parts.append(style.paint("red", plural(len(report.crashes), "internal error")))
    files = plural(report.files, "file")
    return f"{', '.join(parts) or 'nothing judged'} ({files}){_without_memory(jobs)}"


def _without_memory(jobs: Sequence[Result]) -> str:
    """Say how many jobs have no verdict on memory, by reason, the commonest first."""
    from trainlint.report.unjudged_memory import unjudged  # noqa: PLC0415 - as above

    unjudged_memory = unjudged(jobs)
    if not unjudged_memory:
        return ""
    reasons = ", ".join(
        f"{printable(reason)} ({count})" for reason, count in unjudged_memory.most_common(MOST_NAMES)
    )
    more = len(unjudged_memory) - MOST_NAMES
    judged = sum(result.target is not None for result in jobs)
    tail = f" and {plural(more, 'more reason')}" if more > 0 else ""
    return f"; memory not judged of {unjudged_memory.total()} of {plural(judged, 'job')}: {reasons}{tail}"


def aside(report: Report) -> str:
    """Return what the formats that print findings alone leave unsaid: why nothing was judged, or nothing."""
    if report.results or report.crashes:
        return ""
    return "\n".join((*remarks(report, Style()), summary(report, Style())))

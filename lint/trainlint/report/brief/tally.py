# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The last line: how many findings of which kind, and how many an edit fixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trainlint.model.finding import NO_TARGET, UNTRIED, Key, Outcome, key_of
from trainlint.model.result import Report, Result
from trainlint.model.units import plural
from trainlint.report.brief.figures import listing, wanted
from trainlint.report.brief.missing import IN_OPTIONS, WITH_TARGET
from trainlint.report.brief.remark import Remark, remarks_of
from trainlint.report.brief.severity import COLOURS, Severity
from trainlint.report.closing import NAMES, NO_RULES, headline, unknown_files
from trainlint.report.job_block import JobBlock, blocks
from trainlint.report.style import Style, printable

MOST_ASKS = 4
"""Lines of what many jobs lack."""


def asks(report: Report, most: int | None = MOST_ASKS) -> Iterator[str]:
    """Yield what many jobs lack, and what gives it, once for all of them; the commonest, where not all."""
    jobs = [block for block in blocks(report.results) if block.result.facts is not None]
    started = any(block.result.start is not None for block in jobs)  # with the option file, which is judged
    counts: Counter[str] = Counter()
    lacking: dict[str, Counter[str]] = {}
    where: dict[str, JobBlock] = {}
    of_epochs: set[str] = set()
    for block in jobs:
        for ask, names in wanted(block.result).items():
            counts[ask] += 1
            where[ask] = block
            lacking.setdefault(ask, Counter()).update(names)
            of_epochs |= {ask} if "hours" in names and _has_hours_each(block) else set()
    for ask, count in counts.most_common(most):
        if not (started and ask.endswith(IN_OPTIONS)):
            hours = "; hours above are for all epochs" if ask in of_epochs else ""
            many = f" ({plural(count, 'job')}{hours})" if count > 1 else ""
            of = f" of {_place(where[ask], report)}" if count == 1 < len(jobs) else ""
            yield f"{_lacked(lacking[ask], count)}{printable(of)}: {printable(ask)}{many}"


def _lacked(times: Counter[str], count: int) -> str:
    """Name what all of so many jobs lack, and what some of them do: "hours, and disk of 3"."""
    of_all = [name for name, number in times.items() if number == count]
    some = {name: number for name, number in times.items() if number < count}
    parts = [listing(of_all)] if of_all else []
    return ", and ".join([*parts, *(f"{name} of {number}" for name, number in some.items())])


def _has_hours_each(block: JobBlock) -> bool:
    """Return whether a job's line has the hours of a run with 1,000 samples."""
    time = block.result.facts.time if block.result.facts is not None else None
    return time is not None and time.thousand_hours is not None


def _place(block: JobBlock, report: Report) -> str:
    result = block.result
    if report.files > 1 or result.start is not None:  # an option file that a command of the page starts
        return result.path
    return f"line {result.line}" if result.cell is None else f"cell {result.cell}"


def _job(result: Result) -> tuple[str, int]:
    """Tell a file's jobs apart: an option file may have one on the line of the command that starts it."""
    return result.path, result.line


def closing(report: Report, style: Style) -> Iterator[str]:
    """Yield what is true of the run as a whole, and the last line."""
    if style.overview and any(skip.reason == NO_TARGET for result in report.results for skip in result.skips):
        yield f"memory, time and disk not judged: {WITH_TARGET}"
    elif style.overview or len({_job(block.result) for block in blocks(report.results)}) > 1:
        yield from asks(report)
    yield from (style.paint("dim", f"note: {printable(note)}") for note in report.notes)
    yield from (style.paint("dim", line) for line in unknown_files(report))
    yield tally(report, style)


def tally(report: Report, style: Style) -> str:
    """Return the last line."""
    readable = [block for block in blocks(report.results) if block.result.outcome is not Outcome.UNREADABLE]
    remarks = [remark for block in readable for remark in remarks_of(block)]
    narrowed = any(block.result.narrowed for block in readable)
    parts = [_counted(remarks, style, narrowed=narrowed)] if readable else []
    if readable and not remarks:
        parts = [_nothing_found(readable) or parts[0]]
    if others := _unselected(readable):
        parts.append(f"errors of rules that are not selected: {', '.join(others)}")
    if ignored := len({key for block in readable for key in _ignored(block)}):
        parts.append(f"{ignored} ignored")
    if fixable := _fixable([block for block in readable if block.result.editable]):
        parts.append(fixable)
    parts += _outcomes(report, style)
    return ", ".join(parts) or "nothing judged"


def _nothing_found(readable: list[JobBlock]) -> str:
    """Say that no findings is not to say that all is well: of what is no job, or was not judged; else ""."""
    if all(map(_is_no_job, readable)):
        return "no job in it, the example was judged" if readable[0].result.example else "nothing judged"
    skipped = all(headline(block.result) is Outcome.SKIPPED for block in readable)
    narrowed = any(block.result.narrowed for block in readable)
    return "no findings as far as it was judged" if skipped and not narrowed else ""


def _unselected(judged: list[JobBlock]) -> list[str]:
    """Return the rules that were not selected and that some job fails by in all of its readings."""
    failing = (
        name
        for block in judged
        for name in block.readings[0].unselected
        if all(name in reading.unselected for reading in block.readings)
    )
    return sorted({printable(name) for name in failing})


def _ignored(block: JobBlock) -> Iterator[tuple[str, str | None, Key]]:
    """Yield what comments and settings hide of a job, on its target."""
    target = block.result.target.name if block.result.target is not None else None
    for reading in block.readings:
        yield from ((block.result.path, target, key_of(finding)) for finding in reading.ignored)


def _is_no_job(block: JobBlock) -> bool:
    """Return whether nothing was looked for, as no training is in the file."""
    return any(skip.rule in NO_RULES for skip in block.result.skips)


def _counted(remarks: list[Remark], style: Style, *, narrowed: bool) -> str:
    if not remarks:
        return "no findings of the selected rules" if narrowed else "no findings"
    counts = Counter(remark.severity for remark in remarks)
    counted = ", ".join(
        style.paint(COLOURS[severity], plural(counts[severity], severity.value))
        for severity in Severity
        if counts[severity]
    )
    return f"{plural(len(remarks), 'finding')} ({counted})"


def _fixable(written: list[JobBlock]) -> str:
    """Count what an edit fixes. Where not all jobs of a page were tried, say that the option tries each."""
    remarks = [remark for block in written for remark in remarks_of(block)]
    writable = [remark.finding.writable for remark in remarks if remark.finding.writable and not remark.only]
    safe = sum(any(fix.safe for fix in fixes) for fixes in writable)
    unsafe = len(writable) - safe
    untried = any(UNTRIED in remark.finding.notes for remark in remarks)
    several = untried and len(written) > 1
    least = "at least " if untried and not several else ""
    tried = f" (of the jobs tried; it tries all {len(written)})" if several else ""
    parts = [
        f"{least}{count} fixable with {option}{tried}"
        for count, option in ((safe, "--fix"), (unsafe, "--unsafe-fixes"))
        if count
    ]
    return ", ".join(parts)


def _of_what(report: Report) -> str:
    """Say of how many jobs and targets the verdicts are, where several files have more than one each."""
    if report.files == 1:
        return ""
    jobs = len({_job(result) for result in report.results})
    targets = len({result.target.name for result in report.results if result.target is not None})
    some = f" with {jobs} jobs" if jobs > report.files else ""
    return f"{some} on {targets} targets" if targets > 1 else some


def _outcomes(report: Report, style: Style) -> Iterator[str]:
    """Yield how many jobs have which verdict, where there are several, and what could not be read."""
    counts = Counter(headline(block.result) for block in blocks(report.results))
    if counts.total() > 1 or counts[Outcome.UNREADABLE]:
        several = ", ".join(
            style.outcome(outcome, f"{counts[outcome]} {NAMES[outcome].lower()}")
            for outcome in (Outcome.FAIL, Outcome.UNREADABLE, Outcome.WARN, Outcome.SKIPPED, Outcome.PASS)
            if counts[outcome]
        )
        with_jobs = len({result.path for result in report.results})
        some = f"{with_jobs} of " if with_jobs < report.files else ""
        yield f"in {some}{plural(report.files, 'file')}{_of_what(report)}: {several}"
    if report.crashes:
        yield style.paint("red", plural(len(report.crashes), "internal error"))

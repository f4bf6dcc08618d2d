# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A result with all its figures, as a verbose reader gets it: what is wrong, and what the run needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainlint.model.facts import ASSUMED_IMAGES, ESTIMATED, LOG, Disk, Time
from trainlint.model.finding import Level, Outcome
from trainlint.model.result import Result
from trainlint.model.units import disk, hours, machine, parameters, plural, seconds, sessions_between
from trainlint.report.brief.batch_limits import largest
from trainlint.report.brief.calendar_time import run_hours
from trainlint.report.brief.headline import reason
from trainlint.report.brief.missing import measurement_wanted
from trainlint.report.closing import (
    NAMES,
    NO_RULES,
    headline,
    is_half_known,
    open_memory,
    place_of,
    reasons,
)
from trainlint.report.job_block import JobBlock
from trainlint.report.memory.decisive_figure import is_tight
from trainlint.report.memory.memory_text import memory_block, memory_line
from trainlint.report.style import Style, printable

if TYPE_CHECKING:
    from trainlint.model.finding import Edit

INDENT = 4
"""Columns that a finding's lines are moved in, and those of an ellipsis at both ends of one that is cut."""

ITERATION = "1000000"
"""The iteration in the names of files that recipes save."""

LEAST_SHARE = 0.02
"""Share of a run's time that is worth a word: its two digits show no less."""


def render_block(block: JobBlock, style: Style) -> Iterator[str]:
    """Yield one job's lines on one target: a single one when there is nothing to do."""
    if len(block.readings) == 1:
        yield from render_result(block.result, style)
        return
    lines = [f"      {line}" for line in _readings(block.readings, style)]
    head, *rest = render_result(block.result, style, block.tightest, reason(block))
    if headline(block.result) is Outcome.PASS:
        yield from (head.partition("  ")[0] + "  " + printable(place_of(block.result)), *lines, *rest)
        return
    about_lines = rest[:1] if rest and rest[0].strip() == printable(about(block.result)).strip() else []
    yield from (head, *about_lines, *lines, *rest[len(about_lines) :])


def _readings(readings: Sequence[Result], style: Style) -> Iterator[str]:
    """Yield a line for each reading, its verdict and its figures; a single one where no target parts them."""
    if readings[0].target is None and len({headline(result) for result in readings}) == 1:
        names = ", ".join(printable(result.variant or "") for result in readings)
        yield f"read in {len(readings)} ways, alike without a target: {names}"
        return
    width = max(len(printable(result.variant or "")) for result in readings)
    for result in readings:
        outcome = headline(result)
        name = f"{printable(result.variant or ''):<{width}}"
        yield f"{name}  {style.outcome(outcome, NAMES[outcome])}  {_figures(result, style)}".rstrip()


def render_result(result: Result, style: Style, reading: str = "", why: str = "") -> Iterator[str]:
    """Yield a result's lines: one when there is nothing to do; `reading` names whose figures it has.

    `why` heads it: the reason of all readings together.
    """
    outcome = headline(result)
    head = style.outcome(outcome, f"{NAMES[outcome]:<5}")
    place = f"{printable(place_of(result))}{open_memory(result)}"
    if outcome is Outcome.PASS:
        yield f"{head} {place}  {style.paint('dim', _figures(result, style))}{_unjudged(result)}".rstrip()
        yield from _findings(result, style)
        return
    if result.outcome is Outcome.SKIPPED and {skip.rule for skip in result.skips} <= NO_RULES:
        why = printable("; ".join(skip.reason for skip in result.skips))
        yield f"{head} {style.paint('bold', place)}: {why}"
        return
    if result.outcome is Outcome.UNREADABLE:
        yield from _unreadable(result, style)
        return
    from trainlint.report.text.finding_text import is_quiet, quiet_line  # noqa: PLC0415 - not for what passes

    if all(is_quiet(finding) for finding in result.findings) and result.findings and not _is_tight(result):
        yield f"{head} {style.paint('bold', place)}  {style.paint('dim', _figures(result, style))}".rstrip()
        yield from (f"      {quiet_line(finding, result.source, style)}" for finding in result.findings)
        return
    said = why or reason(JobBlock(result, (result,)))
    yield f"{head} {style.paint('bold', place)}{f': {said}' if said else ''}"
    line = printable(about(result))
    if line:
        yield f"      {line}"
    yield from _findings(result, style)
    yield from _facts(result, style, reading)
    if result.outcome is Outcome.SKIPPED:
        yield from (f"      not judged: {line}" for line in reasons(result.skips))


def _unjudged(result: Result) -> str:
    """Name what could not be judged of a job whose memory passed; the reasons are below all results."""
    rules = sorted({skip.rule for skip in result.skips}) if is_half_known(result) else []
    return printable(f" (not judged: {', '.join(rules)})") if rules else ""


def _findings(result: Result, style: Style) -> Iterator[str]:
    """Yield the findings, failures first, what needs only one line last."""
    from trainlint.report.text.finding_text import is_quiet, quiet_line, render_finding  # noqa: PLC0415 - as above

    shown: set[tuple[Edit, ...]] = set()
    quiet = [finding for finding in result.findings if is_quiet(finding)]
    loud = [finding for finding in result.findings if not is_quiet(finding)]
    for finding in sorted(loud, key=lambda item: item.level is not Level.FAIL):
        yield ""
        inner = replace(style, width=style.width - INDENT) if style.terminal else style
        yield from (f"  {line}".rstrip() for line in render_finding(finding, result.source, inner, shown))
        shown |= {finding.fixes[0].edits} if finding.fixes else set()
    if quiet:
        yield ""
        yield from (f"  {quiet_line(finding, result.source, style)}" for finding in quiet)


def _is_tight(result: Result) -> bool:
    memory = result.facts.memory if result.facts is not None else None
    return memory is not None and is_tight(memory)


def _unreadable(result: Result, style: Style) -> Iterator[str]:
    """Yield what is wrong with a file, and the place where reading stopped."""
    (finding,) = result.findings
    line, column = result.source.position(finding.spans[0].start)
    head = style.outcome(result.outcome, NAMES[result.outcome])
    if (line, column) == (1, 1):
        yield f"{head} {style.paint('bold', printable(result.path))}: {printable(finding.message)}"
        return
    from trainlint.report.brief.source_excerpt import excerpt  # noqa: PLC0415 - of what cannot be read

    place = printable(f"{result.path}:{line}:{column}")
    yield f"{head} {style.paint('bold', place)}: {printable(finding.message)}"
    yield from (f"  {row}".rstrip() for row in excerpt(result.source, finding.spans, style))


def about(result: Result) -> str:
    """Name the job: its own name, dialect, networks and machine."""
    networks = ", ".join(
        f"{network.role} {network.arch} {parameters(network.parameters)}"
        for network in result.networks
        if network.parameters  # a loss that is a module without weights is no network to its user
    )
    gpus = machine(result.target) if result.target else ""
    trainer = result.trainer.words if result.trainer is not None else None
    return ", ".join(part for part in (result.name, trainer or result.dialect, networks, gpus) if part)


def _facts(result: Result, style: Style, reading: str) -> Iterator[str]:
    """Yield what the run needs, under a job that needs attention: memory in full where it is tight."""
    memory = result.facts.memory if result.facts is not None else None
    if memory is None or result.target is None or not _is_tight(result):
        figures = _figures(result, style)
    else:
        yield ""
        yield from (f"  {line}" for line in memory_block(memory, result.target, style, reading))
        figures = _rest(result)
    if figures:
        yield from ("", f"  {figures}")


def _figures(result: Result, style: Style) -> str:
    """Put a job's facts on one line."""
    memory = result.facts.memory if result.facts is not None else None
    said = memory_line(memory, drawn=style.terminal) if memory else ""
    most = largest(memory) if memory and headline(result) is Outcome.PASS else ""
    return ", ".join(part for part in (said, most, _rest(result)) if part)


def _duration(time: Time, result: Result) -> str:
    """Say how long the run takes and how sure that is; without its length, how long a step takes."""
    low, middle, high = (seconds(value) for value in time.step_seconds)
    step = f"{middle} per step" if low == high else f"{middle} per step ({low} to {high})"
    if time.total_hours is None or time.sessions is None:
        return step
    checks = _validation(time, time.total_hours[1])
    how = f", by the {time.basis}" if time.basis.startswith(LOG) else ""
    how += f", by {time.measured}" if time.measured else ""
    spread = "" if low == high else f" ({middle} per step{checks}{how}{_alone(time, result)})"
    target = result.target
    budget = target.session_budget_h if target is not None else None
    length = f" of {budget:g} h" if budget is not None else ""
    return f"{run_hours(time.total_hours)}{_sessions(time, length)}{spread}"


def _alone(time: Time, result: Result) -> str:
    """Say that the loader is in no figure, where how fast it is cannot be known or hangs on the cores.

    What would say more is named, where it could change what is said.
    """
    if wanted := measurement_wanted(result):
        return f", {wanted}"
    if time.basis != ESTIMATED or (time.loading is not None and time.loading.cores_known):
        return ""
    return ", the GPU alone"


def _validation(time: Time, total: float) -> str:
    """Say how much of the run is validation, where it is more than the last digit of the run's time."""
    if time.validation_assumed and time.validation_hours is not None:
        return f" and up to {hours(time.validation_hours[2])} of validation, {ASSUMED_IMAGES}"
    share = time.validation_hours[1] if time.validation_hours is not None else 0.0
    return f" and {hours(share)} of validation" if share > LEAST_SHARE * total else ""


def _sessions(time: Time, length: str) -> str:
    """Say how many sessions that is; at least, where what each of them loses is not known."""
    quickest, middle, slowest = time.sessions or (None, None, None)
    if time.sessions is None or middle is None:
        return f", {'perhaps ' if quickest else ''}no session{length} gets to a save"
    least = "at least " if time.save_hours is None else ""
    return f" in {least}{sessions_between(time.sessions)}{length}" if slowest != 1 else ""


def _rest(result: Result) -> str:
    """Time and disk in a few words."""
    facts = result.facts
    parts = []
    if facts is not None and facts.time is not None:
        parts.append(_duration(facts.time, result))
    if facts is not None and facts.disk is not None:
        parts.append(f"{disk(facts.disk.total)} of disk for {_saves(facts.disk)}")
    return ", ".join(parts)


def _saves(kept: Disk) -> str:
    """Say what lies on the disk at the end: which files where one save is kept, and what comes last."""
    if kept.checkpoints != 1 or not (kept.final or len(kept.files) > 1):
        return plural(kept.checkpoints, "checkpoint")
    sizes = {disk(size) for size in kept.files.values()}
    size_each = f" of {sizes.pop()} each" if len(sizes) == 1 and len(kept.files) > 1 else ""
    last = f", and {disk(kept.final)} at the end" if kept.final else ""
    names = " and ".join(kept.files).replace(ITERATION, "N")
    return f"{names}{size_each}{last}"

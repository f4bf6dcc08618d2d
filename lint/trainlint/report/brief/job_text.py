# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One job on one target on the first screen: headline, figures, errors in full, warnings in a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainlint.model.finding import Outcome
from trainlint.model.result import Result, does_not_fit_unsaid
from trainlint.model.units import disk, plural
from trainlint.postponed import Postponed
from trainlint.report.brief import figures
from trainlint.report.brief.headline import CUT_MARK, REASON_LIMITS, known_before, names_of, reason, title
from trainlint.report.brief.line_folding import folded, packed
from trainlint.report.brief.missing import IN_OPTIONS, asked, memory_wanted, time_wanted
from trainlint.report.brief.reading_names import AS_IN, are_launches, without_launcher
from trainlint.report.brief.remark import remarks_of
from trainlint.report.brief.severity import Severity
from trainlint.report.closing import NAMES, NO_RULES, headline, open_memory, place_of
from trainlint.report.job_block import WORST_FIRST, JobBlock, blocks
from trainlint.report.style import Style, as_shown, printable

if TYPE_CHECKING:
    from trainlint.model.trainer import Version
    from trainlint.report.brief.complaint import Complaint

MOST_LINES = 25
"""Lines of a failing job, the closing line and the empty one before it included."""
CLOSING_LINES = 2
MAIN_FIGURES = 2
"""Figures of a passing job that go before hints: memory and hours, where these are known."""
LEAST_FINDINGS = 1
"""Findings that are shown in full, whatever room they take."""
MOST_APPLIED = 3
"""Rules whose edits are offered at once."""
MOST_READINGS = 4
"""Readings whose names are offered: no trainer has more versions that differ."""


def render_job(block: JobBlock, style: Style) -> Iterator[str]:
    """Yield a job's lines: one where nothing is wrong."""
    result = block.result
    outcome = headline(result)
    if outcome is Outcome.PASS:
        yield from _passing(block, style)
        return
    if outcome is Outcome.SKIPPED and not result.findings:
        yield from _skipped(block, style)
        return
    from trainlint.report.brief.complaint import Complaint, led  # noqa: PLC0415 - where something is wrong

    remarks = remarks_of(block)
    lines = list(_folded([title(block, remarks if outcome is not Outcome.SKIPPED else [], style)], style))
    if rows := list(_folded(_rows(block, style), style)):
        lines += ["", *rows]
    lines += ["", *example_lines(block, style)]
    room = MOST_LINES - CLOSING_LINES - len(lines)
    lines += _findings(led([Complaint(remark, result) for remark in remarks]), room, block, style)
    if not rows and (wanted := memory_wanted(result)):
        lines.append(f"memory, time and disk not judged: {printable(wanted)}")
    yield from _folded(lines, style)


def _passing(block: JobBlock, style: Style) -> Iterator[str]:
    """Yield the line of a job that passes: as many figures as have room, then what is missing, and hints.

    The end is cut first where not even memory and hours have room before it.
    """
    lines = [_line_before(end, block, style) for end in _tails(block, style)]
    wanted = 1 if time_wanted(block.result) else MAIN_FIGURES
    least = min(wanted, max(count for count, _ in lines))
    yield next(line for count, line in lines if count >= least)


def _line_before(end: str, block: JobBlock, style: Style) -> tuple[int, str]:
    """Return the line of a passing job with `end` and the most figures by any of its names, and how many."""
    after = f"; {end}" if end else ""
    narrow = replace(style, width=max(1, style.width - len(as_shown(after))))
    rows: list[tuple[int, str]] = []
    for short in (False, True):
        if short and max(rows)[0] >= MAIN_FIGURES:
            break
        marked = does_not_fit_unsaid(block.result) or not _says_memory(end, block)
        named = [row_of(block, name, narrow, short=short, marked=marked) for name in names_of(block.result)]
        rows += [(count, f"{row}{after}") for count, row in named]
    return max(rows, key=lambda row: row[0])  # of equals the longest words and name


def _says_memory(end: str, block: JobBlock) -> bool:
    """Return whether the end of a line says that memory was not judged."""
    return end.startswith("memory") and bool(memory_wanted(block.result))


def _tails(block: JobBlock, style: Style) -> Iterator[str]:
    """Yield what may end the line of a job that passes, the most words first: what is missing, and hints."""
    asks = list(figures.each_wanted(block))
    few = list(figures.each_wanted(block, short=True))
    missing = [name for names in figures.wanted(block.result).values() for name in names]
    short = [f"{figures.listing(missing)} not judged"] if missing else []
    shortest = [f"{figures.listing(missing)}: -v"] if missing else []
    hints: list[str] = []
    counted: list[str] = []
    if remarks := remarks_of(block):
        from trainlint.report.brief.complaint import Complaint, listed  # noqa: PLC0415 - where there is something to say

        complaints = [Complaint(remark, block.result) for remark in remarks]
        hints = [listed(complaints, style)]
        counted = [f"{plural(sum(complaint.count for complaint in complaints), 'hint')}: -v"]
    for parts in ((*asks, *hints), (*few, *hints), (*few, *counted), few, short, shortest, ()):
        yield "; ".join(parts)


def rows_of(placed: Sequence[tuple[JobBlock, str]], style: Style) -> list[str]:
    """Return the lines of jobs that are listed, in short words where more of them say their disk then."""
    forms = [
        [row_of(block, place, style, short=short)[1] for block, place in placed] for short in (False, True)
    ]
    return max(
        forms,
        key=lambda rows: sum(_says_disk(block, row) for (block, _), row in zip(placed, rows, strict=True)),
    )


def _says_disk(block: JobBlock, row: str) -> bool:
    """Return whether a job's line has the size on disk, of the edited job where it is that one's line."""
    facts, advice = block.result.facts, block.result.recommended
    sizes = (
        advice.after.disk if advice is not None and advice.after is not None else None,
        facts.disk.total if facts is not None and facts.disk is not None else None,
    )
    return any(size is not None and disk(size) in row for size in sizes)


def row_of(
    block: JobBlock,
    place: str,
    style: Style,
    *,
    with_disk: bool = True,
    short: bool = False,
    naming_rest: bool = False,
    marked: bool = True,
) -> tuple[int, str]:
    """Return how many of a job's figures have room, and its line: reason and figures as they fit.

    It is no longer than the reader's, and `marked` where memory was not judged, unless what follows says so.
    """
    result, outcome = block.result, headline(block.result)
    remarks = [remark for remark in remarks_of(block) if remark.severity is not Severity.HINT]
    reasons = [
        reason(block, remarks, words, most, naming_rest=named)
        for named in ((True, False) if naming_rest else (False,))
        for words, most in REASON_LIMITS
    ]
    reasons.sort(key=lambda words: CUT_MARK in words)
    if outcome is Outcome.SKIPPED:
        reasons = reasons if reasons[0] else [_why(block)]
    mark = open_memory(result) if marked and not result.abridged else ""
    begun = f"{NAMES[outcome]:<4}  {printable(place)}{mark}"
    edit = _edit_of(block, short=short)
    room = style.width - len(f"{begun}: ")
    known = edit or figures.figures_of(block, room=room, with_disk=with_disk, short=short)
    counts: Iterable[int] = (1, 0)
    if edit:
        reasons, counts = [*reasons, ""], range(len(edit), -1, -1)
    elif outcome is Outcome.PASS and not known and time_wanted(result) == IN_OPTIONS:
        reasons = [IN_OPTIONS]
    fitting = (
        why for count in counts for why in reasons if len(_row(begun, why, known[:count])) <= style.width
    )
    why = next(fitting, reasons[-1])
    count, row = 0, _row(begun, why, ())
    while count < len(known) and len(longer := _row(begun, why, known[: count + 1])) <= style.width:
        count, row = count + 1, longer
    row = row if len(row) <= style.width else f"{row[: style.width - 1].rpartition(' ')[0].rstrip(',;:(')} …"
    return count, style.outcome(outcome, row[:4]) + row[4:]


def _edit_of(block: JobBlock, *, short: bool) -> list[str]:
    """Return the edit that makes a job fit, with what it needs then; [] where its figures say more."""
    if block.result.recommended is None or len(block.readings) > 1:
        return []
    from trainlint.report.brief.advised_edit import edit_of_row  # noqa: PLC0415 - where something is wrong

    return edit_of_row(block.result, short=short)


def jobs_words(blocks: Sequence[JobBlock]) -> str:
    """Count jobs by their verdicts, the worst first: "12 jobs: 11 FAIL, 1 pass"."""
    counts = Counter(headline(block.result) for block in blocks)
    words = ", ".join(f"{counts[outcome]} {NAMES[outcome]}" for outcome in WORST_FIRST if counts[outcome])
    return f"{plural(len(blocks), 'job')}: {words}"


def _row(begun: str, why: str, known: Sequence[str]) -> str:
    said = "; ".join(filter(None, (why, ", ".join(known))))
    return f"{begun}: {said}" if said else begun


def _why(block: JobBlock) -> str:
    return "; ".join(dict.fromkeys(printable(asked(skip.reason)) for skip in block.result.skips[:1]))


def _skipped(block: JobBlock, style: Style) -> Iterator[str]:
    """Yield why a job was not judged: on one line, or with the figures that are known."""
    result = block.result
    bare = {skip.rule for skip in result.skips} <= NO_RULES
    rows = [] if bare else list(_rows(block, style))
    if not rows:
        words = "; ".join(dict.fromkeys(skip.reason for skip in result.skips)) if bare else ""
        words = words or asked(result.skips[0].reason if result.skips else "")
        words = "; ".join(filter(None, (known_before(block), words)))
        head = style.outcome(result.outcome, NAMES[result.outcome])
        yield from _folded(
            [f"{head}  {style.paint('bold', printable(place_of(result)))}: {printable(words)}"], style
        )
        return
    yield from _folded([title(block, [], style), "", *rows], style)


def _rows(block: JobBlock, style: Style) -> Iterator[str]:
    """Yield the rows of a job's figures."""
    from trainlint.report.brief.rows.figure_rows import rows  # noqa: PLC0415 - not of what passes

    return rows(block, style)


def example_lines(block: JobBlock, style: Style) -> Iterator[str]:
    """Yield what our own example comes to on each target, where a text is prose or a part of a config."""
    result = block.result
    for like in blocks(result.example):
        target = like.result.target
        on = f" on {target.name}" if target is not None and result.target is None else ""
        why = reason(like, naming_rest=True)
        verdict = style.outcome(like.result.outcome, NAMES[headline(like.result)])
        head = f"{style.paint('bold', printable(f'{result.example_title}{on}'))}: {verdict}"
        line = f"{head}{f', {why}' if why else ''}"  # which the rows below say too
        yield from _folded([line if len(as_shown(line)) <= style.width else head], style)
        yield from _folded(_rows(like, style), style)
        limits = [figures.limit_of(reading) for reading in like.readings]
        yield from _folded(filter(None, (*limits, "; ".join(_readings(like)))), style)
        yield ""


def _findings(complaints: Sequence[Complaint], room: int, block: JobBlock, style: Style) -> Iterator[str]:
    """Yield errors, or warnings where there are none, in full as far as there is room; the rest in a line."""
    from trainlint.report.brief.complaint import listed, one_line, render  # noqa: PLC0415 - as above

    worst = complaints[0].remark.severity if complaints else Severity.HINT
    loud = [
        complaint
        for complaint in complaints
        if complaint.remark.severity is worst and worst is not Severity.HINT
    ]
    quiet = [complaint for complaint in complaints if complaint not in loud]
    last = list(_folded(_last(quiet, complaints, block, style), style))
    first = list(_folded(render(loud[0], style), style)) if loud else []
    if len(first) + len(last) + bool(last) > room:  # how many hints there are is in the closing line
        quiet = _but_hints(quiet)
        last = list(_folded(_last(quiet, complaints, block, style), style))
    room -= len(last) + bool(last)
    for index, shown_complaint in enumerate(loud):
        lines = list(_folded(render(shown_complaint, style), style))
        left = sum(len(list(_folded([one_line(complaint, style)], style))) for complaint in loud[index + 1 :])
        if index >= LEAST_FINDINGS and len(lines) + left + (index < len(loud) - 1) > room:
            each_on_a_line = [
                line for complaint in loud[index:] for line in _folded([one_line(complaint, style)], style)
            ]
            if len(each_on_a_line) <= max(room, 1):
                yield from each_on_a_line
                break
            below = list(_folded(_last(quiet, complaints, block, style, listed_above=True), style))
            rest = [*loud[index:], *quiet]
            named = list(_folded([listed(rest, style)], style))
            if len(named) + len(below) > room + len(last) + bool(last):
                named = list(_folded([listed(_but_hints(rest), style)], style))
            yield from (*named, *below)
            return
        yield from lines
        if index < len(loud) - 1:
            yield ""
        room -= len(lines) + 1
    if last and loud:
        yield ""
    yield from last


def _but_hints(complaints: Sequence[Complaint]) -> list[Complaint]:
    """Leave out hints, which the closing line counts."""
    return [complaint for complaint in complaints if complaint.remark.severity is not Severity.HINT]


def _last(
    quiet: Sequence[Complaint],
    complaints: Sequence[Complaint],
    block: JobBlock,
    style: Style,
    *,
    listed_above: bool = False,
) -> Iterator[str]:
    if quiet:
        from trainlint.report.brief.advised_edit import advised  # noqa: PLC0415 - as above
        from trainlint.report.brief.complaint import listed  # noqa: PLC0415 - as above

        if not listed_above:
            yield listed(list(quiet), style)
        for complaint in quiet:
            if complaint.leads and complaint.result.recommended is not None:
                yield advised(complaint.result.recommended, complaint.result, complaint.remark.finding.rule)
    hints = sorted((*apply_lines(complaints), *_readings(block)), key=lambda hint: len(hint) <= style.width)
    if complaints:  # long ones first: the short ones share a line
        yield from (style.paint("dim", line) for line in packed((*hints, "more: -v"), style.width))


def apply_lines(complaints: Sequence[Complaint]) -> Iterator[str]:
    """Say what writes the recommended edit, and those of other errors where they are few."""
    leading = [complaint for complaint in complaints if complaint.leads and complaint.result.recommended]
    if not leading or not leading[0].result.editable:
        return
    written = [*leading, *filter(_is_written, complaints)]
    rules = list(dict.fromkeys(complaint.remark.finding.rule for complaint in written))
    if len(rules) > MOST_APPLIED:
        written, rules = leading, [leading[0].remark.finding.rule]
    unsafe = any(_changes_training(complaint) for complaint in written)
    selected = "".join(f" --select {printable(rule)}" for rule in rules)
    yield f"apply: --fix{' --unsafe-fixes' if unsafe else ''}{selected}"


def _is_written(complaint: Complaint) -> bool:
    """Return whether --fix writes the edit of an error that the recommended edit leaves."""
    from trainlint.report.brief.complaint import goes_too, is_recommended  # noqa: PLC0415 - where something is wrong

    if complaint.leads or goes_too(complaint) or is_recommended(complaint):
        return False
    remark = complaint.remark
    return (
        remark.severity is Severity.ERROR
        and bool(remark.finding.writable)
        and not (remark.only or complaint.repeats)
    )


def _changes_training(complaint: Complaint) -> bool:
    advice = complaint.result.recommended
    if complaint.leads and advice is not None:
        return advice.changes_training
    return not complaint.remark.finding.writable[0].safe


def _readings(block: JobBlock) -> Iterator[str]:
    """Say how to settle which reading is meant."""
    names = [reading.variant or "" for reading in block.readings]
    if len(names) < 2 or _are_alike(block):  # noqa: PLR2004 - one reading leaves nothing open
        return
    if are_launches(names):
        yield "launcher known? --launcher torchrun"
        names = list(dict.fromkeys(map(without_launcher, names)))
    if len(names) > 1:
        versions = {
            without_launcher(reading.variant or ""): reading.version
            for reading in block.readings
            if reading.version is not None
        }
        by_source = any(version.in_source for version in versions.values())
        source = " --repo FOLDER of its source, or" if by_source else ""
        shown = " or ".join(_offered(name, versions.get(name)) for name in names[:MOST_READINGS])
        yield f"which {_versioned(block, versions)}is yours?{source} --reading {shown}"


def _are_alike(block: JobBlock) -> bool:
    """Return whether nothing hangs on the reading: each has the same figures, findings and advice."""
    first, *others = map(_said_of, block.readings)
    return first is not None and all(other == first for other in others)


def _said_of(reading: Result) -> tuple[object, ...] | None:
    """Return what a reading's page says; None where nothing is known of its target."""
    facts = reading.facts
    if facts is None:
        return None
    memory = None
    if facts.memory is not None:
        safe_batch = Postponed(partial(getattr, facts.memory, "safe_batch"))  # for figures that are alike
        memory = facts.memory.gpus, facts.memory.validation, safe_batch
    hours = facts.time and (facts.time.total_hours, facts.time.thousand_hours, facts.time.sessions)
    findings = [
        (finding.rule, finding.level, finding.message, finding.holds_in) for finding in reading.findings
    ]
    made = (reading.networks, reading.version)
    return made, memory, facts.model, hours, facts.disk, findings, reading.recommended


def _offered(name: str, version: Version | None) -> str:
    """Return a reading as an option takes it, and what in the source shows that it is meant."""
    return printable(f'"{name.removeprefix(AS_IN)}"{f" ({version.told_by})" if version else ""}')


def _versioned(block: JobBlock, versions: Mapping[str, Version]) -> str:
    """Name what the readings are versions of, if they are: a network, or the script that a command starts."""
    if not versions:
        return ""
    for network in block.result.networks:
        name, version, _ = network.arch.partition("@")
        if version:
            return f"{printable(name)} "
    script = next(version.script for version in versions.values())
    return f"{printable(Path(script).name) or 'version'} "


def _folded(lines: Sequence[str] | Iterator[str], style: Style) -> Iterator[str]:
    for line in lines:
        yield from folded(line, style.width)

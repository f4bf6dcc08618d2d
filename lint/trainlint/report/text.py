"""The report for people: what is wrong, where, why, and the line to change; one line for what is fine."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from trainlint.judge.finding import Edit, Finding, Fix, Level, Outcome
from trainlint.report.change import changed_lines
from trainlint.report.closing import NAMES, NO_RULES, is_half_known, place_of, reasons, remarks, summary
from trainlint.report.excerpt import excerpt
from trainlint.report.memory_text import is_tight, memory_block, memory_line
from trainlint.report.result import Report, Result
from trainlint.report.style import Style, printable
from trainlint.report.units import disk, hours, machine, parameters, plural


def render(report: Report, style: Style) -> str:
    """Return the whole report."""
    return "\n".join(_lines(report, style)) + "\n"


def _lines(report: Report, style: Style) -> Iterator[str]:
    lines_before = 0
    for result in report.results:
        block = list(render_result(result, style))
        if lines_before and max(lines_before, len(block)) > 1:
            yield ""
        yield from block
        lines_before = len(block)
    if lines_before:
        yield ""
    yield from remarks(report, style)
    yield summary(report, style)


def render_result(result: Result, style: Style) -> Iterator[str]:
    """Yield one job's lines: a single one when there is nothing to do."""
    head = style.outcome(result.outcome, f"{NAMES[result.outcome]:<5}")
    place = printable(place_of(result))
    if result.outcome is Outcome.PASS or is_half_known(result):
        yield f"{head} {place}  {style.paint('dim', _figures(result))}".rstrip()
        return
    if result.outcome is Outcome.SKIPPED and {skip.rule for skip in result.skips} <= NO_RULES:
        why = printable("; ".join(skip.reason for skip in result.skips))
        yield f"{head} {style.paint('bold', place)}: {why}"
        return
    if result.outcome is Outcome.UNREADABLE:
        yield from _unreadable(result, style)
        return
    yield f"{head} {style.paint('bold', place)}"
    line = printable(about(result))
    if line:
        yield f"      {line}"
    shown: set[tuple[Edit, ...]] = set()
    for finding in sorted(result.findings, key=lambda item: item.level is not Level.FAIL):
        yield ""
        yield from (f"  {line}".rstrip() for line in render_finding(finding, result, style, shown))
        shown |= {finding.fixes[0].edits} if finding.fixes else set()
    yield from _facts(result, style)
    if result.outcome is Outcome.SKIPPED:
        yield from (f"      not judged: {line}" for line in reasons(result.skips))


def _unreadable(result: Result, style: Style) -> Iterator[str]:
    """Yield what is wrong with a file, and the place where reading stopped."""
    (finding,) = result.findings
    line, column = result.source.position(finding.spans[0].start)
    head = style.outcome(result.outcome, NAMES[result.outcome])
    if (line, column) == (1, 1):
        yield f"{head} {style.paint('bold', printable(result.path))}: {printable(finding.message)}"
        return
    place = printable(f"{result.path}:{line}:{column}")
    yield f"{head} {style.paint('bold', place)}: {printable(finding.message)}"
    yield from (f"  {row}".rstrip() for row in excerpt(result.source, finding.spans, style))


def about(result: Result) -> str:
    """Name the job: its own name, dialect, networks and machine."""
    networks = ", ".join(
        f"{network.role} {network.arch} {parameters(network.parameters)}" for network in result.networks
    )
    gpus = machine(result.target) if result.target else ""
    return ", ".join(part for part in (result.name, result.dialect, networks, gpus) if part)


def render_finding(
    finding: Finding, result: Result, style: Style, shown: AbstractSet[tuple[Edit, ...]] = frozenset()
) -> Iterator[str]:
    """Yield a finding: message, excerpt, notes, and the fix as changed lines, unless these were `shown`."""
    colour = "red" if finding.level is Level.FAIL else "yellow"
    source = result.source
    yield f"{style.paint(colour, finding.level)}: {printable(finding.message)} [{finding.rule}]"
    line, column = source.position(finding.spans[0].start)
    yield f"{style.paint('blue', ' -->')} {printable(source.path)}:{line}:{column}"
    if source.text:
        yield from excerpt(source, finding.spans, style)
    for note in finding.notes:
        yield f"  {style.paint('blue', '=')} {printable(note)}"
    if finding.fixes and finding.fixes[0].edits in shown:
        yield f"  {style.paint('blue', '=')} fix: the same edit: {printable(finding.fixes[0].summary)}"
    elif finding.fixes:
        yield from _fix(finding.fixes[0], source.text, style)
    if finding.fixes:
        yield from (f"  {style.paint('blue', '=')} or: {printable(fix.summary)}" for fix in finding.fixes[1:])


def _fix(fix: Fix, text: str, style: Style) -> Iterator[str]:
    checked = " (checked: it passes)" if fix.verified else ""
    yield f"  {style.paint('blue', '=')} fix: {printable(fix.summary)}{checked}"
    for sign, number, line in changed_lines(text, fix.edits):
        yield style.paint(
            "red" if sign == "-" else "green", f"  {number:>5} {sign}{printable(line)}"[: style.width]
        )


def _facts(result: Result, style: Style) -> Iterator[str]:
    """Yield what the run needs, under a job that needs attention: memory in full where it is tight."""
    memory = result.facts.memory if result.facts is not None else None
    if memory is None or result.target is None or not is_tight(memory):
        figures = _figures(result)
    else:
        yield ""
        yield from (f"  {line}" for line in memory_block(memory, result.target, style))
        figures = _rest(result)
    if figures:
        yield from ("", f"  {figures}")


def _figures(result: Result) -> str:
    """Put a job's facts on one line."""
    memory = result.facts.memory if result.facts is not None else None
    return ", ".join(part for part in (memory_line(memory) if memory else "", _rest(result)) if part)


def _rest(result: Result) -> str:
    """Time and disk in a few words."""
    facts = result.facts
    parts = []
    if facts is not None and facts.time is not None:
        low, middle, high = (hours(value) for value in facts.time.total_hours)
        about = f"about {middle}" if low == high else f"about {middle} ({low} to {high})"
        sessions = facts.time.sessions[1]
        parts.append(f"{about}{f' in {sessions} sessions' if sessions > 1 else ''}")
    if facts is not None and facts.disk is not None:
        saves = plural(facts.disk.checkpoints, "checkpoint")
        parts.append(f"{disk(facts.disk.total)} of disk for {saves}")
    return ", ".join(parts)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A finding for people: what is wrong, the lines it is about, and the lines to change."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from trainlint.model.document import Source
from trainlint.model.finding import Edit, Finding, Fix, Level
from trainlint.report.brief.severity import COLOURS, severity_of
from trainlint.report.brief.source_excerpt import excerpt
from trainlint.report.change_lines import changed_lines
from trainlint.report.shown_place import shown as shown_in
from trainlint.report.style import Style, page_of, printable

GUTTER = 9
"""Characters before a changed line: its number and its sign."""


def is_quiet(finding: Finding) -> bool:
    """Say whether one line is enough: a warning about one value, with nothing to add and no edit to show."""
    return finding.level is Level.WARN and len(finding.spans) == 1 and not (finding.fixes or finding.notes)


def quiet_line(finding: Finding, source: Source, style: Style) -> str:
    """Return the line of a quiet finding, with its place and the text there."""
    seen = shown_in(source, finding.spans)
    line, column = seen.source.position(seen.spans[0].start)
    text = seen.source.line(line).strip()
    quoted = f", {printable(text)}" if len(text) <= style.width // 2 else ""
    where = f"{line}:{column}" if seen.cell is None else f"cell {seen.cell}, line {line}"
    place = style.paint("dim", f"({where}{quoted})")
    return f"{_head(finding, style)} {place}"


def render_finding(
    finding: Finding, source: Source, style: Style, shown: AbstractSet[tuple[Edit, ...]] = frozenset()
) -> Iterator[str]:
    """Yield a finding: message, excerpt, notes, and the fix as changed lines, unless these were `shown`."""
    yield _head(finding, style)
    seen = shown_in(source, finding.spans)
    yield f"{style.paint('blue', ' -->')} {printable(seen.place)}"
    if source.text:
        yield from excerpt(seen.source, seen.spans, style)
    for note in finding.notes:
        yield f"  {style.paint('blue', '=')} {printable(note)}"
    if finding.fixes and finding.fixes[0].edits in shown:
        yield f"  {style.paint('blue', '=')} fix: the same edit: {printable(finding.fixes[0].summary)}"
    elif finding.fixes:
        yield from _fix(finding.fixes[0], source.text, style)
    if finding.fixes:
        for fix in finding.fixes[1:]:
            unchecked = " (not checked)" if fix.unknown else ""
            yield f"  {style.paint('blue', '=')} or: {printable(fix.summary)}{unchecked}"
    if not style.links and (page := page_of(finding.rule)):
        yield f"  {style.paint('blue', '=')} {page}"


def _head(finding: Finding, style: Style) -> str:
    severity = severity_of(finding)
    name = f"{style.paint(COLOURS[severity], severity.value)}{style.rule(finding.rule)}"
    return f"{name}: {printable(finding.message)}"


def _fix(fix: Fix, text: str, style: Style) -> Iterator[str]:
    checked = f"not checked: {fix.unknown}" if fix.unknown else "checked"
    yield f"  {style.paint('blue', '=')} fix: {printable(f'{fix.summary} ({checked})')}"
    for sign, number, line in changed_lines(text, fix.edits, max(1, style.width - GUTTER)):
        yield style.paint(
            "red" if sign == "-" else "green", f"  {number:>5} {sign}{printable(line)}"[: style.width]
        )

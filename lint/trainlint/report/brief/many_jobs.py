# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A page of many commands: a line for each job, and what several of them have once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.model.finding import UNTRIED, Outcome
from trainlint.model.units import machine
from trainlint.report.brief.batch_limits import is_of_all_gpus
from trainlint.report.brief.complaint import Complaint, edit_at, led, listed, named_in, one_line, render
from trainlint.report.brief.job_text import apply_lines, jobs_words, rows_of
from trainlint.report.brief.line_folding import folded, packed
from trainlint.report.brief.remark import SEVERITY_ORDER, remarks_of
from trainlint.report.brief.severity import Severity
from trainlint.report.brief.short_message import said
from trainlint.report.closing import headline
from trainlint.report.job_block import JobBlock
from trainlint.report.style import Style, printable

MOST_LINES = 53
"""Lines of a page's jobs and findings: with the seven that may close the report they are 60."""
MOST_JOBS = 24
"""Jobs that have a line of their own; of more, those that fail or warn."""


def render_page(blocks: Sequence[JobBlock], style: Style) -> Iterator[str]:
    """Yield the lines of a file's jobs, and of the option files that its commands start."""
    page = next((block for block in blocks if block.result.start is None), blocks[0])
    lines = [
        *folded(_title(page, blocks, style), style.width),
        *rows_of([(block, _place(block, page)) for block in _shown(blocks)], style),
    ]
    complaints = merged(blocks)
    loud = [complaint for complaint in complaints if complaint.remark.severity is Severity.ERROR]
    loud = (
        loud or [complaint for complaint in complaints if complaint.remark.severity is Severity.WARNING][:3]
    )
    quiet = [complaint for complaint in complaints if complaint not in loud]
    written = list(packed((*apply_lines(complaints), "more: -v"), style.width)) if complaints else []
    last = [*(folded(listed(quiet, style), style.width) if quiet else ()), *written]
    room = MOST_LINES - len(lines) - len(last) - 2
    for index, shown_complaint in enumerate(loud):
        block = [line for row in render(shown_complaint, style) for line in folded(row, style.width)]
        if len(block) + 1 + len(loud) - index > room:
            rest = [
                row for complaint in loud[index:] for row in folded(one_line(complaint, style), style.width)
            ]
            lines += ["", *rest[: max(1, room)]]
            break
        lines += ["", *block]
        room -= len(block) + 1
    else:
        last = [*_quiet(quiet, room, style), *written]
    yield from (*lines, *(["", *last] if last else []))


def _quiet(quiet: Sequence[Complaint], room: int, style: Style) -> Iterator[str]:
    """Yield warnings on a line each where there is room, and name the rest."""
    warnings = [complaint for complaint in quiet if complaint.remark.severity is Severity.WARNING]
    lines = [row for complaint in warnings for row in folded(one_line(complaint, style), style.width)]
    if not lines or len(lines) > room:
        warnings, lines = [], []
    rest = [complaint for complaint in quiet if complaint not in warnings]
    yield from (*lines, *(folded(listed(rest, style), style.width) if rest else ()))


def _title(page: JobBlock, blocks: Sequence[JobBlock], style: Style) -> str:
    first = page.result
    memories = [block.result.facts.memory for block in blocks if block.result.facts is not None]
    of_all = any(memory is not None and is_of_all_gpus(memory) for memory in memories)
    batches = "; memory per GPU, batches in all" if of_all else ""
    on = f" on {first.target.name} ({machine(first.target)}{batches})" if first.target is not None else ""
    return f"{style.paint('bold', printable(f'{first.path}{on}'))}: {jobs_words(blocks)}"


def _place(block: JobBlock, page: JobBlock) -> str:
    """Name a job of a page: an option file of another path that one of its commands starts, by its path."""
    result = block.result
    if result.path != page.result.path and result.start is not None:
        return f"{result.path} as line {result.start.place.rpartition(':')[2]} starts it"
    place = f"line {result.line}" if result.cell is None else f"cell {result.cell}"
    return f'{place} with "..."' if result.abridged else place


def _shown(blocks: Sequence[JobBlock]) -> Sequence[JobBlock]:
    if len(blocks) <= MOST_JOBS:
        return blocks
    return [block for block in blocks if headline(block.result) is not Outcome.PASS][:MOST_JOBS]


def merged(blocks: Sequence[JobBlock]) -> list[Complaint]:
    """Return what was found in several jobs, each rule's once: errors first, the commonest first."""
    alike: dict[tuple[str, Severity], list[Complaint]] = {}
    for block in blocks:
        for remark in remarks_of(block):
            key = (remark.finding.rule, remark.severity)
            alike.setdefault(key, []).append(Complaint(remark, block.result))
    made = [_merged(same) for same in alike.values()]
    return led(
        sorted(
            made, key=lambda complaint: (SEVERITY_ORDER.index(complaint.remark.severity), -complaint.times)
        )
    )


def _merged(same: Sequence[Complaint]) -> Complaint:
    first = same[0]
    lines = [
        complaint.result.source.position(complaint.remark.finding.spans[0].start)[0] for complaint in same
    ]
    others = [line for line in dict.fromkeys(lines) if line != lines[0]]
    commands = len(
        {(complaint.result.line, complaint.result.document, complaint.result.cell) for complaint in same}
    )
    messages = [said(complaint.remark.finding) for complaint in same]
    alike = len(set(messages)) == 1
    named = () if alike else named_in(messages)
    untried = any(UNTRIED in complaint.remark.finding.notes for complaint in same)
    edits = dict.fromkeys(filter(None, map(edit_at, same)))
    return Complaint(
        first.remark,
        first.result,
        commands,
        len(same),
        tuple(others),
        alike=alike,
        named=named,
        untried=untried,
        further=tuple(edit for edit in edits if edit != edit_at(first)),
    )

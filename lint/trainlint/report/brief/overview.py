# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Many files: a line for each, and a table of what was found how often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from trainlint.model.finding import Outcome
from trainlint.model.result import Report
from trainlint.model.units import plural
from trainlint.report.aligned_columns import columns_of
from trainlint.report.brief.job_text import jobs_words, row_of
from trainlint.report.brief.line_folding import folded
from trainlint.report.brief.remark import remarks_of
from trainlint.report.brief.severity import Severity
from trainlint.report.brief.tally import tally
from trainlint.report.closing import headline
from trainlint.report.job_block import WORST_FIRST, JobBlock, blocks
from trainlint.report.shown_place import shown
from trainlint.report.style import Style, printable

MOST_ROWS = 12
"""Rules in the table; the rest is counted."""


def file_line(blocks: Sequence[JobBlock], style: Style, *, several: bool) -> str:
    """Return the line of a file on one of `several` targets: of its only job, or of the worst of all.

    Lines come as files are judged: none has the size on disk, which would not have room in each.
    """
    worst = min(blocks, key=lambda block: WORST_FIRST.index(headline(block.result)))
    result = worst.result
    on = f" on {result.target.name}" if several and result.target is not None else ""
    jobs = f" ({jobs_words(blocks)})" if len(blocks) > 1 else ""
    return row_of(worst, f"{_place(worst)}{on}{jobs}", style, with_disk=False, naming_rest=True)[1]


def _place(block: JobBlock) -> str:
    """Name a job's file, and the line of the worst of what is wrong with it."""
    remarks = remarks_of(block)
    if not remarks or remarks[0].severity is Severity.HINT:
        return block.result.path
    return shown(block.result.source, remarks[0].finding.spans[:1]).line_place


def table(report: Report, style: Style, most: int | None = MOST_ROWS) -> Iterator[str]:
    """Yield what was found in how many files, the worst and the commonest first.

    Without a limit of rows it is the whole answer, and says how many findings of each rule an edit fixes.
    """
    fixable: Counter[str] = Counter()
    counts: dict[str, Counter[Severity]] = defaultdict(Counter)
    files: dict[str, set[str]] = defaultdict(set)
    for block in blocks(report.results):
        if block.result.outcome is Outcome.UNREADABLE:
            continue
        for remark in remarks_of(block):
            counts[remark.finding.rule][remark.severity] += 1
            files[remark.finding.rule].add(block.result.path)
            own = block.result.editable and not remark.only
            fixable[remark.finding.rule] += own and bool(remark.finding.writable)
    if not counts:
        return
    ranked = sorted(counts, key=lambda rule: tuple(-counts[rule][severity] for severity in Severity))
    head = ("rule", *(f"{severity.value}s" for severity in Severity), *([] if most else ["fixable"]), "files")
    rows = [
        (
            printable(rule),
            *(str(counts[rule][severity] or "-") for severity in Severity),
            *([] if most else [str(fixable[rule] or "-")]),
            str(len(files[rule])),
        )
        for rule in ranked[:most]
    ]
    title, *lines = columns_of([head, *rows])
    yield from (style.paint("dim", title), *lines)
    if most and len(ranked) > most:
        yield style.paint("dim", f"and {plural(len(ranked) - most, 'more rule')}")


def statistics(report: Report, style: Style) -> Iterator[str]:
    """Yield how many findings each rule has and how many of them an edit fixes, and the last line."""
    if rows := list(table(report, style, None)):
        yield from (*rows, "")
    yield from folded(tally(report, style), style.width)

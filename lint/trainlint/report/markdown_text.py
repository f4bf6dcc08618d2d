# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A report as Markdown for a pull request or a step summary: a table of the jobs, then the findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.expressions.patterns import later
from trainlint.model.finding import Outcome
from trainlint.model.result import Report, Result
from trainlint.model.units import disk
from trainlint.report.brief.calendar_time import run_hours
from trainlint.report.change_lines import changed_lines
from trainlint.report.closing import NAMES, headline, summary
from trainlint.report.job_block import WORST_FIRST, blocks
from trainlint.report.left_open import left_open
from trainlint.report.memory.decisive_figure import needed, peak
from trainlint.report.memory.gauge import bar
from trainlint.report.placed_findings import Placed, placed
from trainlint.report.style import Style, harmless, printable

HEAD = ("| verdict | config | target | memory | | time | disk |", "|---|---|---|---|--:|--:|--:|")

_MARKUP = later(r"[\\`*_{}\[\]<>|~$&]|:(?=//)|(?<=www)\.")
_REFERENCE = later(r"[@#](?=[\w])")
"""GitHub notifies whom `@name` means, and links `#1`, wherever they are in text; a comment parts them."""


def cell(text: str) -> str:
    """Keep a value from being Markdown or HTML, a link, or a mention of somebody."""
    return _REFERENCE.sub(r"\g<0><!-- -->", _MARKUP.sub(r"\\\g<0>", printable(text)))


def document(report: Report, limit: int) -> str:
    """Return the whole as Markdown of at most `limit` bytes; what is left out is counted."""
    results = sorted((block.result for block in blocks(report.results)), key=_worst_first)
    head = "\n".join(["### trainlint", "", cell(summary(report, Style())), "", ""])
    table = _within([_row(result) for result in results], limit // 2, "jobs") if results else []
    sections = [_section(placed_finding) for placed_finding in placed(report.results)]
    notes = [f"{cell(text)}\n" for text in (*report.notes, *(crash.message for crash in report.crashes))]
    body = "\n".join([*HEAD, *table, ""]) if table else ""
    used = len((head + body).encode(errors="replace"))
    rest = _within(sections, limit - used, "findings") + _within(notes, limit - used, "notes")
    return harmless(_cut(f"{head}{body}" + "".join(f"\n{part}" for part in rest), limit))


def _worst_first(result: Result) -> int:
    return WORST_FIRST.index(result.outcome)


def _within(parts: Sequence[str], limit: int, noun: str) -> list[str]:
    """Return the parts that there is room for, and how many more there are."""
    kept: list[str] = []
    room = limit - len(f"\n\n+{len(parts)} more {noun}\n")
    for part in parts:
        room -= len(part.encode(errors="replace")) + 1
        if room < 0:
            return [*kept, f"\n+{len(parts) - len(kept)} more {noun}\n"]
        kept.append(part)
    return kept


def _cut(text: str, limit: int) -> str:
    """Hold what notes add to the limit too, at the end of a line."""
    data = text.encode(errors="replace")
    return text if len(data) <= limit else data[:limit].decode(errors="ignore").rpartition("\n")[0] + "\n"


def _row(result: Result) -> str:
    outcome = headline(result)
    name = NAMES[outcome]
    verdict = f"**{name}**" if outcome in (Outcome.FAIL, Outcome.UNREADABLE) else name
    target = cell(result.target.name if result.target else "")
    line = f":{result.line}" if result.line > 1 else ""
    place = f"{cell(result.path)}{line}"
    drawn, *rest = figures(result)
    drawn = drawn or cell("; ".join(left_open(result)))
    return f"| {verdict} | {place} | {target} | {' | '.join((drawn, *rest))} |"


def figures(result: Result) -> tuple[str, str, str, str]:
    """Return a job's memory as a bar and in words, its time and its disk; "" for what is not known."""
    facts = result.facts
    memory = facts.memory if facts is not None else None
    drawn = words = ""
    if memory is not None:
        gpu = peak(memory)
        tight = gpu.least > gpu.capacity
        drawn = bar(max(gpu.least, gpu.expect) if tight else gpu.expect, gpu.capacity)
        words = needed(memory)
    time = facts.time.total_hours if facts is not None and facts.time is not None else None
    kept = facts.disk if facts is not None else None
    return (
        drawn,
        words,
        run_hours(time) if time is not None else "",
        disk(kept.total) if kept is not None else "",
    )


def _section(placed_finding: Placed) -> str:
    return "\n".join(_lines(placed_finding)) + "\n"


def _lines(placed_finding: Placed) -> Iterator[str]:
    finding = placed_finding.finding
    if finding is None:
        return
    place = f"{cell(placed_finding.result.path)}:{placed_finding.line}:{placed_finding.column}"
    yield f"**{finding.level}** {place} {cell(placed_finding.message)} ({cell(finding.rule)})"
    if finding.fixes:
        yield f"\n{cell(finding.fixes[0].summary)}\n\n```diff"
        for sign, _, content in changed_lines(placed_finding.result.source.text, finding.fixes[0].edits):
            yield f"{sign}{printable(content)}"
        yield "```"

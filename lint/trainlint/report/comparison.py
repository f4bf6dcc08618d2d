# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a change of a config does to its run: verdict, memory, time, disk, findings that came and went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from trainlint.config.value_by_path import absent, differences, dig
from trainlint.model.finding import Finding, Level, Outcome
from trainlint.model.result import Result
from trainlint.model.units import disk
from trainlint.report.brief.calendar_time import run_hours
from trainlint.report.brief.severity import severity_of
from trainlint.report.brief.short_message import said
from trainlint.report.closing import NAMES, NO_RULES, headline
from trainlint.report.job_block import blocks
from trainlint.report.markdown_text import cell
from trainlint.report.memory.decisive_figure import needed
from trainlint.report.style import Style, printable

GONE, NEW = "not there", "new"
"""What a job's verdict is called on the side where there is no job."""


class Comparison(Struct, frozen=True):
    """One job on one target before and after; None where it is not there."""

    old: Result | None
    new: Result | None

    @property
    def name(self) -> str:
        """The config and the target."""
        result = self.new or self.old
        if result is None:
            return ""
        return f"{result.path}{f' on {result.target.name}' if result.target is not None else ''}"

    @property
    def verdict(self) -> str:
        """The verdicts, once where they are the same."""
        before = NAMES[headline(self.old)] if self.old is not None else NEW
        after = NAMES[headline(self.new)] if self.new is not None else GONE
        return before if before == after else f"{before} -> {after}"

    @property
    def came(self) -> tuple[Finding, ...]:
        """The findings that only the new one has."""
        return tuple(_missing(self.new, self.old))

    @property
    def went(self) -> tuple[Finding, ...]:
        """The findings that only the old one has, as far as the new one was judged."""
        return tuple(finding for finding in _missing(self.old, self.new) if _judged(self.new, finding.rule))

    @property
    def unknown(self) -> tuple[Finding, ...]:
        """The findings of the old one of which it is not known whether the new one has them."""
        return tuple(
            finding for finding in _missing(self.old, self.new) if not _judged(self.new, finding.rule)
        )

    @property
    def remaining(self) -> tuple[Finding, ...]:
        """The failures that both have: why the verdict is no better, whatever is gone."""
        came = {finding.rule for finding in self.came}
        findings = self.new.findings if self.old is not None and self.new is not None else ()
        return tuple(
            finding for finding in findings if finding.level is Level.FAIL and finding.rule not in came
        )

    @property
    def signed(self) -> Iterator[tuple[str, Finding]]:
        """The findings, each with what the change did to it."""
        for sign, findings in (
            ("gone", self.went),
            ("unknown", self.unknown),
            ("still", self.remaining),
            ("new", self.came),
        ):
            yield from ((sign, finding) for finding in findings)

    @property
    def is_worse(self) -> bool:
        """Say whether the change brings a failure, or a file that cannot be read."""
        broken = self.new is not None and self.new.outcome is Outcome.UNREADABLE
        was = self.old is not None and self.old.outcome is Outcome.UNREADABLE
        return (broken and not was) or any(finding.level is Level.FAIL for finding in self.came)

    @property
    def unread(self) -> str:
        """Why neither can be compared; "" where one of them can, or is not there."""
        if self.old is None or self.new is None:
            return ""
        if {self.old.outcome, self.new.outcome} != {Outcome.UNREADABLE}:
            return ""
        return f"{self.new.path}: {self.new.findings[0].message}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that changed, each with its value before and after."""
        return tuple(_changed(self.old, self.new))

    @property
    def samples(self) -> str:
        """How many samples the run learns from; "" where it is as many as before, or not known."""
        before, after = (None if result is None else result.samples_seen for result in (self.old, self.new))
        if before is None or after is None or before == after:
            return ""
        return f"from {after:,} samples instead of {before:,}"

    def figures(self) -> Iterator[tuple[str, str]]:
        """Yield (what, before -> after) of memory, time and disk."""
        for what, words in (("memory", _memory), ("time", _time), ("disk", _disk)):
            before, after = (words(result) for result in (self.old, self.new))
            if before or after:
                known = [before or "not judged"] * (self.old is not None)
                known += [after or "not judged"] * (self.new is not None)
                yield what, " -> ".join(dict.fromkeys(known))
        if self.samples:
            yield "learns", self.samples


def compared(old: Iterable[Result], new: Iterable[Result]) -> list[Comparison]:
    """Pair the jobs of two texts: by document and target, in the order of the new one."""
    before = {_key(block.result): block.result for block in blocks(old)}
    after = {_key(block.result): block.result for block in blocks(new)}
    return [Comparison(before.get(key), after.get(key)) for key in dict.fromkeys((*after, *before))]


def _key(result: Result) -> tuple[Any, ...]:
    return result.document, result.cell, result.target.name if result.target is not None else None


def _missing(result: Result | None, other: Result | None) -> Iterator[Finding]:
    known = {(finding.rule, finding.level) for finding in other.findings} if other is not None else set()
    for finding in result.findings if result is not None else ():
        if (finding.rule, finding.level) not in known:
            yield finding


def _changed(old: Result | None, new: Result | None) -> Iterator[str]:
    if old is None or new is None or old.origin is None or new.origin is None:
        return
    before, after = old.origin.value, new.origin.value
    for path in differences(before, after):
        values = [dig(value, path) for value in (before, after)]
        said = ["not set" if absent(value) else str(value) for value in values]
        if said[0] == said[1]:  # "256" became 256
            said = [f'"{value}"' if isinstance(value, str) else str(value) for value in values]
        yield f"{'.'.join(map(str, path))}: {' -> '.join(said)}"


def _judged(result: Result | None, rule: str) -> bool:
    """Return whether a rule was judged of a job; of one that is not there nothing is left."""
    if result is None:
        return True
    skipped = {skip.rule for skip in result.skips}
    if result.outcome is Outcome.UNREADABLE or (result.outcome is Outcome.SKIPPED and skipped <= NO_RULES):
        return False
    return rule not in skipped


def _memory(result: Result | None) -> str:
    memory = result.facts.memory if result is not None and result.facts is not None else None
    if memory is None:
        return ""
    return needed(memory)


def _time(result: Result | None) -> str:
    time = result.facts.time if result is not None and result.facts is not None else None
    hours = time.total_hours if time is not None else None
    return run_hours(hours) if hours is not None else ""


def _disk(result: Result | None) -> str:
    known = result.facts.disk if result is not None and result.facts is not None else None
    return disk(known.total) if known is not None else ""


def render_text(comparisons: Sequence[Comparison], touched: Sequence[str], style: Style) -> Iterator[str]:
    """Yield the comparison for a terminal."""
    for line in touched:
        yield style.paint("yellow", printable(f"first: {line}"))
    for comparison in comparisons:
        outcome = headline(comparison.new) if comparison.new is not None else Outcome.SKIPPED
        name = style.paint("bold", printable(comparison.name))
        yield f"{name}: {style.outcome(outcome, comparison.verdict)}"
        yield from (printable(f"  changed {key}") for key in comparison.keys)
        yield from (f"  {what:<6}  {words}" for what, words in comparison.figures())
        yield from (
            printable(f"  {sign:<7} {severity_of(finding).value}: {said(finding)} [{finding.rule}]")
            for sign, finding in comparison.signed
        )
    if not comparisons:
        yield "no training config was changed"


def render_markdown(comparisons: Sequence[Comparison], touched: Sequence[str]) -> Iterator[str]:
    """Yield the comparison for a pull request."""
    yield "### trainlint: what this change does\n"
    yield from (f"- **first:** {cell(line)}" for line in touched)
    if not comparisons:
        yield "no training config was changed"
        return
    yield from ("", "| config | verdict | memory | time | disk |", "|---|---|---|---|---|")
    for comparison in comparisons:
        figures = dict(comparison.figures())
        listed = " | ".join(cell(figures.get(what, "")) for what in ("memory", "time", "disk"))
        yield f"| {cell(comparison.name)} | {cell(comparison.verdict)} | {listed} |"
    yield ""
    for comparison in comparisons:
        yield from (f"- changed in {cell(comparison.name)}: {cell(key)}" for key in comparison.keys)
        for sign, finding in comparison.signed:
            said = f"**{finding.level}** {cell(finding.message)} ({cell(finding.rule)})"
            yield f"- {sign} in {cell(comparison.name)}: {said}"


def as_data(comparisons: Sequence[Comparison], touched: Sequence[str]) -> dict[str, Any]:
    """Return the comparison in JSON's types."""
    return {
        "version": 1,
        "first": list(touched),
        "jobs": [
            {
                "name": comparison.name,
                "old": comparison.old.outcome.value if comparison.old is not None else None,
                "new": comparison.new.outcome.value if comparison.new is not None else None,
                "changed": list(comparison.keys),
                **dict(comparison.figures()),
                "gone": [{"rule": finding.rule, "message": finding.message} for finding in comparison.went],
                "unknown": [
                    {"rule": finding.rule, "message": finding.message} for finding in comparison.unknown
                ],
                "came": [{"rule": finding.rule, "message": finding.message} for finding in comparison.came],
            }
            for comparison in comparisons
        ],
    }

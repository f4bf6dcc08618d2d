# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a change of a config does to its run: verdict, memory, time, disk, findings that came and went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from trainlint.judge.finding import Finding, Level, Outcome
from trainlint.judge.result import Result
from trainlint.report.block import blocks
from trainlint.report.closing import NAMES, headline
from trainlint.report.decisive import peak
from trainlint.report.markdown_text import cell
from trainlint.report.style import Style, printable
from trainlint.report.units import disk, gib, hours

GONE, NEW = "not there", "new"
"""What a job's verdict is called on the side where there is no job."""


class Comparison(Struct, frozen=True):
    """One job on one target before and after; None where it is not there."""

    old: Result | None
    new: Result | None

    @property
    def name(self) -> str:
        """The config and the target."""
        one = self.new or self.old
        if one is None:
            return ""
        return f"{one.path}{f' on {one.target.name}' if one.target is not None else ''}"

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
        """The findings that only the old one has."""
        return tuple(_missing(self.old, self.new))

    @property
    def is_worse(self) -> bool:
        """Say whether the change brings a failure, or a file that cannot be read."""
        broken = self.new is not None and self.new.outcome is Outcome.UNREADABLE
        was = self.old is not None and self.old.outcome is Outcome.UNREADABLE
        return (broken and not was) or any(one.level is Level.FAIL for one in self.came)

    def figures(self) -> Iterator[tuple[str, str]]:
        """Yield (what, before -> after) of memory, time and disk."""
        for what, words in (("memory", _memory), ("time", _time), ("disk", _disk)):
            before, after = (words(one) for one in (self.old, self.new))
            if before or after:
                known = [before or "not known"] * (self.old is not None)
                known += [after or "not known"] * (self.new is not None)
                yield what, " -> ".join(dict.fromkeys(known))


def compared(old: Iterable[Result], new: Iterable[Result]) -> list[Comparison]:
    """Pair the jobs of two texts: by document and target, in the order of the new one."""
    before = {_key(block.result): block.result for block in blocks(old)}
    after = {_key(block.result): block.result for block in blocks(new)}
    return [Comparison(before.get(key), after.get(key)) for key in dict.fromkeys((*after, *before))]


def _key(result: Result) -> tuple[Any, ...]:
    return result.document, result.cell, result.target.name if result.target is not None else None


def _missing(one: Result | None, other: Result | None) -> Iterator[Finding]:
    known = {(finding.rule, finding.level) for finding in other.findings} if other is not None else set()
    for finding in one.findings if one is not None else ():
        if (finding.rule, finding.level) not in known:
            yield finding


def _memory(result: Result | None) -> str:
    memory = result.facts.memory if result is not None and result.facts is not None else None
    if memory is None:
        return ""
    gpu = peak(memory)
    need = f"at least {gib(gpu.least)}" if gpu.least > gpu.capacity else gib(gpu.expect)
    return f"{need} of {gib(gpu.capacity)} GiB"


def _time(result: Result | None) -> str:
    time = result.facts.time if result is not None and result.facts is not None else None
    return f"about {hours(time.total_hours[1])}" if time is not None and time.total_hours is not None else ""


def _disk(result: Result | None) -> str:
    found = result.facts.disk if result is not None and result.facts is not None else None
    return disk(found.total) if found is not None else ""


def render_text(found: Sequence[Comparison], touched: Sequence[str], style: Style) -> Iterator[str]:
    """Yield the comparison for a terminal."""
    for line in touched:
        yield style.paint("yellow", printable(f"first: {line}"))
    for one in found:
        outcome = headline(one.new) if one.new is not None else Outcome.SKIPPED
        yield f"{style.paint('bold', printable(one.name))}: {style.outcome(outcome, one.verdict)}"
        yield from (f"  {what:<6}  {words}" for what, words in one.figures())
        yield from (printable(f"  gone    {each.level}: {each.message} [{each.rule}]") for each in one.went)
        yield from (printable(f"  new     {each.level}: {each.message} [{each.rule}]") for each in one.came)
    if not found:
        yield "no config that a dialect knows was changed"


def render_markdown(found: Sequence[Comparison], touched: Sequence[str]) -> Iterator[str]:
    """Yield the comparison for a pull request."""
    yield "### trainlint: what this change does\n"
    yield from (f"- **first:** {cell(line)}" for line in touched)
    if not found:
        yield "no config that a dialect knows was changed"
        return
    yield from ("", "| config | verdict | memory | time | disk |", "|---|---|---|---|---|")
    for one in found:
        figures = dict(one.figures())
        listed = " | ".join(cell(figures.get(what, "")) for what in ("memory", "time", "disk"))
        yield f"| {cell(one.name)} | {cell(one.verdict)} | {listed} |"
    yield ""
    for one in found:
        for sign, each in (*(("gone", each) for each in one.went), *(("new", each) for each in one.came)):
            yield f"- {sign} in {cell(one.name)}: **{each.level}** {cell(each.message)} ({cell(each.rule)})"


def as_data(found: Sequence[Comparison], touched: Sequence[str]) -> dict[str, Any]:
    """Return the comparison in JSON's types."""
    return {
        "version": 1,
        "first": list(touched),
        "jobs": [
            {
                "name": one.name,
                "old": one.old.outcome.value if one.old is not None else None,
                "new": one.new.outcome.value if one.new is not None else None,
                **dict(one.figures()),
                "gone": [{"rule": each.rule, "message": each.message} for each in one.went],
                "came": [{"rule": each.rule, "message": each.message} for each in one.came],
            }
            for one in found
        ],
    }

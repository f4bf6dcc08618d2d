# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Verified fixes as an editor offers them at a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from trainlint.judge.finding import Fix
from trainlint.judge.result import Result
from trainlint.read.document import Span
from trainlint.read.edit import Edit
from trainlint.report.placed import Placed, placed
from trainlint.report.style import printable

UNSAFE = " (changes what is learned)"


class Repair(Struct, frozen=True):
    """One fix: what it is called, its edits, the rules and the places of the findings that it ends."""

    title: str
    edits: tuple[Edit, ...]
    rule: str
    span: Span
    safe: bool


def repairs(results: Sequence[Result], path: str, asked: Span) -> tuple[Repair, ...]:
    """Return the fixes of the findings that touch a span of a file, the safe ones first, each edit once."""
    targets = {one.target.name for one in results if one.target is not None}
    found = [
        repair
        for one in placed(results)
        if one.result.path == path
        for repair in _of(one, asked, () if targets == set(one.targets) else one.targets)
    ]
    once = {repair.edits: repair for repair in reversed(found)}
    return tuple(sorted((one for one in found if once.get(one.edits) is one), key=lambda one: not one.safe))


def _of(one: Placed, asked: Span, targets: Sequence[str]) -> Iterator[Repair]:
    """Yield a finding's fixes; `targets` are those that it is about, where they are not all."""
    finding = one.finding
    if finding is None or not any(touches(span, asked) for span in finding.spans):
        return
    for fix in finding.fixes:
        yield Repair(_title(fix, targets), fix.edits, finding.rule, finding.spans[0], fix.safe)


def _title(fix: Fix, targets: Sequence[str]) -> str:
    on = f" on {', '.join(targets)}" if targets else ""
    return printable(f"{fix.summary}{on}{'' if fix.safe else UNSAFE}")


def touches(span: Span, other: Span) -> bool:
    """Return whether two spans overlap or meet."""
    return span.start <= other.end and other.start <= span.end

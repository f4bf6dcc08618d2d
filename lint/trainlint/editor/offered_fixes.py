# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Verified fixes as an editor offers them at a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from trainlint.model.document import Span
from trainlint.model.finding import CHANGES_TRAINING, OUT_OF_MEMORY, Edit, Fix
from trainlint.model.result import Result
from trainlint.report.placed_findings import Placed, placed
from trainlint.report.style import printable

UNSAFE_SUFFIX = " (changes what is learned)"
UNCHECKED_SUFFIX = " (not checked)"


class Repair(Struct, frozen=True):
    """One fix: what it is called, its edits, the rules and the places of the findings that it ends."""

    title: str
    edits: tuple[Edit, ...]
    rule: str
    span: Span
    safe: bool
    recommended: bool = False


def repairs(results: Sequence[Result], path: str, asked: Span) -> tuple[Repair, ...]:
    """Return the fixes of the findings that touch a span, each once.

    The recommended one comes first, then safe ones, and of these memory's, as a report has them.
    """
    targets = {offer.target.name for offer in results if offer.target is not None}
    offered = [
        repair
        for offer in placed(results)
        if offer.result.path == path
        for repair in _of(offer, asked, () if targets == set(offer.targets) else offer.targets)
    ]
    once = {repair.edits: repair for repair in reversed(offered)}
    kept = (offer for offer in offered if once.get(offer.edits) is offer)
    return tuple(sorted(kept, key=_rank))


def _rank(offer: Repair) -> tuple[bool, bool, bool]:
    return not offer.recommended, not offer.safe, offer.rule not in OUT_OF_MEMORY


def _of(placed_finding: Placed, asked: Span, targets: Sequence[str]) -> Iterator[Repair]:
    """Yield a finding's fixes; `targets` are those that it is about, where they are not all."""
    finding = placed_finding.finding
    if finding is None or not any(touches(span, asked) for span in finding.spans):
        return
    for fix in finding.fixes:
        advice = placed_finding.result.recommended
        is_it = advice is not None and advice.summary == fix.summary
        yield Repair(_title(fix, targets), fix.edits, finding.rule, finding.spans[0], fix.safe, is_it)


def _title(fix: Fix, targets: Sequence[str]) -> str:
    on = f" on {', '.join(targets)}" if targets else ""
    unsafe = "" if fix.safe or fix.effect != CHANGES_TRAINING else UNSAFE_SUFFIX
    return printable(f"{fix.summary}{on}{unsafe}{UNCHECKED_SUFFIX if fix.unknown else ''}")


def touches(span: Span, other: Span) -> bool:
    """Return whether two spans overlap or meet."""
    return span.start <= other.end and other.start <= span.end

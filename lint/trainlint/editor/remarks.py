# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Findings as an editor underlines them, and what was left open as a hint on a job's first line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

from msgspec import Struct

from trainlint.model.document import Source, Span
from trainlint.model.finding import Level
from trainlint.model.result import Result
from trainlint.report.placed_findings import not_judged, placed
from trainlint.report.style import page_of, printable


class Severity(IntEnum):
    """How much an editor makes of it (the protocol's numbers)."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3


class Remark(Struct, frozen=True):
    """What is said of a span; `others` are further places that it is about. `rule` is "" for no rule's.

    `page` is where a rule of ours is explained.
    """

    span: Span
    severity: Severity
    message: str
    rule: str = ""
    others: tuple[Span, ...] = ()
    page: str = ""


SEVERITIES = {Level.FAIL: Severity.ERROR, Level.WARN: Severity.WARNING}


def remarks(results: Sequence[Result], source: Source) -> tuple[Remark, ...]:
    """Return the remarks on one text; findings that are about another file are not among them."""
    here = [result for result in results if result.path == source.path]
    return (*_placed_remarks(here), *_open(here, source))


def _placed_remarks(results: Sequence[Result]) -> Iterator[Remark]:
    for placed_finding in placed(results):
        if placed_finding.finding is not None:
            message = "\n".join(map(printable, (placed_finding.message, *placed_finding.finding.notes)))
            span, *others = placed_finding.finding.spans
            severity = SEVERITIES[placed_finding.finding.level]
            yield Remark(
                span, severity, message, placed_finding.rule, tuple(others), page_of(placed_finding.rule)
            )


def _open(results: Sequence[Result], source: Source) -> Iterator[Remark]:
    for gap in not_judged(results):
        start = source.offset(gap.line, 1)
        span = Span(start, start + len(source.line(gap.line)))
        yield Remark(span, Severity.INFORMATION, printable(gap.message), gap.rule)

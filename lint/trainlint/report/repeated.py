"""Findings that a job's variants share: each is told once, where it comes first.

A config that stands for several networks is judged as each of them, and what is wrong with the file itself is
wrong every time. JSON keeps every result whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from trainlint.judge.finding import Finding
from trainlint.report.result import Result

Told = dict[tuple[Any, ...], str]


def told_once(results: Iterable[Result]) -> Iterator[tuple[Result, dict[str, int]]]:
    """Yield each result with the findings that are new in it, and how many each earlier variant told."""
    told: dict[tuple[Any, ...], Told] = defaultdict(dict)
    for result in results:
        if result.variant is None:
            yield result, {}
            continue
        target = result.target.name if result.target else None
        before = told[result.path, result.document, result.cell, target]
        fresh = tuple(finding for finding in result.findings if _key(finding) not in before)
        counts: dict[str, int] = defaultdict(int)
        for finding in result.findings:
            variant = before.setdefault(_key(finding), result.variant)
            if finding not in fresh:
                counts[variant] += 1
        yield replace(result, findings=fresh), dict(counts)


def _key(finding: Finding) -> tuple[Any, ...]:
    return finding.rule, finding.message, finding.spans

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Findings as programs list them: one for each place and message, with the targets that have it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from trainlint.model.finding import Finding, Level
from trainlint.model.result import Result
from trainlint.report.job_block import blocks
from trainlint.report.left_open import left_open

ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Variables in which GitHub and GitLab name the folder of the checkout; paths are taken from there."""


class Placed(Struct, frozen=True):
    """A finding of one job, on the targets that share it, or (`finding` None) what was left open there.

    Lines and columns are 1-based; `end_column` is the one after the last character.
    """

    result: Result
    text: str
    line: int
    column: int
    end_line: int
    end_column: int
    finding: Finding | None = None
    targets: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The text with the targets that it is about."""
        return f"{self.text} ({', '.join(self.targets)})" if self.targets else self.text

    @property
    def rule(self) -> str:
        """The rule's name; that of no rule where nothing was found."""
        return self.finding.rule if self.finding is not None else "not-judged"


def placed(results: Iterable[Result]) -> tuple[Placed, ...]:
    """Return the findings, failures first, each in the order of the report."""
    by_place: dict[tuple[Any, ...], list[tuple[Result, Finding]]] = {}
    for block in blocks(results):
        for finding in block.result.findings:
            key = (block.result.path, finding.rule, finding.level, finding.message, finding.spans)
            by_place.setdefault(key, []).append((block.result, finding))
    made = [_of_finding(shared) for shared in by_place.values()]
    return tuple(
        sorted(
            made,
            key=lambda placed_finding: (
                placed_finding.finding is not None and placed_finding.finding.level is not Level.FAIL
            ),
        )
    )


def not_judged(results: Iterable[Result]) -> Iterator[Placed]:
    """Yield what was left open of the jobs, each reason of a job once."""
    by_reason: dict[tuple[Any, ...], list[Result]] = {}
    for block in blocks(results):
        for text in left_open(block.result):
            by_reason.setdefault((block.result.path, block.result.line, text), []).append(block.result)
    for (_, line, text), shared in by_reason.items():
        yield Placed(shared[0], text, line, 1, line, 1, targets=_targets(shared))


def _of_finding(shared: list[tuple[Result, Finding]]) -> Placed:
    result, finding = shared[0]
    span = finding.spans[0]
    place = (*result.source.position(span.start), *result.source.position(span.end))
    return Placed(result, finding.message, *place, finding, _targets(sharing for sharing, _ in shared))


def _targets(results: Iterable[Result]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(result.target.name for result in results if result.target is not None))


def path_from_root(path: str) -> str:
    """Return a path as a checkout names its files: from its root on, with slashes."""
    full = Path(os.path.abspath(path))  # noqa: PTH100  # a link's own name is meant
    for root in (*filter(None, map(os.environ.get, ROOTS)), os.getcwd()):  # noqa: PTH109  # as text
        if full.is_relative_to(root):
            return full.relative_to(root).as_posix()
    return PurePath(path).as_posix()


def uri_of(path: str) -> str:
    """Return a path as a relative reference of RFC 3986."""
    return quote(path_from_root(path), errors="replace")

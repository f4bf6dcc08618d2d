# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One line of few words per finding, as compilers write them: editors and grep know how to read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.model.finding import Level
from trainlint.model.result import Report, Result
from trainlint.report.brief.short_message import CONCISE_WORDS, clauses, said
from trainlint.report.format import Format
from trainlint.report.job_block import blocks
from trainlint.report.left_open import left_open
from trainlint.report.style import Style, printable

FIXABLE = "[*] "
"""What is before a finding that --fix can write, with or without --unsafe-fixes."""


class ConciseStream:
    """Lines that are there as soon as a file's results are."""

    def __init__(self, style: Style) -> None:
        self._style = style

    def add(self, results: Sequence[Result]) -> Iterator[str]:
        """Yield `path:line:col: level: message [rule]` for every finding."""
        for block in blocks(results):
            yield from _lines(block.result, self._style)

    @staticmethod
    def close(_report: Report) -> Iterator[str]:
        """Yield nothing: a clean run prints nothing."""
        yield from ()


def render(report: Report, style: Style) -> str:
    """Return the lines of every finding; nothing for a clean run."""
    return "".join(f"{line}\n" for line in ConciseStream(style).add(report.results))


def _lines(result: Result, style: Style) -> Iterator[str]:
    for finding in result.findings:
        line, column = result.source.position(finding.spans[0].start)
        level = style.paint("red" if finding.level is Level.FAIL else "yellow", finding.level)
        where = _where(result)
        fixable = FIXABLE if finding.writable else ""
        words = CONCISE_WORDS - len(f"{result.path} {level} {where} {finding.rule}".split())
        text = printable(f"{fixable}{said(finding, words)}{where} [{finding.rule}]")
        yield f"{printable(result.path)}:{line}:{column}: {level}: {text}"
    for left in left_open(result):
        said_of, _, reason = left.partition(": ")
        words = CONCISE_WORDS - len(f"{result.path} {said_of} {_where(result)}".split())
        yield printable(f"{result.path}:{result.line}:1: {said_of}: {clauses(reason, words)}{_where(result)}")


def _where(result: Result) -> str:
    """Keep results of one job apart: the variant and the target."""
    parts = [part for part in (result.variant, result.target.name if result.target else None) if part]
    return f" ({', '.join(parts)})" if parts else ""


FORMAT = Format(render, ConciseStream)

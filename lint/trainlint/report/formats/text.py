# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The report for people: what is wrong, where, why, and the line to change; one line for what is fine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from trainlint.model.finding import Outcome
from trainlint.model.result import Report, Result
from trainlint.report.brief.line_folding import folded
from trainlint.report.closing import NO_RULES, remarks, summary
from trainlint.report.format import Format
from trainlint.report.job_block import JobBlock, blocks
from trainlint.report.style import Style


class TextStream:
    """A report whose lines are there as soon as a file's results are; a file's come together.

    A verbose reader gets all figures of each job.
    """

    def __init__(self, style: Style) -> None:
        self._style = style
        self._lines_before = 0

    def add(self, results: Sequence[Result]) -> Iterator[str]:
        """Yield the lines of further results."""
        file_blocks = list(blocks(results))
        if not self._style.verbose:
            yield from self._brief(file_blocks)
            return
        from trainlint.report.text.result_text import render_block  # noqa: PLC0415 - for a verbose reader alone

        for block in file_blocks:
            lines = list(self._folded(render_block(block, self._style)))
            if self._lines_before and max(self._lines_before, len(lines)) > 1:
                yield ""
            yield from lines
            self._lines_before = len(lines)

    def _brief(self, file_blocks: Sequence[JobBlock]) -> Iterator[str]:
        """Yield the first screen's lines of a file's jobs: of many files a line each."""
        targets = list(_by_target(file_blocks))
        for of_target in targets:
            lines = list(_of_file(of_target, self._style, several=len(targets) > 1))
            if self._lines_before and max(self._lines_before, len(lines)) > 1 and not self._style.overview:
                yield ""
            yield from lines
            self._lines_before = len(lines)

    def close(self, report: Report) -> Iterator[str]:
        """Yield what is to be said of the whole."""
        if not self._style.verbose:
            yield from self._closing(report)
            return
        from trainlint.report.text.first_step import first_step  # noqa: PLC0415 - for a verbose reader alone

        if self._lines_before:
            yield ""
        yield from self._folded(remarks(report, self._style))
        yield from self._folded(first_step(report, self._style))
        yield from self._folded([summary(report, self._style)])

    def _closing(self, report: Report) -> Iterator[str]:
        from trainlint.report.brief.tally import closing  # noqa: PLC0415 - not for a verbose reader

        rows: list[str] = []
        if self._style.overview:
            from trainlint.report.brief.overview import table  # noqa: PLC0415 - of many files

            rows = list(table(report, self._style))
        if rows:
            yield from ("", *rows)
        if rows or self._lines_before > 1:
            yield ""
        for line in closing(report, self._style):
            yield from folded(line, self._style.width)

    def _folded(self, lines: Iterable[str]) -> Iterator[str]:
        """Break lines for a terminal; other readers get each whole."""
        if not self._style.terminal:
            yield from lines
            return
        for line in lines:
            yield from folded(line, self._style.width)


def _by_target(file_blocks: Sequence[JobBlock]) -> Iterator[list[JobBlock]]:
    """Yield a file's jobs target by target."""
    names = dict.fromkeys(block.result.target.name if block.result.target else "" for block in file_blocks)
    for name in names:
        yield [
            block
            for block in file_blocks
            if (block.result.target.name if block.result.target else "") == name
        ]


def _is_bare(result: Result) -> bool:
    """Return whether nothing was judged of a file: it cannot be read, or is no job that is known."""
    skipped = result.outcome is Outcome.SKIPPED and {skip.rule for skip in result.skips} <= NO_RULES
    return skipped or result.outcome is Outcome.UNREADABLE


def _of_file(file_blocks: Sequence[JobBlock], style: Style, *, several: bool) -> Iterator[str]:
    """Yield the lines of a file's jobs on one target."""
    if all(_is_bare(block.result) for block in file_blocks):
        from trainlint.report.text.result_text import render_result  # noqa: PLC0415 - of what is not judged

        for block in file_blocks:
            for line in render_result(block.result, style):
                yield from folded(line, style.width)
            if block.result.example and not style.overview:
                from trainlint.report.brief.job_text import example_lines  # noqa: PLC0415 - where there is one

                yield from ("", *list(example_lines(block, style))[:-1])
    elif style.overview:
        from trainlint.report.brief.overview import file_line  # noqa: PLC0415 - of many files

        yield file_line(file_blocks, style, several=several)
    elif len(file_blocks) == 1:
        from trainlint.report.brief.job_text import render_job  # noqa: PLC0415 - of one job

        yield from render_job(file_blocks[0], style)
    else:
        from trainlint.report.brief.many_jobs import render_page  # noqa: PLC0415 - of many jobs

        yield from render_page(file_blocks, style)


def render(report: Report, style: Style) -> str:
    """Return the whole report: of many files a line each, unless the reader is verbose."""
    style = replace(style, overview=report.files > 1)
    stream = TextStream(style)
    files: dict[str, list[Result]] = {}
    for result in report.results:
        files.setdefault(result.path, []).append(result)
    lines = [line for results in files.values() for line in stream.add(results)]
    return "".join(f"{line}\n" for line in (*lines, *stream.close(report)))


FORMAT = Format(render, TextStream, notes=True, aside=lambda _report: "")

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The report as it reaches its reader: line by line while files are done, or whole at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from trainlint.cli.console import save, style_for, write
from trainlint.cli.options.report_options import ReportOptions
from trainlint.model.result import Report, Result
from trainlint.report.formats import format_named
from trainlint.report.style import Style


class Printer:
    """Prints each file's results when they are there, if format and output allow it; else all at the end.

    `before` is called before a file's results are printed: what shows progress has to get out of the way.
    `several`: there is more than one file.
    """

    def __init__(
        self, options: ReportOptions, color: str, before: Callable[[], None], *, several: bool = False
    ) -> None:
        self.format = format_named(options.output_format)
        self.output = options.output
        self.files = 0
        self._before = before
        self._reports = {path: format_named(name) for name, path in options.reports}
        style = Style() if self.output else style_for(sys.stdout, color)
        self._style = replace(style, verbose=options.verbose, overview=several)
        self._stream = self.format.streaming(self._style) if self.output is None else None

    def add(self, results: Sequence[Result]) -> None:
        """Take a file's results, in the order of the report."""
        self.files += 1
        if self._stream is not None:
            with self.format.faults():
                lines = list(self._stream.add(results))
            if lines:
                self._before()
                self._write(lines)

    def close(self, report: Report) -> None:
        """Write the reports and print what is left; on GitHub, add the step summary."""
        for path, kind in self._reports.items():
            text = kind.rendered(report, replace(self._style, colour=False))
            write(text, path, annotations=kind.annotations)
        if self._stream is not None:
            with self.format.faults():
                lines = list(self._stream.close(report))
            self._write(lines)
            return
        write(self.format.rendered(report, self._style), self.output, annotations=self.format.annotations)
        summary_file = os.environ.get("GITHUB_STEP_SUMMARY")
        if self.format.summary is not None and summary_file:
            with self.format.faults():
                summary = self.format.summary(report).encode()
            save(Path(summary_file), summary, append=True)

    def statistics(self, report: Report) -> None:
        """Print how often each rule found something."""
        from trainlint.report.brief.overview import statistics  # noqa: PLC0415 - with --statistics alone

        self._before()
        self._write(list(statistics(report, self._style)))

    @staticmethod
    def _write(lines: Iterable[str]) -> None:
        write("".join(f"{line}\n" for line in lines), None)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The report as it reaches its reader: line by line while files are done, or whole at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from trainlint.cli.console import save, style_for, write
from trainlint.report.result import Report, Result
from trainlint.report.style import Style

MODULES: Final = {"text": "text", "concise": "concise", "json": "json1", "github": "github"}
"""What --format takes -> the module of trainlint.report for it; one with a `Stream` is printed as it goes."""


class Printer:
    """Prints each file's results when they are there, if format and output allow it; else all at the end.

    `before` is called before a file's results are printed: what shows progress has to get out of the way.
    """

    def __init__(self, options: Mapping[str, Any], before: Callable[[], None]) -> None:
        self.format: str = options["output_format"]
        self.output: Path | None = options["output"]
        self.files = 0
        self._before = before
        self._module = import_module(f"trainlint.report.{MODULES[self.format]}")
        style = Style() if self.output else style_for(sys.stdout, options["color"])
        self._style = replace(style, verbose=options["verbose"])
        streams = self.output is None and hasattr(self._module, "Stream")
        self._stream = self._module.Stream(self._style) if streams else None

    def add(self, results: Sequence[Result]) -> None:
        """Take a file's results, in the order of the report."""
        self.files += 1
        if self._stream is not None:
            lines = list(self._stream.add(results))
            if lines:
                self._before()
                self._write(lines)

    def close(self, report: Report) -> None:
        """Print what is left; on GitHub, add the step summary."""
        if self._stream is not None:
            self._write(self._stream.close(report))
            return
        text = self._module.render(report, self._style)
        write(text, self.output, annotations=self.format == "github")
        summary_file = os.environ.get("GITHUB_STEP_SUMMARY")
        if self.format == "github" and summary_file:
            save(Path(summary_file), self._module.step_summary(report).encode(), append=True)

    @staticmethod
    def _write(lines: Iterable[str]) -> None:
        write("".join(f"{line}\n" for line in lines), None)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an output format is: how a report becomes text, and what of it is said elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from trainlint.errors import TrainlintError, UsageError
from trainlint.judge.result import Report, Result
from trainlint.report.closing import aside as why_nothing
from trainlint.report.style import Style
from trainlint.resources import PACKAGE


class FormatError(Exception):
    """What went wrong inside of a format of ours, with its file and line: an internal error."""


class ReportStream(Protocol):
    """Gives the lines of a report while files are being linted."""

    def add(self, results: Sequence[Result]) -> Iterator[str]:
        """Yield the lines of further results."""

    def close(self, report: Report) -> Iterator[str]:
        """Yield what is to be said of the whole."""


class Format(Struct, frozen=True):
    """One output format, as its file in `report/formats/` registers it under the name FORMAT."""

    render: Callable[[Report, Style], str]
    """Returns the whole report."""
    stream: Callable[[Style], ReportStream] | None = None
    """Makes what prints it file by file, where that is possible."""
    notes: bool = False
    """It has a place for what is true of the whole run."""
    annotations: bool = False
    """Its lines are commands to GitHub's runner."""
    aside: Callable[[Report], str] = why_nothing
    """Returns what goes to stderr; "" where there is nothing to add."""
    summary: Callable[[Report], str] | None = None
    """Returns what is appended to the file that GITHUB_STEP_SUMMARY names."""
    file: str = ""
    """Its own file, for what goes wrong inside of it; filled in when it is imported."""

    def rendered(self, report: Report, style: Style) -> str:
        """Return the whole report. Raises UsageError or FormatError where the format does not do that."""
        with self.faults():
            text: object = self.render(report, style)
            if not isinstance(text, str):
                raise TypeError(f"render returned a {type(text).__name__}, expected text")
            return text

    def streaming(self, style: Style) -> ReportStream | None:
        """Return what prints the report file by file, where the format has it. Raises as `rendered` does."""
        with self.faults():
            return None if self.stream is None else self.stream(style)

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Give what goes wrong inside of the format its file and line.

        Raises UsageError for a format of somebody else's, FormatError for one of ours.
        """
        try:
            yield
        except TrainlintError:
            raise
        except (
            Exception,
            SystemExit,
        ) as error:  # a format that ends the process would end it with its status
            code = getattr(self.render, "__code__", None)
            line = line_in(self.file, error) or (code.co_firstlineno if code is not None else 1)
            ours = Path(self.file).is_relative_to(PACKAGE)
            said = f"{self.file}:{line}: {type(error).__name__}: {error}"
            raise (FormatError if ours else UsageError)(said) from error


def line_in(file: str | None, error: BaseException) -> int | None:
    """Return the innermost line of a file on the way to an error; None where it is not on it."""
    line, frame = None, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == file:
            line = frame.tb_lineno
        frame = frame.tb_next
    return line

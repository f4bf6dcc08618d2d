# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an output format is: how a report becomes text, and what of it is said elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from trainlint.judge.result import Report, Result
from trainlint.lean import dataclass
from trainlint.report.closing import aside as why_nothing
from trainlint.report.style import Style


class Stream(Protocol):
    """Gives the lines of a report while files are being linted."""

    def add(self, results: Sequence[Result]) -> Iterator[str]:
        """Yield the lines of further results."""

    def close(self, report: Report) -> Iterator[str]:
        """Yield what is to be said of the whole."""


@dataclass(frozen=True, slots=True)
class Format:
    """One output format, as its file in `report/formats/` registers it under the name FORMAT."""

    render: Callable[[Report, Style], str]
    """Returns the whole report."""
    stream: Callable[[Style], Stream] | None = None
    """Makes what prints it file by file, where that is possible."""
    notes: bool = False
    """It has a place for what is true of the whole run."""
    annotations: bool = False
    """Its lines are commands to GitHub's runner."""
    aside: Callable[[Report], str] = why_nothing
    """Returns what goes to stderr; "" where there is nothing to add."""
    summary: Callable[[Report], str] | None = None
    """Returns what is appended to the file that GITHUB_STEP_SUMMARY names."""

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What `trainlint check` is asked for, and which of it goes together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from trainlint.cli.options.report_options import ReportOptions
from trainlint.cli.options.shared_options import SharedOptions
from trainlint.cli.options.verdict_options import VerdictOptions
from trainlint.errors import UsageError


class CheckOptions(Struct, frozen=True, kw_only=True):
    """The options of cli/commands/check_command.py."""

    shared: SharedOptions
    report: ReportOptions
    verdict: VerdictOptions
    skip_unknown: bool
    stdin_filename: str | None
    data: Path | None
    fix: bool
    unsafe_fixes: bool
    allow_shorter: bool
    baseline: Path | None
    write_baseline: Path | None
    diff: bool
    jobs: int
    watch: bool

    def check_use(self, paths: Sequence[str]) -> None:
        """Raise UsageError for options that do not go together, or not with these paths."""
        report = self.report
        if not paths:
            raise UsageError("no paths given; name files or folders, or - for standard input")
        if self.diff and (self.fix or report.output_format != "text"):
            raise UsageError("--diff prints a unified diff and goes with neither --fix nor --format")
        if self.write_baseline and (self.fix or self.diff or report.reports or self.baseline):
            raise UsageError(
                "--write-baseline lists what is found: it goes without --baseline, --fix, --diff and --report"
            )
        if self.unsafe_fixes and not (self.fix or self.diff):
            raise UsageError("--unsafe-fixes says which fixes to apply: it goes with --fix or --diff")
        if self.diff and report.reports:
            raise UsageError("--diff prints a unified diff and judges nothing: it goes without --report")
        if report.output in [path for _, path in report.reports]:
            raise UsageError(f'"{report.output}" is to hold two reports; give each a file of its own')
        once = self.fix or self.diff or self.write_baseline or report.output or report.reports
        if self.watch and ("-" in paths or once):
            raise UsageError(
                "--watch prints what it finds in files: it goes without -, --output, --report, --fix, --diff "
                "and --write-baseline"
            )
        if self.fix and "-" in paths:
            raise UsageError("--fix cannot write standard input; --diff prints the change")

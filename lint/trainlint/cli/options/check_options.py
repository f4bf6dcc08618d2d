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
    exit_zero: bool
    skip_unknown: bool
    stdin_filename: str | None
    data: Path | None
    fix: bool
    unsafe_fixes: bool
    allow_shorter: bool
    baseline: Path | None
    write_baseline: Path | None
    since: str | None
    add_ignore: str | None
    statistics: bool
    isolated: bool
    settings_given: tuple[str, ...]
    show_settings: bool
    show_files: bool
    diff: bool
    jobs: int
    watch: bool

    def check_use(self, paths: Sequence[str]) -> None:
        """Raise UsageError for options that do not go together, or not with these paths."""
        report = self.report
        if not paths:
            raise UsageError("no paths given; name files or folders, or - for standard input")
        if self.diff and (self.fix or report.output_format != "text"):
            raise UsageError("--diff cannot be used with --fix or --format")
        if self.write_baseline and (self.fix or self.diff or report.reports or self.baseline):
            raise UsageError("--write-baseline cannot be used with --baseline, --fix, --diff or --report")
        if self.unsafe_fixes and not (self.fix or self.diff):
            raise UsageError("--unsafe-fixes needs --fix or --diff")
        if self.diff and report.reports:
            raise UsageError("--diff cannot be used with --report")
        if report.output in [path for _, path in report.reports]:
            raise UsageError(f'"{report.output}" is named for two reports: give each its own file')
        self._check_new_ones(paths)
        once = any((self.fix, self.diff, self.write_baseline, report.output, report.reports, self.add_ignore))
        once |= self.show_settings or self.show_files
        if self.watch and ("-" in paths or once):
            raise UsageError(
                "--watch cannot be used with -, --output, --report, --fix, --diff and --write-baseline"
            )
        if self.fix and "-" in paths:
            raise UsageError("--fix cannot write to standard input; --diff prints the change")

    def _check_new_ones(self, paths: Sequence[str]) -> None:
        """Check the options that replace the report, or a part of it."""
        report, writes = self.report, self.fix or self.diff or self.write_baseline
        if self.statistics and (self.diff or report.output_format != "text" or report.output):
            raise UsageError("--statistics cannot be used with --diff, --format or --output")
        if self.since is not None and writes:
            raise UsageError("--since cannot be used with --fix, --diff or --write-baseline")
        if self.add_ignore is None:
            return
        if not self.add_ignore.strip() or not self.add_ignore.isprintable():
            raise UsageError("--add-ignore takes a reason on one line: it goes into each comment")
        if writes or "-" in paths:
            raise UsageError("--add-ignore cannot be used with -, --fix, --diff or --write-baseline")

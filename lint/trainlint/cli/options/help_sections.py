# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The options of a command as --help lists them: what it is asked most often first, in sections."""

from __future__ import annotations

from typing import Final

import click

SECTIONS: Final = {
    "Options": (),
    "Fixes": ("fix", "unsafe_fixes", "allow_shorter", "diff"),
    "Report": (
        "verbose", "output_format", "output", "reports", "statistics", "fail_on", "strict", "exit_zero",
    ),
    "Findings": ("select", "ignore", "add_ignore", "baseline", "write_baseline", "since"),
    "What the configs do not say": (
        "launcher", "gpu_count", "reading", "trainer", "repo", "dataset_size", "data", "sessions",
        "session_budget_h", "validation_size", "validation_images", "model_config", "seconds_per_iteration",
        "log", "log_gpu",
    ),
    "Files and settings": (
        "skip_unknown", "stdin_filename", "isolated", "settings_given", "show_settings", "show_files",
    ),
    "Steps that no stored profile has": ("python", "networks", "no_trace", "profiles_dir", "jobs"),
    "Terminal": ("watch", "quiet", "color", "debug", "help"),
}  # fmt: skip
"""Title -> options in the order in which they are worth reading; the first has all that no other names."""


class SectionedCommand(click.Command):
    """A command whose --help has its options in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each title that has options."""
        options = {param.name: param for param in self.get_params(ctx) if isinstance(param, click.Option)}
        sectioned = {name for names in SECTIONS.values() for name in names}
        own = tuple(name for name in options if name not in sectioned)
        for title, names in SECTIONS.items():
            shown = (options[name] for name in names or own if name in options)
            if rows := [row for option in shown if (row := option.get_help_record(ctx))]:
                with formatter.section(title):
                    formatter.write_dl(rows)

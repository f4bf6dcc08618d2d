# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint [check] PATHS`: its options."""

from __future__ import annotations

from pathlib import Path

import click

from trainlint.cli.lint_and_report import check
from trainlint.cli.main import EXIT_CODES
from trainlint.cli.options.check_options import CheckOptions
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SectionedCommand
from trainlint.cli.options.number_range import NumberRange
from trainlint.cli.options.report_options import with_format, with_output, with_reports, with_verbose
from trainlint.cli.options.shared_options import with_shared
from trainlint.cli.options.verdict_options import with_fail_on, with_ignore, with_select, with_strict


@click.command("check", cls=SectionedCommand, epilog=EXIT_CODES)
@click.argument("paths", nargs=-1, metavar="PATHS...")
@with_shared
@with_format
@with_output
@with_reports
@with_fail_on
@with_strict
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option(
    "--skip-unknown", is_flag=True, help="Skip files that are not training configs, silently (for hooks)."
)
@click.option("--stdin-filename", metavar="NAME", help="File name to assume for standard input (`-`).")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="ROOT",
    help="Read the headers of the images and weights that configs name below ROOT.",
)
@click.option(
    "--fix",
    is_flag=True,
    help="Apply verified fixes that do not change what is learned, then report the rest.",
)
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="With --fix or --diff: include fixes that change what is learned (crop, batch, precision).",
)
@click.option(
    "--allow-shorter",
    is_flag=True,
    help="Also offer edits that lower iterations, epochs or milestones: less is learned.",
)
@with_select
@with_ignore
@click.option(
    "--baseline",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Leave out the findings that FILE lists.",
)
@click.option(
    "--write-baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="List all findings in FILE and report none.",
)
@click.option("--since", metavar="REV", help="Report only what is new since this git revision.")
@click.option(
    "--add-ignore",
    metavar="REASON",
    help="Add an inline ignore with this reason for every finding (of the selected rules).",
)
@click.option("--statistics", is_flag=True, help="Count findings and fixable findings by rule.")
@click.option("--isolated", is_flag=True, help="Read no settings file.")
@click.option(
    "--config",
    "settings_given",
    multiple=True,
    metavar="KEY=VALUE",
    help='A setting in TOML, such as target="t4"; repeatable.',
)
@click.option("--show-settings", is_flag=True, help="Print the settings in force and exit.")
@click.option("--show-files", is_flag=True, help="Print the files that would be read and exit.")
@with_verbose
@click.option("--diff", is_flag=True, help="Print what --fix would change, as a diff, and change nothing.")
@click.option(
    "--jobs",
    type=NumberRange(1, 64),
    metavar="N",
    default=1,
    show_default=True,
    help="Processes, up to 64, that trace steps, or judge files with --no-trace.",
)
@click.option("--watch", is_flag=True, help="Lint again whenever a file or the settings change.")
@gathered(options=CheckOptions)
def check_command(paths: tuple[str, ...], options: CheckOptions) -> int:
    """Lint training configs: files, folders, globs, or - for standard input."""
    return check(paths, options)

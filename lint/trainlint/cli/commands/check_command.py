# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint [check] PATHS`: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from trainlint.cli import shell_completion
from trainlint.cli.lint_and_report import check
from trainlint.cli.main import EXIT_CODES
from trainlint.cli.shared_options import with_settings
from trainlint.report.formats import names

RULES: dict[str, Any] = {"multiple": True, "metavar": "RULE", "shell_complete": shell_completion.rules}
"""An option that takes rules' names."""


def _reports(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, Path], ...]:
    """Read FORMAT=FILE, several times; UsageError for an unknown format or a file named twice."""
    found: dict[Path, str] = {}
    for value in values:
        name, _, file = value.partition("=")
        if name not in names() or not file:
            raise click.BadParameter(f'"{value}" is not FORMAT=FILE; formats are {", ".join(names())}')
        if Path(file) in found:
            raise click.BadParameter(f'"{file}" is to hold two reports; give each a file of its own')
        found[Path(file)] = name
    return tuple((name, path) for path, name in found.items())


@click.command("check", epilog=EXIT_CODES)
@click.argument("paths", nargs=-1, metavar="PATHS...")
@with_settings
@click.option("--format", "output_format", type=click.Choice(names()), default="text", show_default=True)
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file.")
@click.option(
    "--report",
    multiple=True,
    callback=_reports,
    metavar="FORMAT=FILE",
    help="Write a report in another format too; may be given several times.",
)
@click.option(
    "--fail-on", type=click.Choice(["warn", "fail"]), help="Least level that makes the exit code 1."
)
@click.option("--strict", is_flag=True, help="Count what could not be judged as a failure.")
@click.option("--skip-unknown", is_flag=True, help="Say nothing of files in no known dialect (for hooks).")
@click.option("--stdin-filename", metavar="NAME", help="What to call `-`, and how to read it.")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="ROOT",
    help="Look at the images and weights that configs name below ROOT (headers alone).",
)
@click.option(
    "--fix",
    is_flag=True,
    help="Write verified fixes that leave alone what is learned, then report the rest.",
)
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="With --fix or --diff: also those that change what is learned (crop, batch, precision).",
)
@click.option(
    "--allow-shorter",
    is_flag=True,
    help="Offer edits that lower iterations, epochs or milestones too: less is learned after them.",
)
@click.option("--select", **RULES, help="Judge only this rule; may be given several times.")
@click.option("--ignore", **RULES, help="Do not judge this rule either.")
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
@click.option("--verbose", "-v", is_flag=True, help="List all that takes memory where it is tight.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and nothing else.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that trace steps, or with --no-trace judge files.",
)
@click.option("--watch", is_flag=True, help="Lint again whenever a file or the settings change.")
def check_command(paths: tuple[str, ...], **options: Any) -> int:
    """Lint training configs: files, folders, globs, or - for standard input."""
    return check(paths, options)

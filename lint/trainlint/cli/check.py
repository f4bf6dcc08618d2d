"""`trainlint [check] PATHS`: lint and report."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from trainlint.cli.console import Progress, style_for, write
from trainlint.cli.exit import exit_of
from trainlint.cli.options import common_folder, settings_from, with_settings
from trainlint.report.result import Report
from trainlint.report.style import Style

FORMATS = ("text", "concise", "json", "github")


@click.command("check")
@click.argument("paths", nargs=-1, metavar="PATHS...")
@with_settings
@click.option("--format", "output_format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file.")
@click.option("--fail-on", type=click.Choice(["warn", "fail"]), help="Least level that makes the exit code 1.")
@click.option("--strict", is_flag=True, help="Count what could not be judged as a failure.")
@click.option("--stdin-filename", metavar="NAME", help="What to call `-`, and how to read it.")
@click.option("--fix", is_flag=True, help="Write verified fixes into the files.")
@click.option("--diff", is_flag=True, help="Print what --fix would change.")
def check_command(paths: tuple[str, ...], **options: Any) -> int:
    """Lint training configs: files, folders, globs, or - for standard input."""
    from trainlint.cli.toolbox import pipeline_for  # noqa: PLC0415  # schemas and rules, not needed for --help
    from trainlint.cli.rewrite import fix_files  # noqa: PLC0415

    if not paths:
        raise click.UsageError("no paths given; name files or folders, or - for standard input")
    settings = settings_from(common_folder(paths), options).with_options(
        fail_on=options["fail_on"], strict=options["strict"]
    )
    progress = Progress()
    pipeline = pipeline_for(settings, progress, may_trace=not options["no_trace"])
    if options["fix"] or options["diff"]:
        fix_files(pipeline, paths, settings, write_back=options["fix"])
    report = pipeline.run(_sources(paths, settings, options["stdin_filename"]), progress)
    _print(report, options)
    for crash in report.crashes:
        click.echo(crash.traceback if options["debug"] else f"trainlint: {crash.message}", err=True)
    return exit_of(report, settings.fail_on, strict=settings.strict)

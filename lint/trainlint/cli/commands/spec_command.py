# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint spec FILE`: what was read of a config, and where each of it comes from."""

from __future__ import annotations

import click

from trainlint.cli.console import say, write
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.report.json_version_1 import encoded
from trainlint.report.style import printable
from trainlint.report.text.spec_text import as_data, lines
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import jobs_in, pipeline_for


@click.command("spec")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@with_shared
@click.option(
    "--format",
    "output_format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
)
@gathered(options=SharedOptions)
def spec_command(file: str, output_format: str, options: SharedOptions) -> int:
    """Print what is read of FILE: field, value, origin and place; with --target as placed there."""
    settings = settings_from((file,), options)
    pipeline = pipeline_for(settings, tapes_for(settings, lambda _text: None, may_trace=False))
    placed = [
        job
        for jobs in jobs_in(file, pipeline)
        for target in pipeline.targets_of(file)
        for job in pipeline.readings(jobs, target)
    ]
    if output_format == "json":
        write(encoded({"version": 1, "jobs": [as_data(job) for job in placed]}), None)
        return 0
    for index, job in enumerate(placed):
        say(("\n" if index else "") + "\n".join(printable(line) for line in lines(job)))
    return 0

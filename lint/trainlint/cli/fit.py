"""`trainlint fit CONFIG`: one config against every machine."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import click

from trainlint.cli.options import settings_from, with_settings
from trainlint.errors import UsageError


@click.command("fit")
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@with_settings
@click.option("--gpus", is_flag=True, help="Compare single cards instead of machines.")
def fit_command(config: str, **options: Any) -> int:
    """Compare targets for CONFIG: does it fit, the largest batch, time, sessions, disk.

    Without --target, all machines are compared.
    """
    from trainlint.cli.console import Progress, style_for  # noqa: PLC0415
    from trainlint.cli.toolbox import pipeline_for, tapes_for, tell_refused  # noqa: PLC0415
    from trainlint.hardware import load_hardware  # noqa: PLC0415
    from trainlint.read import load_source, read  # noqa: PLC0415
    from trainlint.report.closing import place_of  # noqa: PLC0415
    from trainlint.report.fit_text import batch_key, render_fit  # noqa: PLC0415
    from trainlint.report.style import printable  # noqa: PLC0415

    settings = settings_from((config,), options | {"target": ()})
    names = options["target"]
    if not names:
        hardware = load_hardware(settings.gpus)
        names = tuple(item.name for item in (hardware.gpus() if options["gpus"] else hardware.targets()))
    settings = settings.with_options(target=names)
    tapes = tapes_for(settings, Progress(), may_trace=not options["no_trace"])
    pipeline = pipeline_for(settings, tapes)
    jobs = [job for document in read(load_source(config)) for job in pipeline.jobs(document)]
    if not jobs:
        raise UsageError(f'no dialect knows "{config}"')
    style = style_for(sys.stdout, options["color"])
    for job in jobs:
        results = [pipeline.judge(job, target, fixes=False) for target in pipeline.targets]
        heading = printable(place_of(replace(results[0], target=None)))
        key = batch_key(results)
        units = f"memory in GiB{f', largest batch as {printable(key)}' if key else ''}"
        click.echo(f"{style.paint('bold', heading)} ({units})", color=True)
        click.echo("\n".join(render_fit(results, style)), color=True)
    tell_refused(tapes)
    return 0

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint fit CONFIG`: one config against every machine."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from trainlint.cli.options import settings_from, with_settings
from trainlint.errors import CannotTraceError

if TYPE_CHECKING:
    from trainlint.estimate.crop_fit import LargestCrop
    from trainlint.estimate.source import TapeSource
    from trainlint.job import Job
    from trainlint.report.result import Result
    from trainlint.settings import Settings


@click.command("fit")
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@with_settings
@click.option("--cards", is_flag=True, help="Compare single cards instead of machines.")
@click.option(
    "--sort",
    type=click.Choice(["memory", "time", "name", "verdict"]),
    default="memory",
    show_default=True,
    help="Order of the table.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="How to print it; JSON is check's.",
)
@click.option("--crop", is_flag=True, help="Tell the largest crop too: the first time a few are traced.")
def fit_command(config: str, **options: Any) -> int:
    """Compare targets for CONFIG: does it fit, the largest batch, time, sessions, disk.

    Without --target, all machines are compared.
    """
    from trainlint.cli.console import Progress, say, style_for  # noqa: PLC0415
    from trainlint.cli.toolbox import jobs_in, pipeline_for, tapes_for, tell_refused  # noqa: PLC0415
    from trainlint.hardware import load_hardware  # noqa: PLC0415
    from trainlint.report import json1  # noqa: PLC0415
    from trainlint.report.closing import place_of  # noqa: PLC0415
    from trainlint.report.fit_text import (  # noqa: PLC0415
        batch_key,
        render_fit,
        render_markdown,
        source_of,
    )
    from trainlint.report.result import Report  # noqa: PLC0415
    from trainlint.report.style import printable  # noqa: PLC0415

    settings = settings_from((config,), options | {"target": ()})
    names = options["target"]
    if not names:
        hardware = load_hardware(settings.gpus)
        names = tuple(item.name for item in (hardware.gpus() if options["cards"] else hardware.targets()))
    settings = settings.with_options(target=names)
    tapes = tapes_for(settings, Progress(), may_trace=not options["no_trace"])
    pipeline = pipeline_for(settings, tapes)
    found = jobs_in(config, pipeline)
    style = style_for(sys.stdout, options["color"])
    report: list[Result] = []
    for jobs in found:
        results = [result for target in pipeline.targets for result in pipeline.judge_all(jobs, target)]
        report += results
        if options["format_"] == "json":
            continue
        heading = printable(place_of(replace(results[0], target=None, variant=None)))
        placed = [job for target in pipeline.targets for job in pipeline.readings(jobs, target)]
        crops = _largest_crops(placed, tapes, settings, trace=options["crop"])
        named = {"batch": batch_key(results), "crop": next((crop.key for crop in crops.values()), "")}
        units = "".join(f", largest {what} as {printable(key)}" for what, key in named.items() if key)
        about = f"(memory in GiB{source_of(results)}{units})"
        if options["format_"] == "markdown":
            say(f"**{heading}** {about}\n")
            say("\n".join(render_markdown(results, crops, options["sort"])))
        else:
            say(f"{style.paint('bold', heading)} {about}")
            say("\n".join(render_fit(results, style, crops, options["sort"])))
    if options["format_"] == "json":
        say(json1.render(Report(tuple(report), 1), style).rstrip("\n"))
    tell_refused(tapes)
    return 0


def _largest_crops(
    placed: Iterable[Job], tapes: TapeSource, settings: Settings, *, trace: bool
) -> dict[tuple[str, str | None], LargestCrop]:
    """Return the largest crop by target and reading, where it is known; with `trace`, say why where not."""
    from trainlint.cli.console import say  # noqa: PLC0415
    from trainlint.estimate.crop_fit import largest_crop  # noqa: PLC0415
    from trainlint.report.style import printable  # noqa: PLC0415

    found: dict[tuple[str, str | None], LargestCrop] = {}
    reasons: dict[str, None] = {}
    for job in placed:
        target = job.placing.target if job.placing is not None else None
        if target is None:
            continue
        try:
            crop = largest_crop(job.spec, target, tapes, settings, trace=trace)
        except CannotTraceError as error:
            reasons[error.reason] = None
        else:
            found |= {(target.name, job.reading): crop} if crop else {}
    for reason in reasons if trace and not found else ():
        say(printable(f"largest crop: {reason}"), err=True)
    return found

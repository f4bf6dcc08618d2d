# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint fit CONFIG`: one config against every machine."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import click
from msgspec.structs import replace

from trainlint.cli.console import Progress, say, style_for
from trainlint.cli.refused_profiles import report_refused
from trainlint.cli.settings_from_options import settings_from
from trainlint.cli.shared_options import with_settings
from trainlint.errors import CannotTraceError, UsageError
from trainlint.estimate.memory.crop_fit import LargestCrop, largest_crop
from trainlint.estimate.memory.crop_needs import CropNeeds
from trainlint.estimate.memory.frames import frames_that_fit
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.hardware import load_hardware
from trainlint.model.job import Job
from trainlint.model.result import Report, Result
from trainlint.model.target import Target
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report import json_version_1
from trainlint.report.closing import place_of
from trainlint.report.json_version_1 import encoded
from trainlint.report.style import printable
from trainlint.report.text.fit_text import batch_key, render_fit, render_markdown, source_of
from trainlint.report.text.solve_text import answers, as_dict
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import jobs_in, pipeline_for, targets_for
from trainlint.settings.settings import Settings
from trainlint.solve import best, solve


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
@click.option("--crop", is_flag=True, help="Show the largest crop too; the first time a few are traced.")
@click.option(
    "--solve",
    type=click.Choice(["batch", "crop", "frames", "length", "rank"]),
    help="Look for the largest value of this that fits each target; the one named was judged.",
)
@click.option(
    "--best", is_flag=True, help="Look for the settings that fit each target and change the config least."
)
def fit_command(config: str, **options: Any) -> int:
    """Compare targets for CONFIG: does it fit, the largest batch, time, sessions, disk.

    Without --target, all machines are compared, and those that the settings name.
    """
    settings = settings_from((config,), options | {"target": ()})
    names, own = options["target"], [target.name for target in targets_for(settings.at(config))]
    if not names:
        hardware = load_hardware(settings.gpus)
        compared = hardware.gpus() if options["cards"] else hardware.targets()
        names = tuple(dict.fromkeys((*(item.name for item in compared), *own)))
    itemised = options["format_"] == "json" or options["solve"] == "frames"
    settings = replace(settings.with_options(target=names), itemised=itemised)
    tapes = tapes_for(settings, Progress(), may_trace=not options["no_trace"], beside=(config,))
    pipeline = pipeline_for(settings, tapes)
    found = jobs_in(config, pipeline)
    style = style_for(sys.stdout, options["color"])
    if options["solve"] or options["best"]:
        if options["solve"] and options["best"]:
            raise UsageError("--solve looks for one value, --best for all of them: expected one of the two")
        return _searched(found, pipeline, tapes, settings, options)
    report: list[Result] = []
    for jobs in found:
        results = [
            result for target in pipeline.targets_of(config) for result in pipeline.judge_all(jobs, target)
        ]
        report += results
        if options["format_"] == "json":
            continue
        heading = printable(place_of(replace(results[0], target=None, variant=None)))
        placed = [job for target in pipeline.targets_of(config) for job in pipeline.readings(jobs, target)]
        crops = _largest_crops(placed, tapes, settings, trace=options["crop"])
        named = {"batch": batch_key(results), "crop": next((crop.key for crop in crops.values()), "")}
        units = "".join(f", largest {what} as {printable(key)}" for what, key in named.items() if key)
        about = f"(memory in GiB{source_of(results)}{units})"
        if options["format_"] == "markdown":
            say(f"**{heading}** {about}\n")
            say("\n".join(render_markdown(results, crops, options["sort"], own)))
        else:
            say(f"{style.paint('bold', heading)} {about}")
            say("\n".join(render_fit(results, style, crops, options["sort"], own)))
    if options["format_"] == "json":
        say(json_version_1.render(Report(tuple(report), 1), style).rstrip("\n"))
    report_refused(tapes)
    return 0


def _searched(
    found: Iterable[Sequence[Job]],
    pipeline: Pipeline,
    tapes: TapeSource,
    settings: Settings,
    options: Mapping[str, Any],
) -> int:
    """Print what was looked for on every target, for each job."""
    style = style_for(sys.stdout, options["color"])
    targets = [target for target in pipeline.targets if target is not None]
    what = options["solve"]
    guess = partial(_guess, what or "crop", tapes, settings, trace=not options["no_trace"])
    jobs: list[Any] = []
    for each in found:
        known = [
            solve(pipeline, each, target, what, guess) if what else best(pipeline, each, target)
            for target in targets
        ]
        if options["format_"] == "json":
            jobs.append(as_dict(each[0].document, known))
        else:
            say("\n".join(answers(each[0].document, known, style, markdown=options["format_"] == "markdown")))
    if options["format_"] == "json":
        say(encoded({"format": 1, "solve": what, "best": options["best"], "jobs": jobs}).rstrip("\n"))
    report_refused(tapes)
    return 0


def _guess(
    what: str,
    tapes: TapeSource,
    settings: Settings,
    placed: Sequence[Job],
    results: Sequence[Result],
    *,
    trace: bool,
) -> int | None:
    """Return where to look first: the largest batch or crop that the replay knows, in every reading."""
    if what == "batch":
        known = [one.facts.memory.batch for one in results if one.facts and one.facts.memory]
        return min((batch.value for batch in known if batch), default=None)
    if what == "crop":
        crops = _largest_crops(placed, tapes, settings, trace=trace)
        return min((crop.value for crop in crops.values()), default=None)
    return _guessed_frames(placed, results) if what == "frames" else None


def _guessed_frames(placed: Sequence[Job], results: Sequence[Result]) -> int | None:
    """Return the frames that fit in every reading by one trace; every count that is tried needs its own."""
    frames = int(placed[0].spec.get("frames") or 0)
    known = [one.facts.memory for one in results if one.facts and one.facts.memory]
    return min((frames_that_fit(memory, frames) for memory in known), default=None) if frames else None


def _likeness(placed: tuple[Job, Target]) -> tuple[str, int, float]:
    """Order jobs so that those of one step on like GPUs come one after the other, and share tapes."""
    target, spec = placed[1], placed[0].spec
    capability = target.gpu.compute_capability if target.gpu else 0.0
    return spec.get("parallel") or "", spec.get("batch.per_process") or 0, capability


def _largest_crops(
    placed: Iterable[Job], tapes: TapeSource, settings: Settings, *, trace: bool
) -> dict[tuple[str, str | None], LargestCrop]:
    """Return the largest crop by target and reading, where it is known; with `trace`, say why where not."""
    found: dict[tuple[str, str | None], LargestCrop] = {}
    reasons: dict[str, None] = {}
    needs = CropNeeds()
    known = [(job, job.placing.target) for job in placed if job.placing and job.placing.target]
    for job, target in sorted(known, key=_likeness):
        try:
            crop = largest_crop(job.spec, target, tapes, settings, trace=trace, needs=needs)
        except CannotTraceError as error:
            reasons[error.reason] = None
        else:
            found |= {(target.name, job.reading): crop} if crop else {}
    for reason in reasons if trace and not found else ():
        say(printable(f"largest crop: {reason}"), err=True)
    return found

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint fit CONFIG`: one config against every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import isqrt
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from trainlint.cli.console import Progress, say, style_for
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SectionedCommand
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.cli.refused_profiles import report_refused
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
from trainlint.report.brief.line_folding import folded
from trainlint.report.closing import place_of
from trainlint.report.json_version_1 import encoded
from trainlint.report.style import printable
from trainlint.report.text.fit_text import batch_key, crop_heading, render_fit, render_markdown, source_of
from trainlint.report.text.solve_text import answers, as_dict
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import jobs_in, pipeline_for, targets_for
from trainlint.settings.settings import Settings
from trainlint.solve import Best, Solved, best, solve


class FitOptions(Struct, frozen=True, kw_only=True):
    """The options of `fit`."""

    shared: SharedOptions
    cards: bool
    sort: str
    output_format: str
    crop: bool
    solve: str | None
    best: bool


@click.command("fit", cls=SectionedCommand)
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@with_shared
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
    "output_format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="Output format; JSON is that of check.",
)
@click.option(
    "--crop",
    is_flag=True,
    help="Also show the largest crop, of text the largest length (traces a few the first time).",
)
@click.option(
    "--solve",
    type=click.Choice(["batch", "crop", "frames", "length", "rank", "resolution"]),
    help="Find the largest value that fits each target.",
)
@click.option("--best", is_flag=True, help="Find the settings that fit each target with the least change.")
@gathered(options=FitOptions)
def fit_command(config: str, options: FitOptions) -> int:
    """Compare targets for CONFIG: does it fit, the limit of the batch, time, sessions, disk.

    Without --target, all machines are compared, and those that the settings name.
    """
    settings = settings_from((config,), replace(options.shared, target=()))
    names, own = options.shared.target, [target.name for target in targets_for(settings.at(config))]
    if not names:
        hardware = load_hardware(settings.gpus)
        compared = hardware.gpus() if options.cards else hardware.targets()
        names = tuple(dict.fromkeys((*(item.name for item in compared), *own)))
    itemised = options.output_format == "json" or options.solve == "frames"
    settings = replace(settings.with_options(target=names), itemised=itemised)
    progress = Progress(quiet=options.shared.quiet)
    tapes = tapes_for(settings, progress, may_trace=options.shared.may_trace, beside=(config,))
    pipeline = pipeline_for(settings, tapes)
    jobs_of_documents = jobs_in(config, pipeline)
    if options.solve and options.best:
        raise UsageError("--solve finds one value and --best all of them: give one of the two")
    if options.solve or options.best:
        search = _searched(pipeline, tapes, settings, options, progress)
        _print_searched(jobs_of_documents, search, options)
    elif options.output_format == "json":
        results = [result for jobs in jobs_of_documents for result in _judged(jobs, config, pipeline)]
        style = style_for(sys.stdout, options.shared.color)
        say(json_version_1.render(Report(tuple(results), 1), style).rstrip("\n"))
    else:
        for jobs in jobs_of_documents:
            results = _judged(jobs, config, pipeline)
            placed = [
                job for target in pipeline.targets_of(config) for job in pipeline.readings(jobs, target)
            ]
            _print_table(results, _largest_crops(placed, tapes, settings, trace=options.crop), options, own)
    report_refused(tapes)
    return 0


def _judged(jobs: Sequence[Job], config: str, pipeline: Pipeline) -> list[Result]:
    return [result for target in pipeline.targets_of(config) for result in pipeline.judge_all(jobs, target)]


def _print_table(
    results: Sequence[Result],
    crops: dict[tuple[str, str | None], LargestCrop],
    options: FitOptions,
    own: Sequence[str],
) -> None:
    """Print a job's table; `own` are the targets of the settings."""
    style = style_for(sys.stdout, options.shared.color)
    heading = printable(place_of(replace(results[0], target=None, variant=None)))
    keys = {
        "limit and safe by memory alone": batch_key(results),
        crop_heading(crops): next((crop.key for crop in crops.values()), ""),
    }
    units = "".join(f"; {what}: {printable(key)}" for what, key in keys.items() if key)
    units = f"(memory in GiB{source_of(results)}{units})"
    if options.output_format == "markdown":
        say(f"**{heading}** {units}\n")
        say("\n".join(render_markdown(results, crops, options.sort, own)))
    else:
        say("\n".join(folded(f"{style.paint('bold', heading)} {units}", style.width)))
        say("\n".join(render_fit(results, style, crops, options.sort, own)))


def _searched(
    pipeline: Pipeline, tapes: TapeSource, settings: Settings, options: FitOptions, progress: Progress
) -> Callable[[Sequence[Job]], list[Solved | Best]]:
    """Return what looks for a job's answers, target by target, and says which is looked for."""
    what = options.solve
    guess = partial(_guess, what or "crop", tapes, settings, trace=options.shared.may_trace)

    def search(jobs: Sequence[Job]) -> list[Solved | Best]:
        known: list[Solved | Best] = []
        for target in filter(None, pipeline.targets):
            progress.file(f"{jobs[0].document.source.path} on {target.name}")
            known.append(solve(pipeline, jobs, target, what, guess) if what else best(pipeline, jobs, target))
        progress.file("")
        return known

    return search


def _print_searched(
    jobs_of_documents: Iterable[Sequence[Job]],
    search: Callable[[Sequence[Job]], list[Solved | Best]],
    options: FitOptions,
) -> None:
    """Print what was looked for on every target, for each job."""
    style = style_for(sys.stdout, options.shared.color)
    markdown = options.output_format == "markdown"
    entries: list[Any] = []
    for jobs in jobs_of_documents:
        known = search(jobs)
        if options.output_format == "json":
            entries.append(as_dict(jobs[0].document, known))
        else:
            say("\n".join(answers(jobs[0].document, known, style, markdown=markdown)))
    if options.output_format == "json":
        searched = {"format": 1, "solve": options.solve, "best": options.best, "jobs": entries}
        say(encoded(searched).rstrip("\n"))


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
        known = [result.facts.memory.batch for result in results if result.facts and result.facts.memory]
        return min((batch.value for batch in known if batch), default=None)
    if what == "crop":
        crops = _largest_crops(placed, tapes, settings, trace=trace, aloud=False)
        return min((crop.value for crop in crops.values()), default=None)
    if what == "resolution":
        pixels = _guessed(placed, results, "image.side", power=2)
        return None if pixels is None else isqrt(pixels)
    growing = {"frames": "frames", "length": "sequence.length"}
    return _guessed(placed, results, growing[what]) if what in growing else None


def _guessed(placed: Sequence[Job], results: Sequence[Result], name: str, power: int = 1) -> int | None:
    """Return the frames, tokens or pixels that fit in every reading by one trace; each needs its own."""
    counts = [int(job.spec.get(name) or 0) ** power for job in placed]
    known = [
        frames_that_fit(result.facts.memory, count)
        for count, result in zip(counts, results, strict=True)
        if count == max(counts) and result.facts and result.facts.memory
    ]
    return min(known, default=None) if max(counts) else None


def _likeness(placed: tuple[Job, Target]) -> tuple[str, int, float]:
    """Order jobs so that those of one step on like GPUs come one after the other, and share tapes."""
    target, spec = placed[1], placed[0].spec
    capability = target.gpu.compute_capability if target.gpu else 0.0
    return spec.get("parallel") or "", spec.get("batch.per_process") or 0, capability


def _largest_crops(
    placed: Iterable[Job], tapes: TapeSource, settings: Settings, *, trace: bool, aloud: bool = True
) -> dict[tuple[str, str | None], LargestCrop]:
    """Return the largest crop by target and reading, where it is known; with `trace`, say why where not.

    Not `aloud` where that is no answer: each crop is tried then.
    """
    crops: dict[tuple[str, str | None], LargestCrop] = {}
    reasons: dict[str, None] = {}
    needs = CropNeeds()
    known = [(job, job.placing.target) for job in placed if job.placing and job.placing.target]
    for job, target in sorted(known, key=_likeness):
        try:
            crop = largest_crop(job.spec, target, tapes, settings, trace=trace, needs=needs)
        except CannotTraceError as error:
            reasons[error.reason] = None
        else:
            crops |= {(target.name, job.reading): crop} if crop else {}
    for reason in reasons if aloud and trace and not crops else ():
        say(printable(f"largest crop: {reason}"), err=True)
    return crops

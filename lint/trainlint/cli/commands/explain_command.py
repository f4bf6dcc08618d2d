# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint explain CONFIG`: where every byte goes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import click

from trainlint.cli.console import Progress, save, say, style_for, write
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SectionedCommand
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.cli.refused_profiles import report_refused
from trainlint.cli.stand_in import ANOTHER_TARGET, with_target
from trainlint.errors import CannotTraceError
from trainlint.estimate.estimate import Estimating, check_known
from trainlint.estimate.explain.allocator_history import histories
from trainlint.estimate.explain.breakdown import breakdown
from trainlint.estimate.explain.timeline import timeline
from trainlint.estimate.memory.memory_of_tests import tested_workload
from trainlint.estimate.memory.workload import Workload, workloads
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.job import Job
from trainlint.model.result import Report, Result
from trainlint.model.target import Target
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.closing import place_of
from trainlint.report.memory.allocator_snapshot import snapshot as snapshot_of
from trainlint.report.memory.memory_text import library_words, source_words
from trainlint.report.page.curves import Explained
from trainlint.report.page.html_page import document, job_key
from trainlint.report.style import Style, printable
from trainlint.report.text.explain_text import render_breakdown, title_of
from trainlint.report.text.host_text import host_words
from trainlint.report.text.result_text import about
from trainlint.report.text.time_text import render_time
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import jobs_in, pipeline_for
from trainlint.settings.settings import Settings


@click.command("explain", cls=SectionedCommand)
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@with_shared
@click.option(
    "--snapshot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write PyTorch's memory snapshot, for https://pytorch.org/memory_viz.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write an HTML page: verdicts, memory over the step, the run's plan, the annotated config.",
)
@gathered(options=SharedOptions)
def explain_command(config: str, snapshot: Path | None, html: Path | None, options: SharedOptions) -> int:
    """Show where the memory of CONFIG's step goes: by kind and network, and the largest tensors."""
    settings = settings_from((config,), options)
    settings, assumed = with_target(settings)
    tapes = tapes_for(settings, Progress(quiet=options.quiet), may_trace=options.may_trace, beside=(config,))
    pipeline = pipeline_for(settings, tapes)
    jobs_of_documents = jobs_in(config, pipeline)
    style = style_for(sys.stdout, options.color)
    if assumed:
        say(f"{assumed}; {ANOTHER_TARGET}\n")
    explained: list[tuple[Result, tuple[Workload, ...]]] = []
    unknown: dict[str, None] = {}
    for jobs, target in product(jobs_of_documents, filter(None, pipeline.targets_of(config))):
        for job in pipeline.readings(jobs, target):
            result = pipeline.judge.judge(job, largest=False)
            try:
                moments = _moments(job, result.target or target, tapes, settings)
            except CannotTraceError as error:
                why = result.facts.missing.get("memory") if result.facts else None
                unknown[f"{config} on {target.name}: {why or error.reason}"] = None
                continue
            if explained:
                say()
            explained.append((result, moments))
            say("\n".join(explanation(result, moments, style)))
    for words in unknown:
        say(printable(words), err=True)
    report_refused(tapes)
    if explained and snapshot is not None:
        _write_snapshot(snapshot, explained)
    if html is not None:
        _write_page(html, config, pipeline, explained)
    return 0 if explained else 2


def _moments(job: Job, target: Target, tapes: TapeSource, settings: Settings) -> tuple[Workload, ...]:
    """Return what a placed job runs, training first; CannotTraceError says why nothing of it is known."""
    if job.tests:
        return (tested_workload(job, target, tapes, settings),)
    check_known(job.spec, job.own, tapes)
    estimating = Estimating(job.spec, target, tapes, settings, False, job.pins, job.own, job.looked)
    return workloads(estimating.as_pinned().spec, target, tapes, settings)


def explanation(result: Result, moments: tuple[Workload, ...], style: Style) -> Iterator[str]:
    """Yield a job's pages: heading, then each kind of GPU in training, then validation."""
    yield style.paint("bold", printable(place_of(result)))
    memory = result.facts.memory if result.facts else None
    origin = f"{library_words(memory)}{source_words(memory)}" if memory else ""
    yield printable(f"{about(result)}{origin}")
    if memory is None and result.facts is not None and "memory" in result.facts.missing:
        yield printable(f"note: memory is not judged: {result.facts.missing['memory']}")
    for workload in moments:
        yield ""
        yield style.paint("bold", title_of(workload))
        yield from render_breakdown(breakdown(workload.book, workload.samples), workload, style)
    facts = result.facts
    lines = list(render_time(facts.time)) if facts and facts.time else []
    lines += host_words(facts.host, result.target) if facts and facts.host else ()
    if lines:
        yield from ("", style.paint("bold", "time"), *lines)


def _write_snapshot(path: Path, explained: list[tuple[Result, tuple[Workload, ...]]]) -> None:
    """Write the first explanation's training as a snapshot; say so where there are several."""
    result, (training, *_) = explained[0]
    save(path, snapshot_of(histories(training.tape, training.samples)))
    several = f": {place_of(result)}, the first of {len(explained)}" if len(explained) > 1 else ""
    say(printable(f"wrote {path}{several}"), err=True)


def _write_page(
    path: Path, config: str, pipeline: Pipeline, explained: list[tuple[Result, tuple[Workload, ...]]]
) -> None:
    """Write the page of a file: what `check` finds, with the workloads of what was explained."""
    results = sorted(pipeline.lint_path(config, named=True), key=lambda result: result.sort_key)
    report = Report(tuple(results), files=1, rules=pipeline.rules.rules)
    workloads = {_named(result): moments for result, moments in explained}
    by_job: dict[str, list[tuple[Result, tuple[Workload, ...]]]] = {}
    for result in report.results:
        if _named(result) in workloads:
            by_job.setdefault(job_key(result), []).append((result, workloads[_named(result)]))
    write(document(report, {key: with_curves(of_job) for key, of_job in by_job.items()}), path)
    say(printable(f"wrote {path}"), err=True)


def with_curves(explained: Sequence[tuple[Result, tuple[Workload, ...]]]) -> list[Explained]:
    """Return one job's results with their workloads' curves, beyond what fits on any target."""
    most = [
        result.facts.memory.largest_batch for result, _ in explained if result.facts and result.facts.memory
    ]
    return [
        Explained(result, tuple((moment, timeline(moment, most)) for moment in moments))
        for result, moments in explained
    ]


def _named(result: Result) -> tuple[object, ...]:
    """Name a job in one reading on one target."""
    target = result.target.name if result.target else None
    return result.document, result.cell, result.line, result.variant, target

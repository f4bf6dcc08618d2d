# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint sweep FILE`: which combinations of a sweep fail on the target, before any is launched."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click
from msgspec import Struct

from trainlint.cli.console import Progress, save, say, style_for
from trainlint.cli.exit_code import Exit
from trainlint.cli.main import EXIT_CODES
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SectionedCommand
from trainlint.cli.options.number_range import NumberRange
from trainlint.cli.options.report_options import with_output
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.cli.options.verdict_options import VerdictOptions, with_strict
from trainlint.errors import UsageError
from trainlint.report.json_version_1 import encoded
from trainlint.report.style import harmless
from trainlint.report.text.sweep_text import as_dict, render, rows
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.sweep.rule_table import Mark
from trainlint.sweep.spread import spread
from trainlint.sweep.sweep import sweep
from trainlint.sweep.sweep_plan import base_of


class SweepOptions(Struct, frozen=True, kw_only=True):
    """The options of `sweep`."""

    shared: SharedOptions
    verdict: VerdictOptions
    config: str | None
    output_format: str
    output: Path | None
    backend: str | None
    jobs: int | None


@click.command("sweep", cls=SectionedCommand, epilog=EXIT_CODES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("overrides", nargs=-1, metavar="[KEY=VALUES]...")
@with_shared
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False),
    help="The config that holds a W&B sweep's parameters, if its command takes none of them.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="Output format; csv has a line for each combination.",
)
@with_output
@with_strict
@click.option(
    "--backend",
    type=click.Choice(["loky", "dask", "ray"]),
    help="Where to trace and judge: processes here, or your cluster (needs trainlint[sweep]).",
)
@click.option(
    "--jobs", "-j", type=NumberRange(1, 4096), metavar="N", help="Processes [default: one per core]."
)
@gathered(options=SweepOptions)
def sweep_command(file: str, overrides: tuple[str, ...], options: SweepOptions) -> int:
    """Say which combinations of a sweep fail: FILE is a W&B sweep, a grid, or a config with overrides.

    For example: trainlint sweep train.yml datasets.train.batch_size_per_gpu=4,8,16 scale=2,4 -t t4
    """
    if options.shared.seconds_per_iteration is not None or options.shared.log is not None:
        raise UsageError("--seconds-per-iteration and --log are for one combination, and a sweep has many")
    base = base_of(file, overrides, options.config)
    settings = options.verdict.added_to(settings_from((base.path, file), options.shared))
    tapes = partial(tapes_for, settings, may_trace=options.shared.may_trace)
    progress = Progress(quiet=options.shared.quiet)
    pipeline = pipeline_for(settings, tapes(progress=progress), (base.path,))
    targets = [target for target in pipeline.targets_of(base.path) if target is not None]
    if not targets:
        raise UsageError("a sweep needs a machine to be judged against: --target NAME")
    do = partial(spread, tapes=tapes, backend=options.backend, jobs=options.jobs, progress=progress)
    sweeps = []
    for target in targets:
        progress(f"{file}: reading which values decide what")
        sweeps.append(sweep(pipeline, base, target, settings, do))
    progress("")
    emit = partial(_emit, options.output)
    if options.output is not None:
        save(options.output, b"")
    if options.output_format == "json":
        emit(encoded({"format": 1, "sweeps": [as_dict(swept) for swept in sweeps]}))
    elif options.output_format == "csv":
        for number, swept in enumerate(sweeps):
            for text in rows(swept, header=number == 0):
                emit(text)
    else:
        style = style_for(sys.stdout, options.shared.color)
        for swept in sweeps:
            emit("".join(f"{line}\n" for line in render(swept, style)))
    failing = any(swept.count(Mark.FAIL) for swept in sweeps)
    undecided = settings.strict and any(swept.count(Mark.OPEN) for swept in sweeps)
    return Exit.FINDINGS if failing or undecided else Exit.CLEAN


def _emit(output: Path | None, text: str) -> None:
    if output is None:
        say(text.rstrip("\n"))
    else:
        save(output, harmless(text).encode(), append=True)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint sweep FILE`: which combinations of a sweep fail on the target, before any is launched."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from trainlint.cli.console import Progress, save, say, style_for
from trainlint.cli.exit_code import Exit
from trainlint.cli.main import EXIT_CODES
from trainlint.cli.settings_from_options import settings_from
from trainlint.cli.shared_options import with_settings
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


@click.command("sweep", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("overrides", nargs=-1, metavar="[KEY=VALUES]...")
@with_settings
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False),
    help="The config in which a W&B sweep's parameters are set, where they are no arguments of its command.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="csv has a line for every combination.",
)
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file.")
@click.option("--strict", is_flag=True, help="Count what could not be judged as a failure.")
@click.option(
    "--backend",
    type=click.Choice(["loky", "dask", "ray"]),
    help="Where new steps are traced and judged: processes here, or your cluster (needs trainlint[sweep]).",
)
@click.option("--jobs", "-j", type=click.IntRange(min=1, max=4096), help="Processes [default: one per core].")
def sweep_command(file: str, overrides: tuple[str, ...], **options: Any) -> int:
    """Say which combinations of a sweep fail: FILE is a W&B sweep, a grid, or a config with overrides.

    For example: trainlint sweep train.yml datasets.train.batch_size_per_gpu=4,8,16 scale=2,4 -t t4
    """
    if options["seconds_per_iteration"] is not None or options["log"] is not None:
        raise UsageError("--seconds-per-iteration and --log are of one combination, and a sweep has many")
    base = base_of(file, overrides, options["config"])
    settings = settings_from((base.path, file), options).with_options(strict=options["strict"])
    tapes = partial(tapes_for, settings, may_trace=not options["no_trace"])
    progress = Progress()
    pipeline = pipeline_for(settings, tapes(progress=progress), (base.path,))
    targets = [target for target in pipeline.targets_of(base.path) if target is not None]
    if not targets:
        raise UsageError("a sweep is judged against a machine: --target NAME")
    do = partial(spread, tapes=tapes, backend=options["backend"], jobs=options["jobs"], progress=progress)
    found = [sweep(pipeline, base, target, settings, do) for target in targets]
    output: Path | None = options["output"]
    emit = partial(_emit, output)
    if output is not None:
        save(output, b"")
    if options["format_"] == "json":
        emit(encoded({"format": 1, "sweeps": [as_dict(one) for one in found]}))
    elif options["format_"] == "csv":
        for at, one in enumerate(found):
            for text in rows(one, header=at == 0):
                emit(text)
    else:
        style = style_for(sys.stdout, options["color"])
        for one in found:
            emit("".join(f"{line}\n" for line in render(one, style)))
    failing = any(one.count(Mark.FAIL) for one in found)
    undecided = settings.strict and any(one.count(Mark.OPEN) for one in found)
    return Exit.FINDINGS if failing or undecided else Exit.CLEAN


def _emit(output: Path | None, text: str) -> None:
    if output is None:
        say(text.rstrip("\n"))
    else:
        save(output, harmless(text).encode(), append=True)

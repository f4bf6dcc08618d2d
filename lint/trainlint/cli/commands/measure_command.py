# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint measure CONFIG`: run the step on this machine's GPU and hold the estimate against it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from trainlint import __version__
from trainlint.cli.console import Progress, save, say, style_for
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SectionedCommand
from trainlint.cli.options.number_range import NumberRange
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.errors import CannotTraceError, UsageError
from trainlint.estimate.estimate import check_known
from trainlint.estimate.library_version import contradiction
from trainlint.estimate.measurement import record
from trainlint.estimate.memory.card import Card, card_of
from trainlint.estimate.planned_run import (
    Measure,
    MeasuredRun,
    Options,
    PlannedRun,
    calibrating,
    capped,
    perform,
    plan,
)
from trainlint.estimate.run.placement import place_job
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.estimate.tapes.torch_import import check_torch
from trainlint.expressions.patterns import later
from trainlint.hardware import load_hardware
from trainlint.hardware.cuda_context import context_on
from trainlint.measuring.gpu_reading import Request, context_request
from trainlint.measuring.measuring_process import MeasuringProcess
from trainlint.model.job import Job
from trainlint.model.placing import Placing
from trainlint.model.target import Target
from trainlint.report.style import printable
from trainlint.report.text.measure_text import render_context, render_outcome
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import jobs_in, pipeline_for
from trainlint.settings.settings import Settings
from trainlint.settings.settings_keys import user_settings_file

UNITS = {"": 2**30, "gib": 2**30, "mib": 2**20, "gb": 10**9, "mb": 10**6}
"""Bytes by unit; a bare number is GiB, as cards are sold."""
SIZE = later(r"(\d+(?:\.\d+)?)\s*([a-z]*)")


def _size(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int | None:
    """Read 24GiB, 24576MiB or 24."""
    if value is None:
        return None
    match = SIZE.fullmatch(value.strip().lower())
    if match is None or match[2] not in UNITS or not float(match[1]):
        raise click.BadParameter(f'"{value}" is not a size such as 24GiB or 24576MiB')
    return int(float(match[1]) * UNITS[match[2]])


class MeasureOptions(Struct, frozen=True, kw_only=True):
    """The options of `measure`."""

    shared: SharedOptions
    steps: int
    batch: int | None
    only_context: bool
    no_benchmark: bool
    cap: int | None
    output: Path


@click.command("measure", cls=SectionedCommand)
@click.argument("config", required=False, type=click.Path(exists=True, dir_okay=False))
@with_shared
@click.option(
    "--steps",
    type=NumberRange(2),
    default=5,
    show_default=True,
    metavar="N",
    help="Training steps to run, two or more; the first is not counted.",
)
@click.option("--batch", type=NumberRange(1), metavar="N", help="Samples per GPU, instead of the config's.")
@click.option(
    "--context",
    "only_context",
    is_flag=True,
    help="Measure this GPU's CUDA context alone, without a CONFIG: under a minute.",
)
@click.option("--no-benchmark", is_flag=True, help="Turn cudnn.benchmark off, whatever the trainer does.")
@click.option(
    "--cap",
    callback=_size,
    metavar="SIZE",
    help="Imitate a smaller card, for example 24GiB (what torch would see of it).",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default="measured.jsonl",
    show_default=True,
    help="File to append a line of JSON to for each run.",
)
@gathered(options=MeasureOptions)
def measure_command(config: str | None, options: MeasureOptions) -> int:
    """Run the step of CONFIG on this machine's GPU, with random data, and compare with the estimate."""
    if options.shared.target:
        raise UsageError("measure runs on this machine: it takes no --target")
    if (config is None) != options.only_context:
        raise UsageError("give measure a CONFIG, or --context without one")
    settings = settings_from((config or ".",), options.shared).with_options(target=("local",))
    if settings.python is None:
        require_gpu()
    target = load_hardware(settings.gpus).target("local")
    process = MeasuringProcess(settings.python, settings.networks)
    if config is None:
        return _context(target, settings, process)
    machine = _MeasuredMachine(config, settings, target, options, process)
    wanted = Options(options.batch, False if options.no_benchmark else None, options.steps)
    if not sum(machine.measure(job, wanted) for job in machine.jobs()):
        return 2
    kept = json.dumps(str(options.output.absolute()), ensure_ascii=False)
    say(printable(f"verdicts on this card go by it with calibration = {kept} in {user_settings_file()}"))
    return 0


def _context(target: Target, settings: Settings, run: Measure) -> int:
    """Measure the context of a process that has loaded what training loads, and say how to keep it."""
    if target.gpu is None:
        raise UsageError("this machine has no GPU")
    try:
        reading = run(context_request())
    except CannotTraceError as error:
        raise UsageError(f"the context cannot be measured: {error.reason}") from error
    assumed = context_on(target, target.gpu, settings.context)
    say("\n".join(render_context(reading, target.gpu.name, assumed)))
    return 0 if reading.gpus and reading.gpus[0].context is not None else 2


def require_gpu() -> None:
    """Raise UsageError without torch or without a GPU that it can use."""
    try:
        check_torch("trainlint measure needs an NVIDIA GPU and torch: pip install 'trainlint[torch]'")
    except CannotTraceError as error:
        raise UsageError(error.reason) from error
    from trainlint.trace.on_gpu.measure_step import require_gpu as require  # noqa: PLC0415 - imports torch

    require()


class _MeasuredMachine:
    """The machine, ready to measure one file's jobs."""

    def __init__(
        self, config: str, settings: Settings, target: Target, options: MeasureOptions, run: Measure
    ) -> None:
        self.config = config
        self.settings = settings
        self.target = target
        self.cap = options.cap
        self.output = options.output
        self.run = run
        self.progress = Progress(quiet=options.shared.quiet)
        self.style = style_for(sys.stdout, options.shared.color)
        self.tapes: TapeSource = tapes_for(settings, self.progress, may_trace=options.shared.may_trace)
        self.asked: list[Request] = []

    def jobs(self) -> list[Job]:
        """Return the file's jobs as `check` reads them: by the trainer and the commands around it."""
        pipeline = pipeline_for(self.settings, self.tapes)
        return [job for jobs in jobs_in(self.config, pipeline) for job in jobs]

    def measure(self, job: Job, wanted: Options) -> bool:
        """Measure one job, print it and keep it; False where it cannot be run.

        What several commands start alike is run once.
        """
        start = None if job.start is None else f"as {job.start.place} starts it"
        name = " ".join(filter(None, (self.config, job.spec.get("name"), job.variant, start)))
        try:
            planned, card = self._planned(job, wanted)
            if planned.request in self.asked:
                return True
            self.asked.append(planned.request)
            outcome = self._performed(planned, card)
        except CannotTraceError as error:
            say(printable(f"{name}: {error.reason}"), err=True)
            return False
        say(self.style.paint("bold", printable(name)))
        say("\n".join(render_outcome(planned, outcome, self.style)))
        self._keep(job, planned, outcome)
        return True

    def _planned(self, job: Job, wanted: Options) -> tuple[PlannedRun, Card]:
        """Return the run, and the card that it is estimated on."""
        if job.skip is not None:
            raise CannotTraceError(job.skip)
        check_known(job.spec, job.own, self.tapes)
        planned = plan(place_job(job, Placing(self.target, self.settings.launcher)).spec, self.target, wanted)
        library = "" if self.settings.python else job.dialect.trainer.library
        other = contradiction(job.pins, library)
        note = () if other is None else (f"{other}, and is what runs here: networks and sizes may differ",)
        if self.target.gpu is None:
            raise UsageError("this machine has no GPU")
        card, limit = capped(card_of(planned.spec, self.target.gpu, self.settings.context), self.cap)
        request = dataclasses.replace(planned.request, limit=limit)
        return replace(planned, request=request, notes=(*planned.notes, *note)), card

    def _performed(self, planned: PlannedRun, card: Card) -> MeasuredRun:
        self.progress(f"measuring {self.config}")
        try:
            return perform(planned, card, self.tapes, self.run)
        finally:
            self.progress("")

    def _keep(self, job: Job, planned: PlannedRun, outcome: MeasuredRun) -> None:
        line = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "trainlint": __version__,
            "config": self.config,
            "config_sha256": hashlib.sha256(job.document.source.text.encode()).hexdigest(),
            "name": job.spec.get("name"),
            "variant": job.variant,
            "cap": self.cap,
            **record(planned.request, outcome.reading, outcome.estimates),
            **({} if self.target.gpu is None else calibrating(planned, self.target.gpu, self.tapes)),
        }
        save(self.output, f"{json.dumps(line)}\n".encode(), append=True)

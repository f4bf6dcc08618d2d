# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint dry-run -- COMMAND...`: run the user's own program on the CPU, as if it had the target's GPU."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Final

import click
from msgspec import Struct
from msgspec.structs import replace

from trainlint.cli.console import Progress, complain, say
from trainlint.cli.exit_code import exit_of
from trainlint.cli.main import EXIT_CODES
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SectionedCommand
from trainlint.cli.options.number_range import NumberRange
from trainlint.cli.options.report_options import ReportOptions, with_format, with_output, with_verbose
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.cli.options.verdict_options import VerdictOptions, with_fail_on, with_strict
from trainlint.cli.report_printer import Printer
from trainlint.cli.stand_in import with_target
from trainlint.documents.file_format import is_option_file
from trainlint.dry_run.dry_run import Asked, pipeline_of, record
from trainlint.dry_run.keeping.kept_runs import stored
from trainlint.dry_run.rehearsing.made_up_data import MadeUp, parse_made_up
from trainlint.dry_run.rehearsing.merged_recordings import merged
from trainlint.dry_run.rehearsing.rehearsal import held_back
from trainlint.dry_run.rehearsing.request import UNTIL_CHOICES
from trainlint.dry_run.starting.known_command import command_for
from trainlint.dry_run.starting.typed_command import program_of
from trainlint.model.result import Report, Result
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.style import printable
from trainlint.session.chosen_tapes import projects_store, tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

SAY_EVERY_S: Final = 15.0
"""Seconds between two lines that say how far the runs are."""


class DryRunOptions(Struct, frozen=True, kw_only=True):
    """The options of `dry-run`."""

    shared: SharedOptions
    report: ReportOptions
    verdict: VerdictOptions
    until: str
    vary: str | None
    network: bool
    timeout: float
    data: MadeUp | None
    store: bool
    show_output: bool


def _data(_ctx: click.Context, _param: click.Parameter, value: str | None) -> MadeUp | None:
    try:
        return None if value is None else parse_made_up(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command(
    "dry-run",
    cls=SectionedCommand,
    epilog=EXIT_CODES,
    context_settings={"allow_interspersed_args": False, "ignore_unknown_options": False},
)
@click.argument("words", nargs=-1, required=True, metavar="CONFIG | -- COMMAND...", type=click.UNPROCESSED)
@with_shared
@click.option(
    "--until",
    type=click.Choice(UNTIL_CHOICES),
    default="step",
    show_default=True,
    help="How far to run the program.",
)
@click.option(
    "--vary", metavar="KEY=V1,V2", help="The argument that sets the program's batch, with two values."
)
@click.option("--network", is_flag=True, help="Let the program use the network.")
@click.option(
    "--timeout",
    type=NumberRange(above=0),
    default=600,
    show_default=True,
    metavar="S",
    help="Time limit of each run, in seconds.",
)
@click.option(
    "--data",
    callback=_data,
    metavar="images:WxH:N[:FOLDER]",
    help="Put made-up images where the config expects its own, or into FOLDER.",
)
@click.option(
    "--store", is_flag=True, help="Store what was recorded in .trainlint/profiles, for check to use."
)
@click.option("--show-output", is_flag=True, help="Show the program's output on stderr.")
@with_format
@with_output
@with_fail_on
@with_strict
@with_verbose
@gathered(options=DryRunOptions)
def dry_run_command(words: tuple[str, ...], options: DryRunOptions) -> int:
    """Run a training program on the CPU as if it had the target's GPU, stop after a few steps, and judge it.

    It runs as you, without the network, and what it writes goes into a private layer. Nothing else in
    trainlint runs a program unless your own settings trust its folder (`trusted`, for `trainlint trace`).

    For example: trainlint dry-run -t rtx-3060 -- python train.py --batch-size 16
    """
    settings, assumed = with_target(options.verdict.added_to(settings_from((), options.shared)))
    settings = replace(settings, itemised=options.report.itemised)
    progress = Progress(quiet=options.shared.quiet)
    heard = (
        _NowAndThen() if options.report.verbose and not progress.on and not options.shared.quiet else progress
    )
    base = pipeline_for(settings, tapes_for(settings, progress, may_trace=False))
    asked = _asked(words, base, settings, options)
    targets = [target for target in base.targets if target is not None]
    recorded = record(asked, targets, merged, heard)
    pipeline = pipeline_of(base, settings, asked, recorded)
    printer = Printer(options.report, options.shared.color, before=lambda: progress(""))
    results = pipeline.judged()
    for line in dict.fromkeys(line for run in recorded.values() for line in held_back(run.outcome)):
        complain(line)
    printer.add(results)
    report = Report(results=results, files=1, notes=_notes(results), rules=pipeline.rules.rules)
    printer.close(report)
    if assumed:
        say(assumed, err=True)
    if options.store:
        for path in stored(pipeline, projects_store(settings)):
            say(printable(f"stored {path}"), err=True)
    return exit_of(report, settings.fail_on, strict=settings.strict)


def _asked(words: Sequence[str], base: Pipeline, settings: Settings, options: DryRunOptions) -> Asked:
    """Return what is asked: of a command as it is given, or of the one that the dialect of a config knows."""
    folder, config = Path(), None
    if len(words) == 1 and is_option_file(words[0]) and os.path.isfile(words[0]):  # noqa: PTH113 - as it is written
        config = words[0]
        words, folder = command_for(config, base)
    program = program_of(words, settings.python)
    return Asked(
        program, folder, options.until, options.vary, options.network, options.timeout,
        _Shown() if options.show_output else None,  # type: ignore[arg-type]
        None if options.data is None else options.data.preparing(program, folder), config,
    )  # fmt: skip


class _NowAndThen:
    """Says now and then on stderr how far the runs are, for a verbose reader that has no terminal."""

    def __init__(self) -> None:
        self.next = monotonic() + SAY_EVERY_S

    def __call__(self, line: str) -> None:
        """Take what the runs do."""
        if line and monotonic() >= self.next:
            self.next = monotonic() + SAY_EVERY_S
            say(printable(line), err=True)


class _Shown:
    """Shows a program's output line by line, with nothing in it that a terminal would obey."""

    def __init__(self) -> None:
        self.left = b""

    def write(self, piece: bytes) -> None:
        """Take what was printed."""
        *lines, self.left = (self.left + piece).replace(b"\r", b"\n").split(b"\n")
        for line in lines:
            say(printable(line.decode("utf-8", "replace")), err=True)

    def flush(self) -> None:
        """Leave half a line for later."""


def _notes(results: Sequence[Result]) -> tuple[str, ...]:
    notes = (note for result in results if result.origin for note in result.origin.notes)
    return tuple(dict.fromkeys(notes))

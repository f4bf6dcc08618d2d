# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint trace CONFIG...`: store the tapes of a project's configs, so that hooks and CI need no torch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from trainlint.cli.console import Progress, complain, say
from trainlint.cli.exit_code import Exit
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SectionedCommand
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.cli.stand_in import ANOTHER_TARGET, with_target
from trainlint.documents.discover import InputFile
from trainlint.errors import UnreadableError, UsageError
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.model.finding import Outcome
from trainlint.model.job import Job
from trainlint.model.result import Report
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.style import printable
from trainlint.session.chosen_tapes import projects_store, tapes_for
from trainlint.session.many_files import Input, lint_all
from trainlint.session.toolbox import inputs_of, jobs_in, pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape import Tape

ANY_COMMAND: Final = "trainlint dry-run --store -- COMMAND"
"""What stores a dry run of a program whose command nobody knows."""


@click.command("trace", cls=SectionedCommand)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
@click.option("--run-code", is_flag=True, hidden=True)
@with_shared
@gathered(options=SharedOptions)
def trace_command(paths: tuple[str, ...], *, run_code: bool, options: SharedOptions) -> int:
    """Trace the steps of training configs; write profiles to .trainlint/profiles, to be committed."""
    settings = settings_from(paths, options)
    settings, assumed = with_target(settings)
    progress = Progress(quiet=options.quiet)
    inputs = inputs_of(paths, settings, None)
    if run_code:
        raise UsageError(_instead_of_run_code(inputs, settings))
    store = projects_store(settings)
    kept: dict[str, None] = {}

    def keep(tape: Tape) -> None:
        kept[_keep(tape, store)] = None

    tapes = tapes_for(
        settings,
        progress,
        may_trace=options.may_trace,
        most=None,
        used=keep,
        beside=[item.path for item in inputs if getattr(item, "explicit", False)],
    )
    pipeline = pipeline_for(settings, tapes)
    report = lint_all(pipeline, inputs, progress.file)
    run = _run_dry(report, pipeline, settings, progress)
    kept |= dict.fromkeys(line for lines in run.values() for line in lines)
    for line in kept:
        say(printable(line))
    if assumed:
        say(
            f"{assumed}; several GPUs, or a card before Ampere, have profiles of their own: {ANOTHER_TARGET}",
            err=True,
        )
    for line in _refusals(report, run):
        complain(line)
    if report.crashes:
        return Exit.INTERNAL
    if report.outcomes[Outcome.UNREADABLE]:
        return Exit.UNREADABLE
    return Exit.CLEAN if kept else Exit.FINDINGS


def _run_dry(
    report: Report, pipeline: Pipeline, settings: Settings, progress: Progress
) -> dict[str, list[str]]:
    """Run the programs that the user trusts; return which configs gave which profiles."""
    lines: dict[str, list[str]] = {}
    if settings.trusted:
        from trainlint.cli.trusted_programs import run_dry  # noqa: PLC0415 - where the user trusts a folder

        for config, profile in run_dry(report.results, pipeline, settings, progress, complain):
            lines.setdefault(config, []).append(_line(profile, f"dry run of {config}"))
    return lines


def _instead_of_run_code(inputs: Sequence[Input], settings: Settings) -> str:
    """Say what does today what --run-code did, by the first config whose command is known."""
    from trainlint.dry_run.starting.known_command import dry_run_of  # noqa: PLC0415 - where it is asked for

    pipeline = pipeline_for(settings, tapes_for(settings, lambda _text: None, may_trace=False))
    paths = [item.path for item in inputs if isinstance(item, InputFile)]
    jobs = (jobs[0] for path in paths for jobs in _jobs(path, pipeline))
    commands = (dry_run_of(job, settings.target) for job in jobs if not job.tests)
    command = next(filter(None, commands), ANY_COMMAND)
    others = ", and so for each of the others" if len(paths) > 1 else ""
    work = "runs the program itself and stores what it needs"
    return f"--run-code is gone: {command} {work}{others}"


def _jobs(path: str, pipeline: Pipeline) -> Sequence[tuple[Job, ...]]:
    try:
        return jobs_in(path, pipeline)
    except (UsageError, UnreadableError):
        return ()


def _keep(tape: Tape, store: Store) -> str:
    """Save a tape and say where and what it is."""
    try:
        path = store.save(tape)
    except OSError as error:
        raise UsageError(f'cannot write "{store.folder}": {error.strerror}') from None
    networks = ", ".join(f"{net.role} {net.arch}" for net in tape.networks if net.parameters)
    return _line(path, networks)


def _line(path: Path, what: str) -> str:
    return f"{path}  {path.stat().st_size / 1000:.1f} kB  {what}"


def _refusals(report: Report, run: Collection[str]) -> Iterator[str]:
    """Say which jobs gave no tape, and why; not those of configs that were run dry."""
    for result in report.results:
        if result.path in run:
            continue
        reason = result.facts.missing.get("memory") if result.facts is not None else None
        if result.outcome is Outcome.UNREADABLE:
            reason = result.findings[0].message
        if reason is not None:
            yield f"{result.path}: {reason}"
    yield from (crash.message for crash in report.crashes)

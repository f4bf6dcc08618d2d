# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint trace CONFIG...`: store the tapes of a project's configs, so that hooks and CI need no torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from trainlint.cli.console import Progress, complain, say
from trainlint.cli.exit_code import Exit
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SectionedCommand
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.cli.stand_in import ANOTHER_TARGET, with_target
from trainlint.errors import UsageError
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.model.finding import Outcome
from trainlint.model.result import Report
from trainlint.report.style import printable
from trainlint.session.chosen_tapes import projects_store, tapes_for
from trainlint.session.many_files import lint_all
from trainlint.session.toolbox import inputs_of, pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape import Tape


@click.command("trace", cls=SectionedCommand)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
@click.option(
    "--run-code",
    is_flag=True,
    help="Run the networks and model classes of the trainer's repository around the configs, as you, "
    "in a process of its own (no sandbox; see docs/security.md).",
)
@with_shared
@gathered(options=SharedOptions)
def trace_command(paths: tuple[str, ...], *, run_code: bool, options: SharedOptions) -> int:
    """Trace the steps of training configs; write profiles to .trainlint/profiles, to be committed."""
    settings = settings_from(paths, options)
    settings, assumed = with_target(settings)
    progress = Progress(quiet=options.quiet)
    store = projects_store(settings)
    kept: dict[str, None] = {}

    def keep(tape: Tape) -> None:
        kept[_keep(tape, store)] = None

    inputs = inputs_of(paths, settings, None)
    tapes = tapes_for(
        settings,
        progress,
        may_trace=options.may_trace,
        most=None,
        run_code=_permission(settings, asked=run_code),
        used=keep,
        complain=complain,
        beside=[item.path for item in inputs if getattr(item, "explicit", False)],
    )
    report = lint_all(pipeline_for(settings, tapes), inputs, progress.file)
    for line in kept:
        say(printable(line))
    if assumed:
        say(
            f"{assumed}; several GPUs, or a card before Ampere, have profiles of their own: {ANOTHER_TARGET}",
            err=True,
        )
    for line in _refusals(report):
        complain(line)
    if report.crashes:
        return Exit.INTERNAL
    if report.outcomes[Outcome.UNREADABLE]:
        return Exit.UNREADABLE
    return Exit.CLEAN if kept else Exit.FINDINGS


def _permission(settings: Settings, *, asked: bool) -> Callable[[Path], bool] | None:
    """Return what says whether a repository's code may run; None where that was permitted for none."""
    if asked:
        return lambda _root: True
    if not settings.trusted or settings.python or settings.networks:
        return None
    return settings.trusts


def _keep(tape: Tape, store: Store) -> str:
    """Save a tape and say where and what it is."""
    try:
        path = store.save(tape)
    except OSError as error:
        raise UsageError(f'cannot write "{store.folder}": {error.strerror}') from None
    networks = ", ".join(f"{net.role} {net.arch}" for net in tape.networks if net.parameters)
    return f"{path}  {path.stat().st_size / 1000:.1f} kB  {networks}"


def _refusals(report: Report) -> Iterator[str]:
    """Say which jobs gave no tape, and why."""
    for result in report.results:
        reason = result.facts.missing.get("memory") if result.facts is not None else None
        if result.outcome is Outcome.UNREADABLE:
            reason = result.findings[0].message
        if reason is not None:
            yield f"{result.path}: {reason}"
    yield from (crash.message for crash in report.crashes)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What `trainlint [check] PATHS` does: lint and report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainlint.cli.baseline_options import baseline_for, notes_of, write_baseline
from trainlint.cli.console import Progress, complain, say
from trainlint.cli.error_ending import EXIT_INTERRUPT
from trainlint.cli.exit_code import Exit, exit_of
from trainlint.cli.options.check_options import CheckOptions
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.refused_profiles import report_refused
from trainlint.cli.report_printer import Printer
from trainlint.errors import UsageError
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.units import plural
from trainlint.pipeline.pipeline import Pipeline
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.many_files import Input, Judging, lint_all
from trainlint.session.toolbox import inputs_of, pipeline_for
from trainlint.settings.settings import Settings

if TYPE_CHECKING:
    from trainlint.cli.fixing.fix_output import Written


def check(paths: tuple[str, ...], options: CheckOptions) -> int:
    """Lint, and return the exit code. Raises UsageError."""
    options.check_use(paths)
    if options.watch:
        from trainlint.cli.watch import watch  # noqa: PLC0415 - with --watch alone

        return watch(paths, options.shared, partial(_once, paths, options))
    return _once(paths, options)


def _once(paths: tuple[str, ...], options: CheckOptions) -> int:
    """Lint once."""
    settings = _settings(paths, options)
    progress = Progress(quiet=options.shared.quiet)
    inputs = inputs_of(paths, settings, options.stdin_filename, skip_unknown=options.skip_unknown)
    named = [item.path for item in inputs if getattr(item, "explicit", False)]
    tapes = tapes_for(settings, progress, may_trace=options.shared.may_trace, beside=named)
    pipeline = pipeline_for(settings, tapes, (item.path for item in inputs), options.data)
    if options.diff:
        from trainlint.cli.fixing.fix_output import editable, show_diff  # noqa: PLC0415 - with --diff alone

        unsafe = options.unsafe_fixes
        return show_diff(pipeline, editable(inputs, paths), options.report.output, unsafe=unsafe)
    written = _fixed(pipeline, inputs, paths, options) if options.fix else None
    inputs = sorted(inputs, key=lambda item: item.path)
    if options.write_baseline is not None:
        return write_baseline(pipeline, inputs, progress, options.write_baseline)
    baseline = baseline_for(settings, pipeline)
    judge = _processes(settings, inputs, options, tapes) if options.jobs > 1 else None
    printer = Printer(
        options.report, options.shared.color, before=partial(progress.file, ""), several=len(inputs) > 1
    )
    try:
        report = lint_all(pipeline, inputs, progress.file, printer.add, baseline.new, judge=judge)
    except KeyboardInterrupt:
        complain(f"interrupted after {printer.files} of {plural(len(inputs), 'file')}")
        return EXIT_INTERRUPT
    taken = dict.fromkeys(target.assumed for target in pipeline.targets if target and target.assumed)
    notes = (*taken, *notes_of(settings), *report.notes, *baseline.notes(), *tapes.refused())
    fixes = written.fixes if written is not None else ()
    report = replace(report, notes=notes, rules=pipeline.rules.rules, fixes=fixes)
    if options.skip_unknown:
        report = replace(report, unrecognised=())
    printer.close(report)
    if report.results or not options.skip_unknown:
        _say_aside(printer.format.aside(report))
    if not printer.format.notes:
        report_refused(tapes)
        for note in (*notes_of(settings), *baseline.notes()):
            complain(note)
    if written is not None:
        written.say_spared(report.results)
    for crash in report.crashes:
        complain(crash.message) if not options.shared.debug else say(crash.traceback, err=True)
    code = exit_of(report, settings.fail_on, strict=settings.strict, may_be_empty=options.skip_unknown)
    return code if written is None or written.complete else max(code, Exit.UNREADABLE)


def _fixed(
    pipeline: Pipeline, inputs: Sequence[Input], paths: tuple[str, ...], options: CheckOptions
) -> Written:
    from trainlint.cli.fixing.fix_output import editable, write_fixes  # noqa: PLC0415 - with --fix alone

    allowed = editable(inputs, paths)
    spared = frozenset(item.path for item in inputs) - {item.path for item in allowed}
    return replace(write_fixes(pipeline, allowed, unsafe=options.unsafe_fixes), spared=spared)


def _settings(paths: tuple[str, ...], options: CheckOptions) -> Settings:
    """Return the settings with what the options of check say."""
    settings = options.verdict.added_to(settings_from(paths, options.shared))
    return replace(
        settings.with_options(baseline=options.baseline),
        allow_shorter=options.allow_shorter,
        itemised=options.report.itemised,
    )


def _processes(
    settings: Settings, inputs: Sequence[Input], options: CheckOptions, tapes: TapeSource
) -> Judging:
    """Return what judges with other processes; UsageError where they would run the user's code."""
    count = max(1, min(options.jobs, len(inputs)))
    if tapes.trace is not None:
        raise UsageError("--jobs traces published networks alone: it goes without --python and --networks")
    if tapes.can_trace():
        from trainlint.cli.workers.tracing_ahead import TracingAhead  # noqa: PLC0415 - with --jobs alone

        others = tapes_for(settings, lambda _task: None, may_trace=True)
        return TracingAhead(count, settings, tapes, others)
    from trainlint.cli.workers.judging_process import JudgingTask  # noqa: PLC0415 - with --jobs alone
    from trainlint.cli.workers.parallel_files import JobProcesses  # noqa: PLC0415 - the same

    task = JudgingTask(settings, tuple(item.path for item in inputs), options.data)
    return JobProcesses(count, task, tapes)


def _say_aside(text: str) -> None:
    """Say on stderr what a format for programs has no place for."""
    if text:
        say(text, err=True)

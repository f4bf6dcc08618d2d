# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What `trainlint [check] PATHS` does: lint and report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainlint.cli.baseline_options import LeftOut, write_baseline
from trainlint.cli.console import Progress, complain, say
from trainlint.cli.error_ending import EXIT_INTERRUPT
from trainlint.cli.exit_code import Exit, exit_of
from trainlint.cli.options.check_options import CheckOptions
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.refused_profiles import report_refused
from trainlint.cli.report_printer import Printer
from trainlint.documents.documentation import spared
from trainlint.errors import UsageError
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.result import Report, Result
from trainlint.model.units import plural
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.style import printable
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.many_files import Input, Judging, lint_all
from trainlint.session.toolbox import inputs_of, pipeline_for
from trainlint.settings.settings import Settings

if TYPE_CHECKING:
    from trainlint.cli.fixing.fix_output import Fixing, Written


def check(paths: tuple[str, ...], options: CheckOptions) -> int:
    """Lint, and return the exit code. Raises UsageError."""
    options.check_use(paths)
    if options.watch:
        from trainlint.cli.watch import Looked, watch  # noqa: PLC0415 - with --watch alone

        settings = partial(_settings, paths, options)
        return watch(
            Looked(paths, settings, (options.shared.log,), options.data), partial(_once, paths, options)
        )
    return _once(paths, options)


def _once(paths: tuple[str, ...], options: CheckOptions) -> int:
    """Lint once."""
    settings = _settings(paths, options)
    progress = Progress(quiet=options.shared.quiet)
    inputs = inputs_of(paths, settings, options.stdin_filename, skip_unknown=options.skip_unknown)
    if options.show_settings or options.show_files:
        return _shown(settings, inputs, options)
    named = [item.path for item in inputs if getattr(item, "explicit", False)]
    tapes = tapes_for(settings, progress, may_trace=options.shared.may_trace, beside=named)
    pipeline = pipeline_for(settings, tapes, (item.path for item in inputs), options.data)
    fixing = partial(_fixing, pipeline, settings, tapes, inputs, options)
    if (code := _edited(pipeline, inputs, paths, options, fixing)) is not None:
        return code
    written = _fixed(fixing(), inputs, paths) if options.fix else None
    inputs = sorted(inputs, key=lambda item: item.path)
    if options.write_baseline is not None:
        return write_baseline(pipeline, inputs, progress, options.write_baseline)
    left_out = LeftOut.of(settings, pipeline, inputs, options)
    shown = partial(_shown_of, left_out, spared(inputs, paths))
    judge = _processes(settings, inputs, options, tapes) if options.jobs > 1 else None
    printer = Printer(
        options.report, options.shared.color, before=partial(progress.file, ""), several=len(inputs) > 1
    )
    done = _say_nothing if options.statistics else printer.add
    try:
        report = lint_all(pipeline, left_out.inputs, progress.file, done, shown, judge=judge)
    except KeyboardInterrupt:
        complain(f"interrupted after {printer.files} of {plural(len(inputs), 'file')}")
        return EXIT_INTERRUPT
    taken = dict.fromkeys(target.assumed for target in pipeline.targets if target and target.assumed)
    report = replace(
        report,
        notes=(*taken, *left_out.notes(), *report.notes, *tapes.refused()),
        rules=pipeline.rules.rules,
        fixes=written.fixes if written is not None else (),
        unrecognised=() if options.skip_unknown else report.unrecognised,
        programs={} if options.skip_unknown else report.programs,
    )
    printer.statistics(report) if options.statistics else printer.close(report)
    _say_aside(report, printer, left_out, tapes, options)
    if written is not None:
        from trainlint.cli.fixing.fix_output import say_fails  # noqa: PLC0415 - with --fix alone

        say_fails(written.fails)
    may_be_empty = options.skip_unknown or options.since is not None
    code = exit_of(report, settings.fail_on, strict=settings.strict, may_be_empty=may_be_empty)
    if written is not None and not written.complete:
        return max(code, Exit.UNREADABLE)
    return Exit.CLEAN if options.exit_zero and code == Exit.FINDINGS else code


def _shown_of(left_out: LeftOut, documentation: frozenset[str], results: Sequence[Result]) -> list[Result]:
    """Return what is shown of a file's results, marked where --fix would leave the file alone."""
    shown = left_out.new(results)
    return [replace(result, by_hand=True) if result.path in documentation else result for result in shown]


def _say_nothing(_results: Sequence[Result]) -> None:
    """Leave a file's results to the table at the end."""


def _edited(
    pipeline: Pipeline,
    inputs: Sequence[Input],
    paths: tuple[str, ...],
    options: CheckOptions,
    fixing: Callable[[], Fixing],
) -> int | None:
    """Do what reports nothing: show the edits, or write comments; None where neither is asked for."""
    if options.diff:
        from trainlint.cli.fixing.fix_output import editable, show_diff  # noqa: PLC0415 - with --diff alone

        return show_diff(fixing(), editable(inputs, paths), options.report.output)
    if options.add_ignore is not None:
        from trainlint.cli.fixing.added_ignores import add_ignores  # noqa: PLC0415 - with --add-ignore alone
        from trainlint.cli.fixing.fix_output import editable  # noqa: PLC0415 - the same

        return add_ignores(pipeline, editable(inputs, paths), options.add_ignore.strip())
    return None


def _shown(settings: Settings, inputs: Sequence[Input], options: CheckOptions) -> int:
    """Print the settings that hold and the files that are read, as far as they are asked for."""
    if options.show_settings:
        from trainlint.cli.shown_settings import shown  # noqa: PLC0415 - with --show-settings alone

        for line in shown(settings, isolated=options.isolated):
            say(printable(line))
    if options.show_files:
        for item in inputs:
            say(printable(item.path))
    return Exit.CLEAN


def _fixing(
    pipeline: Pipeline,
    settings: Settings,
    tapes: TapeSource,
    inputs: Sequence[Input],
    options: CheckOptions,
) -> Fixing:
    """Return how texts are fixed: an edit passes all rules, whichever are selected."""
    from trainlint.cli.fixing.fix_output import Fixing  # noqa: PLC0415 - with --fix or --diff alone

    if settings.select:
        paths = (item.path for item in inputs)
        pipeline = pipeline_for(replace(settings, select=()), tapes, paths, options.data)
    return Fixing(pipeline, frozenset(settings.select), options.unsafe_fixes)


def _fixed(fixing: Fixing, inputs: Sequence[Input], paths: tuple[str, ...]) -> Written:
    from trainlint.cli.fixing.fix_output import editable, write_fixes  # noqa: PLC0415 - with --fix alone

    return write_fixes(fixing, editable(inputs, paths))


def _settings(paths: tuple[str, ...], options: CheckOptions) -> Settings:
    """Return the settings with what the options of check say."""
    settings = options.verdict.added_to(
        settings_from(paths, options.shared, isolated=options.isolated, given=options.settings_given)
    )
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
        raise UsageError(
            "--jobs traces published networks only: it cannot be used with --python or --networks"
        )
    if tapes.can_trace():
        from trainlint.cli.workers.tracing_ahead import TracingAhead  # noqa: PLC0415 - with --jobs alone

        others = tapes_for(settings, lambda _task: None, may_trace=True)
        return TracingAhead(count, settings, tapes, others)
    from trainlint.cli.workers.judging_process import JudgingTask  # noqa: PLC0415 - with --jobs alone
    from trainlint.cli.workers.parallel_files import JobProcesses  # noqa: PLC0415 - the same

    task = JudgingTask(settings, tuple(item.path for item in inputs), options.data)
    return JobProcesses(count, task, tapes)


def _say_aside(
    report: Report, printer: Printer, left_out: LeftOut, tapes: TapeSource, options: CheckOptions
) -> None:
    """Say on stderr what a format for programs has no place for, and what --fix did."""
    aside = printer.format.aside(report) if report.results or not options.skip_unknown else ""
    if aside:
        say(aside, err=True)
    if not printer.format.notes:
        report_refused(tapes)
        for note in left_out.notes():
            complain(note)
    if options.fix:
        from trainlint.cli.fixing import fix_output  # noqa: PLC0415 - with --fix alone

        fix_output.say_spared(report)
        fix_output.say_done(report, options.verdict.select)
        fix_output.say_nothing_written(report)
    for crash in report.crashes:
        complain(crash.message) if not options.shared.debug else say(crash.traceback, err=True)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint [check] PATHS`: lint and report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from trainlint.cli import offered
from trainlint.cli.baseline import baseline_for, notes_of, write_baseline
from trainlint.cli.batch import Input, Judging, lint_all
from trainlint.cli.console import Progress, complain, say
from trainlint.cli.exit import Exit, exit_of
from trainlint.cli.main import EXIT_CODES, EXIT_INTERRUPT
from trainlint.cli.options import settings_from, with_settings
from trainlint.cli.printer import Printer
from trainlint.cli.toolbox import inputs_of, pipeline_for, tapes_for, tell_refused
from trainlint.estimate.tapes.source import TapeSource
from trainlint.lean import replace
from trainlint.pipeline import Pipeline
from trainlint.report.formats import names
from trainlint.report.units import plural
from trainlint.settings import Settings

RULES: dict[str, Any] = {"multiple": True, "metavar": "RULE", "shell_complete": offered.rules}
"""An option that takes rules' names."""


def _reports(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, Path], ...]:
    """Read FORMAT=FILE, several times; UsageError for an unknown format or a file named twice."""
    found: dict[Path, str] = {}
    for value in values:
        name, _, file = value.partition("=")
        if name not in names() or not file:
            raise click.BadParameter(f'"{value}" is not FORMAT=FILE; formats are {", ".join(names())}')
        if Path(file) in found:
            raise click.BadParameter(f'"{file}" is to hold two reports; give each a file of its own')
        found[Path(file)] = name
    return tuple((name, path) for path, name in found.items())


@click.command("check", epilog=EXIT_CODES)
@click.argument("paths", nargs=-1, metavar="PATHS...")
@with_settings
@click.option("--format", "output_format", type=click.Choice(names()), default="text", show_default=True)
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file.")
@click.option(
    "--report",
    multiple=True,
    callback=_reports,
    metavar="FORMAT=FILE",
    help="Write a report in another format too; may be given several times.",
)
@click.option(
    "--fail-on", type=click.Choice(["warn", "fail"]), help="Least level that makes the exit code 1."
)
@click.option("--strict", is_flag=True, help="Count what could not be judged as a failure.")
@click.option("--skip-unknown", is_flag=True, help="Say nothing of files in no known dialect (for hooks).")
@click.option("--stdin-filename", metavar="NAME", help="What to call `-`, and how to read it.")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="ROOT",
    help="Look at the images and weights that configs name below ROOT (headers alone).",
)
@click.option(
    "--fix",
    is_flag=True,
    help="Write verified fixes that leave alone what is learned, then report the rest.",
)
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="With --fix or --diff: also those that change what is learned (crop, batch, precision).",
)
@click.option("--select", **RULES, help="Judge only this rule; may be given several times.")
@click.option("--ignore", **RULES, help="Do not judge this rule either.")
@click.option(
    "--baseline",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Leave out the findings that FILE lists.",
)
@click.option(
    "--write-baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="List all findings in FILE and report none.",
)
@click.option("--verbose", "-v", is_flag=True, help="List all that takes memory where it is tight.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and nothing else.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that trace steps, or with --no-trace judge files.",
)
@click.option("--watch", is_flag=True, help="Lint again whenever a file or the settings change.")
def check_command(paths: tuple[str, ...], **options: Any) -> int:
    """Lint training configs: files, folders, globs, or - for standard input."""
    _check_use(paths, options)
    if options["watch"]:
        from trainlint.cli.watch import watch  # noqa: PLC0415 - with --watch alone

        return watch(paths, options, partial(_check, paths, options))
    return _check(paths, options)


def _check(paths: tuple[str, ...], options: Mapping[str, Any]) -> int:
    """Lint once."""
    settings = settings_from(paths, options).with_options(
        fail_on=options["fail_on"],
        strict=options["strict"],
        select=options["select"],
        baseline=options["baseline"],
    )
    settings = replace(settings, ignore=(*settings.ignore, *options["ignore"]))
    progress = Progress()
    inputs = inputs_of(paths, settings, options["stdin_filename"], skip_unknown=options["skip_unknown"])
    tapes = tapes_for(settings, progress, may_trace=not options["no_trace"])
    pipeline = pipeline_for(settings, tapes, (item.path for item in inputs), options["data"])
    if options["diff"]:
        from trainlint.cli.fixing import show_diff  # noqa: PLC0415 - with --diff alone

        return show_diff(pipeline, inputs, options["output"], unsafe=options["unsafe_fixes"])
    written = not options["fix"] or _write_fixes(pipeline, inputs, unsafe=options["unsafe_fixes"])
    inputs = sorted(inputs, key=lambda item: item.path)
    if options["write_baseline"] is not None:
        return write_baseline(pipeline, inputs, progress, options["write_baseline"])
    baseline = baseline_for(settings, pipeline)
    judge = _processes(settings, inputs, options, tapes) if options["jobs"] > 1 else None
    printer = Printer(options, before=partial(progress.file, ""))
    try:
        report = lint_all(pipeline, inputs, progress.file, printer.add, baseline.new, judge=judge)
    except KeyboardInterrupt:
        complain(f"interrupted after {printer.files} of {plural(len(inputs), 'file')}")
        return EXIT_INTERRUPT
    notes = (*notes_of(settings), *report.notes, *baseline.notes(), *tapes.refused())
    report = replace(report, notes=notes, rules=pipeline.rules.rules)
    if options["skip_unknown"]:
        report = replace(report, unrecognised=())
    printer.close(report)
    if report.results or not options["skip_unknown"]:
        _say_aside(printer.format.aside(report))
    if not printer.format.notes:
        tell_refused(tapes)
        for note in (*notes_of(settings), *baseline.notes()):
            complain(note)
    for crash in report.crashes:
        if options["debug"]:
            say(crash.traceback, err=True)
        else:
            complain(crash.message)
    code = exit_of(report, settings.fail_on, strict=settings.strict, may_be_empty=options["skip_unknown"])
    return code if written else max(code, Exit.UNREADABLE)


def _processes(
    settings: Settings, inputs: Sequence[Input], options: Mapping[str, Any], tapes: TapeSource
) -> Judging:
    """Return what judges with other processes; UsageError where they would run the user's code."""
    count = max(1, min(options["jobs"], len(inputs)))
    if tapes.trace is not None:
        raise click.UsageError(
            "--jobs traces published networks alone: it goes without --python and --networks"
        )
    if tapes.can_trace():
        from trainlint.cli.tracing_ahead import TracingAhead  # noqa: PLC0415 - with --jobs alone

        others = tapes_for(settings, lambda _task: None, may_trace=True)
        return TracingAhead(count, settings, tapes, others)
    from trainlint.cli.job_process import JudgingTask  # noqa: PLC0415 - with --jobs alone
    from trainlint.cli.processes import JobProcesses  # noqa: PLC0415 - the same

    task = JudgingTask(settings, tuple(item.path for item in inputs), options["data"])
    return JobProcesses(count, task, tapes)


def _write_fixes(pipeline: Pipeline, inputs: Sequence[Input], *, unsafe: bool) -> bool:
    from trainlint.cli.fixing import write_fixes  # noqa: PLC0415 - with --fix alone

    return write_fixes(pipeline, inputs, unsafe=unsafe)


def _check_use(paths: tuple[str, ...], options: Mapping[str, Any]) -> None:
    if not paths:
        raise click.UsageError("no paths given; name files or folders, or - for standard input")
    if options["diff"] and (options["fix"] or options["output_format"] != "text"):
        raise click.UsageError("--diff prints a unified diff and goes with neither --fix nor --format")
    if options["write_baseline"] and any(options[name] for name in ("fix", "diff", "report", "baseline")):
        raise click.UsageError(
            "--write-baseline lists what is found: it goes without --baseline, --fix, --diff and --report"
        )
    if options["unsafe_fixes"] and not (options["fix"] or options["diff"]):
        raise click.UsageError("--unsafe-fixes says which fixes to apply: it goes with --fix or --diff")
    if options["diff"] and options["report"]:
        raise click.UsageError("--diff prints a unified diff and judges nothing: it goes without --report")
    if options["output"] in [path for _, path in options["report"]]:
        raise click.UsageError(f'"{options["output"]}" is to hold two reports; give each a file of its own')
    once = ("fix", "diff", "write_baseline", "output", "report")
    if options["watch"] and ("-" in paths or any(options[name] for name in once)):
        raise click.UsageError(
            "--watch prints what it finds in files: it goes without -, --output, --report, --fix, --diff and "
            "--write-baseline"
        )
    if options["fix"] and "-" in paths:
        raise click.UsageError("--fix cannot write standard input; --diff prints the change")


def _say_aside(text: str) -> None:
    """Say on stderr what a format for programs has no place for."""
    if text:
        say(text, err=True)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`%%trainlint` above a notebook's cell lints what it would start or write, `%trainlint PATHS` files."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

import click
from msgspec import Struct
from msgspec.structs import replace

from trainlint.cli.console import style_for
from trainlint.cli.exit_code import Exit, exit_of
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.report_options import with_verbose
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.cli.options.verdict_options import VerdictOptions, with_ignore, with_select, with_strict
from trainlint.dialects.forgetting import forget
from trainlint.errors import TrainlintError
from trainlint.expressions.patterns import later
from trainlint.model.document import Cell
from trainlint.model.result import Report
from trainlint.report.formats.text import render
from trainlint.report.notebook_html import page
from trainlint.report.style import Style, harmless
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.many_files import lint_all
from trainlint.session.toolbox import inputs_of, pipeline_for

CELL: Final = "cell"
"""What the cell is called in messages."""
NOT_RUN: Final = "the cell was not run because of the findings above; remove %%trainlint to run it anyway"

_NAME: Final = later(r"[A-Za-z_]\w*")


class MagicOptions(Struct, frozen=True, kw_only=True):
    """What the magic's line says."""

    shared: SharedOptions
    verdict: VerdictOptions
    paths: tuple[str, ...]
    run: bool
    verbose: bool
    help: bool


@click.command("%%trainlint", add_help_option=False)
@click.argument("paths", nargs=-1, metavar="[PATHS...]")
@with_shared
@click.option("--run", is_flag=True, help="Run the cell where nothing fails.")
@with_strict
@with_select
@with_ignore
@with_verbose
@click.option("--help", "-h", is_flag=True, help="Show this.")
@gathered(options=MagicOptions)
def magic(options: MagicOptions) -> MagicOptions:
    """Lint the cell below (nothing of it is run), or with %trainlint files and folders."""
    return options


class Output(Struct, frozen=True):
    """A report as IPython displays it: HTML where there is a page, else text."""

    report: Report
    style: Style

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {
            "text/plain": harmless(render(self.report, self.style)).rstrip("\n"),
            "text/html": page(self.report, self.style),
        }


def register(shell: Any) -> None:
    """Add the magic to a shell of IPython."""

    def trainlint(line: str, cell: str | None = None) -> None:
        _lint(shell, line, cell)

    shell.register_magic_function(trainlint, magic_kind="line_cell")


def _lint(shell: Any, line: str, cell: str | None) -> None:
    """Display what is wrong with a cell, or with the files that are named; run the cell if that is wanted."""
    from IPython.display import display  # noqa: PLC0415  # not needed without a notebook

    options = _options(line, has_cell=cell is not None)
    if options.help:
        display({"text/plain": magic.get_help(click.Context(magic, info_name="%%trainlint"))}, raw=True)
        return
    style = replace(style_for(sys.stdout, options.shared.color), verbose=options.verbose)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's advice is for whoever wrote the step
            report, code = _judged(options, None if cell is None else _cell(shell, cell))
    except (TrainlintError, click.ClickException) as error:
        _refuse(error)
    display(Output(report, style))
    if options.run and code is not Exit.CLEAN:
        _refuse(NOT_RUN)
    if options.run:
        shell.run_cell(cell)


def _options(line: str, *, has_cell: bool) -> MagicOptions:
    """Read the magic's line; a cell goes without paths, paths without --run."""
    try:
        options: MagicOptions = magic.main(shlex.split(line), standalone_mode=False)
    except (ValueError, click.ClickException) as error:
        _refuse(error)
    if has_cell and options.paths:
        _refuse(f"%%trainlint lints the cell below it: expected no path, got {options.paths[0]}")
    if not has_cell and not (options.paths or options.help):
        _refuse("%trainlint lints files and folders: name some, or put %%trainlint above a cell")
    if not has_cell and options.run:
        _refuse("--run runs the cell below %%trainlint: %trainlint has none")
    return options


def _cell(shell: Any, text: str) -> Cell:
    """Return the cell with what the kernel knows of the names in it."""
    known = shell.user_ns
    values = ((name, known.get(name)) for name in sorted(set(_NAME.findall(text))))
    variables = ((name, str(value)) for name, value in values if type(value) in (str, int, float, bool))
    return Cell(
        CELL, text, before=tuple(shell.history_manager.input_hist_raw[:-1]), variables=tuple(variables)
    )


def _judged(options: MagicOptions, cell: Cell | None) -> tuple[Report, Exit]:
    """Lint the cell, or the files that the options name."""
    forget()
    settings = options.verdict.added_to(settings_from(options.paths, options.shared))
    tapes = tapes_for(settings, _silent, may_trace=options.shared.may_trace)
    inputs: Sequence[Any] = [cell] if cell is not None else inputs_of(options.paths, settings, None)
    pipeline = pipeline_for(settings, tapes, _paths(inputs))
    report = lint_all(pipeline, sorted(inputs, key=lambda item: item.path), _silent)
    report = replace(
        report,
        notes=(*report.notes, *tapes.refused(), *(crash.message for crash in report.crashes)),
        rules=pipeline.rules.rules,
    )
    return report, exit_of(report, settings.fail_on, strict=settings.strict, may_be_empty=True)


def _paths(inputs: Iterable[Any]) -> list[str]:
    return [item.path for item in inputs]


def _silent(_task: str) -> None:
    """Show no progress: the cell's own mark says that it is at work."""


def _refuse(why: object) -> NoReturn:
    """Stop the cell, and the cells that were to run after it, with one line."""
    from IPython.core.error import UsageError  # noqa: PLC0415 - as above

    said = why.format_message() if isinstance(why, click.ClickException) else str(why)
    raise UsageError(harmless(said)) from None

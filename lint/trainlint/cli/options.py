"""Options that several subcommands share, and how they become settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from trainlint.errors import UsageError
from trainlint.settings import Settings
from trainlint.settings_file import load_settings

Command = Callable[..., Any]


class Size(click.ParamType):
    """HEIGHTxWIDTH in pixels, as in 1356x2040."""

    name = "HxW"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return (height, width)."""
        if isinstance(value, tuple):
            return value
        height, _, width = str(value).lower().partition("x")
        if not (height.isdecimal() and width.isdecimal() and int(height) and int(width)):
            self.fail(f'"{value}" is not HEIGHTxWIDTH, for example 1356x2040', param, ctx)
        return int(height), int(width)


_POSITIVE = click.FloatRange(min=0, min_open=True)
_SETTINGS = (
    click.option("--target", "-t", multiple=True, metavar="NAME",
                 help="Machine to judge against (see `trainlint targets`); may be given several times."),
    click.option("--seconds-per-iteration", type=_POSITIVE, metavar="S",
                 help="Measured seconds of one step; replaces the estimate."),
    click.option("--session-budget-h", type=_POSITIVE, metavar="H",
                 help="Hours of one session; replaces the target's own budget."),
    click.option("--validation-size", type=Size(),
                 help="Network input at validation, where the config does not tell."),
    click.option("--dataset-size", type=click.IntRange(min=1), metavar="N",
                 help="Training images, where the config does not tell."),
    click.option("--profiles-dir", type=click.Path(file_okay=False, path_type=Path),
                 help="Folder of stored profiles [default: .trainlint/profiles]."),
    click.option("--no-trace", is_flag=True, help="Use stored profiles only; never start torch."),
    click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
                 help="Colour the output."),
    click.option("--debug", is_flag=True, help="Show tracebacks of internal errors."),
)  # fmt: skip


def with_settings(command: Command) -> Command:
    """Add the shared options to a command."""
    return reduce(lambda inner, option: option(inner), reversed(_SETTINGS), command)


def settings_from(start: Path, options: dict[str, Any]) -> Settings:
    """Return the settings that hold at `start`, with the command line's options on top."""
    return load_settings(start).with_options(
        target=options["target"],
        seconds_per_iteration=options["seconds_per_iteration"],
        session_budget_h=options["session_budget_h"],
        validation_size=options["validation_size"],
        dataset_size=options["dataset_size"],
        profiles=options["profiles_dir"],
    )


def common_folder(paths: tuple[str, ...]) -> Path:
    """Return where the search for a settings file starts: the first path that is there, or the working folder."""
    for path in paths:
        if path != "-" and Path(path).exists():
            return Path(path)
    return Path()


def standard_input(filename: str | None) -> tuple[str, bytes]:
    """Read standard input; `filename` is what messages call it and what tells its format."""
    data = click.get_binary_stream("stdin").read()
    if filename is None and not data:
        raise UsageError("standard input is empty")
    return filename or "<stdin>", data

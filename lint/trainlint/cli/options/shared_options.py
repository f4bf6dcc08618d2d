# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Options of every command that reads configs: what becomes settings, and how it goes about its work."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from shutil import which
from typing import Any

import click
from msgspec import Struct

from trainlint.cli.options.gathered_options import Command
from trainlint.cli.options.number_range import NumberRange
from trainlint.expressions.patterns import later
from trainlint.model.launcher import LAUNCHERS, Launcher, parse_launcher


def offered(kind: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return what offers names of a kind after a tab: its module is loaded where a shell asks alone."""

    def offer(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
        from trainlint.cli import shell_completion  # noqa: PLC0415 - as said above

        names: list[str] = getattr(shell_completion, kind)(ctx, param, typed)
        return names

    return offer


class Interpreter(click.Path):
    """A program by its path, or by a name that is looked up as a shell does: in PATH, not here."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of the program."""
        bare = Path(value).name == str(value)
        return super().convert((bare and which(str(value))) or value, param, ctx)


class SharedOptions(Struct, frozen=True, kw_only=True):
    """What these options say."""

    target: tuple[str, ...] = ()
    trainer: str | None = None
    repo: Path | None = None
    seconds_per_iteration: float | None = None
    log: str | None = None
    log_gpu: str | None = None
    session_budget_h: float | None = None
    sessions: str | None = None
    validation_size: tuple[int, int] | None = None
    validation_images: int | None = None
    dataset_size: int | None = None
    model_config: Path | None = None
    launcher: Launcher | None = None
    gpu_count: int | None = None
    reading: str | None = None
    profiles_dir: Path | None = None
    python: Path | None = None
    networks: tuple[Path, ...] = ()
    no_trace: bool = False
    quiet: bool = False
    color: str = "auto"
    debug: bool = False

    @property
    def may_trace(self) -> bool:
        """Whether torch may be started for steps that no stored profile knows."""
        return not self.no_trace


def _size(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Read HEIGHTxWIDTH, as in 1356x2040."""
    if value is None:
        return None
    height, _, width = value.lower().partition("x")
    if not all(map(_SIDE.fullmatch, (height, width))):
        raise click.BadParameter(f'"{value}" is not HEIGHTxWIDTH, for example 1356x2040')
    return int(height), int(width)


def _launcher(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Launcher | None:
    try:
        return None if value is None else parse_launcher(value, "flag")
    except ValueError:
        choices = ", ".join(LAUNCHERS)
        raise click.BadParameter(
            f'"{value}" is not one of {choices}; "torchrun:4" starts four processes'
        ) from None


_SIDE = later(r"0*[1-9][0-9]{0,5}")
"""Pixels of an image's side, less than a million."""
_POSITIVE = NumberRange(above=0)
_SHARED = (
    click.option("--target", "-t", multiple=True, metavar="NAME", shell_complete=offered("targets"),
                 help="Machine, GPU or size (48GiB) to judge against (`trainlint targets`); repeatable."),
    click.option("--trainer", metavar="NAME",
                 help="The configs are for this trainer, not for a fork of it (see `trainlint dialects`)."),
    click.option("--repo", type=click.Path(exists=True, file_okay=False, path_type=Path),
                 help="The trainer's repository, if the configs are not in it (read, never run)."),
    click.option("--seconds-per-iteration", type=_POSITIVE, metavar="S",
                 help="Measured seconds of one step; replaces the estimate."),
    click.option("--log", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
                 help="A training log of this job; its times replace the estimate."),
    click.option("--log-gpu", metavar="GPU",
                 help="The GPU that the log is from, if it is not the target's."),
    click.option("--session-budget-h", type=_POSITIVE, metavar="H",
                 help="Hours of one session; replaces the target's own budget."),
    click.option("--sessions", type=click.Choice(["one", "many"]),
                 help="Whether a run must end in one session, or may be resumed in many."),
    click.option("--validation-size", callback=_size, metavar="HxW",
                 help="Size of validation images, if the config does not say."),
    click.option("--validation-images", type=NumberRange(1), metavar="N",
                 help="Images in one validation, if nothing else says."),
    click.option("--dataset-size", type=NumberRange(1), metavar="N",
                 help="Images or samples in the training set, if the config does not say."),
    click.option("--model-config", metavar="FILE",
                 type=click.Path(exists=True, dir_okay=False, path_type=Path),
                 help="The base model's config.json, if its name is not known."),
    click.option("--launcher", callback=_launcher, metavar="NAME[:N]",
                 help="How the jobs are started: none, torchrun[:N], slurm[:N] [default: judge both]."),
    click.option("--gpus", "gpu_count", type=NumberRange(1), metavar="N",
                 help="Use N of the target's GPUs."),
    click.option("--reading", metavar="NAME",
                 help="Which version of a script or way to start it to judge, as a report names them."),
    click.option("--profiles-dir", type=click.Path(file_okay=False, path_type=Path),
                 help="Folder of stored profiles [default: .trainlint/profiles]."),
    click.option("--python", type=Interpreter(exists=True, dir_okay=False, path_type=Path),
                 help="Python interpreter with your framework, to build the networks (runs their code)."),
    click.option("--networks", multiple=True, type=click.Path(exists=True, path_type=Path),
                 help="Files or folders with your own networks (runs their code)."),
    click.option("--no-trace", is_flag=True, help="Use stored profiles only; never start torch."),
    click.option("--quiet", "-q", is_flag=True, help="Show no progress on the terminal."),
    click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
                 help="Color the output."),
    click.option("--debug", is_flag=True, help="Show tracebacks of internal errors."),
)  # fmt: skip


def with_shared(command: Command) -> Command:
    """Add these options to a command."""
    return reduce(lambda inner, option: option(inner), reversed(_SHARED), command)

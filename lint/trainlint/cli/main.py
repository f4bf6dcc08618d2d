# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The command's entry: which subcommand, and how errors end.

Subcommands are imported when they run, so that `trainlint --version` and completion stay quick.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from errno import ENOSPC
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from trainlint import __version__
from trainlint.cli.error_ending import EXIT_USAGE, ReaderLeftError, end
from trainlint.errors import UsageError, most_alike

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from click.shell_completion import CompletionItem

EXIT_CODES = (
    "Exit code: 0 clean or only warnings, 1 errors (--fail-on warn: warnings too; --strict: skips too), "
    "2 wrong use, an input that cannot be read, or no job in any input, "
    "3 an internal error. The highest that applies."
)
"""The last words of --help; cli/exit_code.py decides."""

COMMANDS = {
    "check": ("check", "Lint configs, folders, scripts (the default)."),
    "fit": ("fit", "Compare targets for one config."),
    "sweep": ("sweep", "Find the combinations of a sweep that fail."),
    "diff": ("diff", "Compare two configs or two revisions."),
    "explain": ("explain", "Show where every byte and minute goes."),
    "spec": ("spec", "Print what is read from a config, and from which line."),
    "init": ("init", "Write a job.yml for a network of your own."),
    "dry-run": ("dry_run", "Run your own program without a GPU."),
    "trace": ("trace", "Store profiles of a project's steps, so that no torch is needed."),
    "measure": ("measure", "Run a step on a real GPU and compare it with the estimate."),
    "rule": ("rule", "Explain one rule."),
    "rules": ("rule", "List the rules."),
    "targets": ("targets", "List GPUs and targets."),
    "dialects": ("dialects", "List the dialects: the trainers whose configs are read."),
    "schema": ("dialects", "Print a dialect's JSON Schema."),
    "lsp": ("lsp", "Serve an editor (Language Server Protocol)."),
}
"""Subcommand -> (module of cli/commands/, without its ending "_command"; what it does)."""


class Commands(click.Group):
    """A group that imports a subcommand when it is called, and takes a path for `check PATH`.

    As click's documentation has it (https://click.palletsprojects.com/en/stable/complex/#lazily-loading-subcommands).
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """Name the subcommands in the order in which they are worth reading."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # as click calls it
        """Import and return a subcommand."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"trainlint.cli.commands.{COMMANDS[cmd_name][0]}_command")
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # as click calls it
        """List the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer the subcommands without importing them, then the options."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - for completion alone

        names = [
            CompletionItem(name, help=text)
            for name, (_, text) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `check` before arguments that start with no subcommand."""
        if args and args[0] not in COMMANDS and args[0] not in ("--help", "-h", "--version"):
            _check_word(args[0])
            args = ["check", *args]
        with _written():  # --help and --version
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand; say in our own words that its output is no longer read."""
        with _written():
            return super().invoke(ctx)


def _check_word(word: str) -> None:
    """Raise UsageError for a word that is no path, and nearly a subcommand."""
    if not word.isalpha() or Path(word).exists():
        return
    meant = most_alike(word, COMMANDS)
    if meant is not None:
        raise UsageError(f'no command and no file is called "{word}"; did you mean "{meant}"?')


@contextmanager
def _written() -> Iterator[None]:
    """Say in our own words why what click writes is not read, or has no room."""
    try:
        yield
    except BrokenPipeError:
        raise ReaderLeftError from None
    except OSError as error:
        if error.errno != ENOSPC:
            raise
        from trainlint.cli.console import no_room  # noqa: PLC0415 - where the disk is full

        raise no_room(error) from None


@click.group(
    cls=Commands,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="trainlint", message="%(prog)s %(version)s")
def main() -> None:
    """Say before a training run starts whether it fits GPU, session and disk, and what makes it fit.

    For example: trainlint configs/ --target kaggle-t4x2
    """


def run(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit; only --debug shows a traceback."""
    debug = "--debug" in (sys.argv[1:] if arguments is None else arguments)
    end(lambda: _parsed(arguments), debug=debug)


def _parsed(arguments: Sequence[str] | None) -> object:
    """Run the command that the arguments ask for and return its exit code; click's errors are ours."""
    try:
        return main.main(args=arguments, prog_name="trainlint", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(EXIT_USAGE)
    except click.ClickException as error:
        raise UsageError(error.format_message()) from error
    except click.Abort:
        raise KeyboardInterrupt from None

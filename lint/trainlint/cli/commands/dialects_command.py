# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint dialects` and `trainlint schema NAME`."""

from __future__ import annotations

from pathlib import Path

import click

from trainlint.cli import shell_completion
from trainlint.cli.console import say, write
from trainlint.dialects import Dialect, load_dialects
from trainlint.errors import UsageError, most_alike
from trainlint.report.json_version_1 import encoded
from trainlint.report.style import printable
from trainlint.settings.settings_file import load_settings
from trainlint.settings.settings_schema import schema


def _dialects() -> tuple[Dialect, ...]:
    settings = load_settings(Path())
    return load_dialects(settings.schemas, settings.networks)


@click.command("dialects")
def dialects_command() -> None:
    """List the dialects: the trainers whose configs are read."""
    dialects = _dialects()
    width = max((len(dialect.id) for dialect in dialects), default=0)
    for dialect in dialects:
        say(printable(f"{dialect.id:<{width}}  {dialect.title} ({', '.join(dialect.formats)})"))


@click.command("schema")
@click.argument("name", shell_complete=shell_completion.schemas)
def schema_command(name: str) -> None:
    """Print the JSON Schema of the dialect NAME, or of the `settings`, for an editor's completion."""
    if name == "settings":
        write(encoded(schema()), None)
        return
    dialects = {dialect.id: dialect for dialect in _dialects()}
    if name not in dialects:
        near = most_alike(name, dialects)
        hint = f'did you mean "{near}"?' if near else f"known are {', '.join(dialects)}"
        raise UsageError(f'unknown dialect "{name}"; {hint}')
    write(encoded(dialects[name].schema), None)

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint dialects` and `trainlint schema NAME`."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

import click

from trainlint.cli import offered
from trainlint.cli.console import say, write
from trainlint.errors import UsageError
from trainlint.normalise import Dialect, load_dialects
from trainlint.report.json1 import encoded
from trainlint.report.style import printable
from trainlint.settings_file import load_settings
from trainlint.settings_schema import schema


def _dialects() -> tuple[Dialect, ...]:
    settings = load_settings(Path())
    return load_dialects(settings.schemas, settings.networks)


@click.command("dialects")
def dialects_command() -> None:
    """List the config dialects that are understood."""
    found = _dialects()
    width = max((len(dialect.id) for dialect in found), default=0)
    for dialect in found:
        say(printable(f"{dialect.id:<{width}}  {dialect.title} ({', '.join(dialect.formats)})"))


@click.command("schema")
@click.argument("name", shell_complete=offered.schemas)
def schema_command(name: str) -> None:
    """Print the JSON Schema of the dialect NAME, or of the `settings`, for an editor's completion."""
    if name == "settings":
        write(encoded(schema()), None)
        return
    found = {dialect.id: dialect for dialect in _dialects()}
    if name not in found:
        near = get_close_matches(name, found, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"known are {', '.join(found)}"
        raise UsageError(f'unknown dialect "{name}"; {hint}')
    write(encoded(found[name].schema), None)

"""Where output goes and how: colour, width, progress."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import click

from trainlint.errors import UsageError
from trainlint.report.style import Style, printable

WIDTH = 100
"""Columns when the reader is a file or another program."""


def style_for(stream: TextIO, colour: str) -> Style:
    """Return the style for a stream: colour is auto, always or never; NO_COLOR (no-color.org) is honoured."""
    terminal = stream.isatty()
    wanted = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size((WIDTH, 24)).columns if terminal else WIDTH
    return Style(colour == "always" or (colour == "auto" and wanted), max(width, 40))


def write(text: str, output: Path | None) -> None:
    """Print to stdout, or write a file."""
    if output is None:
        with suppress(AttributeError):
            sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a C locale has no box drawing
        click.echo(text, nl=False, color=True)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f'cannot write "{output}": {error.strerror}') from None


class Progress:
    """One line on stderr that is overwritten and finally erased; silent where stderr is no terminal."""

    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self.stream = stream
        self.on = stream.isatty()

    def __call__(self, text: str) -> None:
        """Show `text`, or clear the line when it is empty."""
        if self.on:
            width = shutil.get_terminal_size((WIDTH, 24)).columns - 1
            self.stream.write(f"\r\x1b[K{printable(text[:width])}")
            self.stream.flush()

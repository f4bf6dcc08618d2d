"""Where output goes and how: colour, width, progress."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final, TextIO

import click

from trainlint.errors import UsageError
from trainlint.report.style import Style, printable

WIDTH = 100
"""Columns when the reader is a file or another program."""

TICK_S: Final = 1.0
"""Seconds between two looks at the clock."""


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
    """One line on stderr, the seconds of a file (or of a task alone) counted, finally erased.

    Silent where stderr is no terminal, or a dumb one, or --quiet was given to the command that runs.
    """

    def __init__(self, stream: TextIO | None = None, *, every: float = TICK_S) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.on = self.stream.isatty() and os.environ.get("TERM") != "dumb" and not _is_quiet()
        self.every = every
        self._file = self._task = ""
        self._since = 0.0
        self._over = Event()
        self._clock: Thread | None = None

    def file(self, path: str) -> None:
        """Say which file is being worked on, and count its seconds; "" when there is none any more."""
        self._file, self._since = path, monotonic()
        self("")

    def __call__(self, task: str) -> None:
        """Say what takes long; "" when it is done, which leaves the file's name, or nothing."""
        if not self.on:
            return
        self._stop()
        self._task = task
        if not self._file:
            self._since = monotonic()
        self._draw()
        if task or self._file:
            self._over = Event()
            self._clock = Thread(target=self._tick, args=(self._over,), daemon=True)
            self._clock.start()

    def _tick(self, over: Event) -> None:
        while not over.wait(self.every):
            self._draw()

    def _stop(self) -> None:
        """End the clock: nothing may be written once the line is erased."""
        self._over.set()
        if self._clock is not None:
            self._clock.join()
            self._clock = None

    def _draw(self) -> None:
        width = shutil.get_terminal_size((WIDTH, 24)).columns - 1
        seconds = int(monotonic() - self._since)
        clock = f" … {seconds} s" if seconds else ""
        text = printable(": ".join(part for part in (self._file, self._task) if part))
        with suppress(OSError, ValueError):  # a terminal that is gone is no reason to stop
            self.stream.write(f"\r\x1b[K{text[: width - len(clock)]}{clock}")
            self.stream.flush()


def _is_quiet() -> bool:
    """Tell whether the command that runs was given --quiet."""
    context = click.get_current_context(silent=True)
    return bool(context and context.params.get("quiet"))

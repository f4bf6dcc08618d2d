# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where output goes and how: the one way to the terminal and into reports; colour, width, progress."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, TextIO

import click

from trainlint.cli.starting.streams import give_up
from trainlint.errors import UsageError
from trainlint.files.enclosing_folders import led_out
from trainlint.report.style import Style, harmless, printable

if TYPE_CHECKING:
    from threading import Event, Thread

WIDTH = 100
"""Columns when the reader is a file or another program."""

TICK_S: Final = 1.0
"""Seconds between two looks at the clock."""


def _columns() -> int:
    import shutil  # noqa: PLC0415 - slow to import, and no terminal is asked in CI

    return shutil.get_terminal_size((WIDTH, 24)).columns


def style_for(stream: TextIO, colour: str) -> Style:
    """Return the style for a stream: colour is auto, always or never; NO_COLOR (no-color.org) is honored."""
    terminal = stream.isatty()
    able = terminal and os.environ.get("TERM") != "dumb"
    wanted = able and "NO_COLOR" not in os.environ
    width = _columns() if terminal else WIDTH
    return Style(
        colour == "always" or (colour == "auto" and wanted),
        max(width, 40),
        terminal=able and (getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf"),
        links=able and colour != "never" and _knows("links"),
        shades=terminal and _knows("shades"),
    )


def _knows(what: str) -> bool:
    """Say whether the terminal knows links, or shades of colour."""
    from trainlint.cli import terminal_features as terminal  # noqa: PLC0415 - not where a file or a pipe is written to

    return terminal.knows_links(os.environ) if what == "links" else terminal.knows_shades(os.environ)


def clear() -> None:
    """Empty the screen, where standard output is one."""
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        _echo("\x1b[2J\x1b[3J\x1b[H")


def say(text: str = "", *, err: bool = False) -> None:
    """Print a line, or several, to stdout or stderr."""
    _print(harmless(f"{text}\n"), err=err)


def complain(message: str) -> None:
    """Say on stderr, in one line, what is wrong."""
    say(f"trainlint: {printable(message)}", err=True)


def write(text: str, output: Path | None, *, annotations: bool = False) -> None:
    """Print a report to stdout, or write it into a file; `annotations` are commands to GitHub's runner."""
    text = harmless(text, annotations=annotations)
    if output is None:
        _print(text)
    else:
        save(output, text.encode())


def write_patch(text: str, output: Path | None) -> None:
    """Print a diff, or write it into a file as it is. UsageError where printing it would change it.

    Its lines are the linted file's own: what a terminal or a CI would obey must not be printed, and with
    anything else in its place the patch would not apply.
    """
    if output is not None:
        save(output, text.encode())
        return
    lines = text.replace("\r\n", "\n")
    if harmless(lines) != lines:
        raise UsageError(
            "the change is not printed: the lines around it hold control characters or commands to a CI; "
            "write it to a file with --output"
        )
    _print(text)


def save(path: Path, data: bytes, *, append: bool = False) -> None:
    """Write a file that the user named. UsageError where that cannot be done, or a link leads elsewhere."""
    if (real := led_out(str(path))) is not None:
        raise UsageError(
            f'cannot write "{path}": a link leads out of the repository, to "{real}": name that file itself'
        )
    try:
        with path.open("ab" if append else "wb") as file:
            file.write(data)
    except OSError as error:
        raise UsageError(f'cannot write "{path}": {error.strerror}') from None


def _print(text: str, *, err: bool = False) -> None:
    with suppress(AttributeError):  # a C locale has no box drawing
        (sys.stderr if err else sys.stdout).reconfigure(errors="replace")  # type: ignore[union-attr]  # AttributeError where it has none
    _echo(text, err=err)


def _echo(text: str, *, err: bool = False) -> None:
    """Write where there is room. UsageError where there is none; what stderr has no room for is lost."""
    try:
        click.echo(text, nl=False, err=err, color=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        if not err:
            raise no_room(error) from None
        give_up(sys.stderr)


def no_room(error: OSError) -> UsageError:
    """Give standard output up, and say why nothing can be written there."""
    give_up(sys.stdout)
    return UsageError(f"cannot write to standard output: {(error.strerror or '').lower()}")


class Progress:
    """One line on stderr, the seconds of a file (or of a task alone) counted, finally erased.

    Silent where stderr is no terminal, or a dumb one, or with --quiet (`quiet`).
    """

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False, every: float = TICK_S) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.on = self.stream.isatty() and os.environ.get("TERM") != "dumb" and not quiet
        self.every = every
        self._file = self._task = ""
        self._since = 0.0
        self._over: Event | None = None
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
            from threading import Event, Thread  # noqa: PLC0415 - for a terminal alone

            self._over = Event()
            self._clock = Thread(target=self._tick, args=(self._over,), daemon=True)
            self._clock.start()

    def _tick(self, over: Event) -> None:
        while not over.wait(self.every):
            self._draw()

    def _stop(self) -> None:
        """End the clock: nothing may be written once the line is erased."""
        if self._over is not None and self._clock is not None:
            self._over.set()
            self._clock.join()
            self._clock = None

    def _draw(self) -> None:
        width = _columns() - 1
        seconds = int(monotonic() - self._since)
        clock = f" … {seconds} s" if seconds else ""
        text = printable(": ".join(part for part in (self._file, self._task) if part))
        with suppress(OSError, ValueError):  # a terminal that is gone is no reason to stop
            self.stream.write(f"\r\x1b[K{text[: width - len(clock)]}{clock}")
            self.stream.flush()

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Colour, width and progress: for a terminal only."""

from __future__ import annotations

import io
import time

import pytest

from trainlint.cli.console import WIDTH, Progress, style_for, write
from trainlint.errors import UsageError


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "132")


@pytest.mark.parametrize(
    ("stream", "colour", "expected"),
    [
        (Terminal, "auto", True),
        (Terminal, "never", False),
        (io.StringIO, "auto", False),
        (io.StringIO, "always", True),
    ],
)
def test_colour(stream, colour, expected) -> None:
    assert style_for(stream(), colour).colour is expected


def test_no_color_and_dumb_terminals_are_honoured(monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    assert not style_for(Terminal(), "auto").colour
    assert style_for(Terminal(), "always").colour
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not style_for(Terminal(), "auto").colour


def test_width_is_the_terminals_or_a_fixed_one() -> None:
    assert style_for(Terminal(), "auto").width == 132
    assert style_for(io.StringIO(), "auto").width == WIDTH


def test_progress_overwrites_its_line_and_erases_it() -> None:
    terminal = Terminal()
    progress = Progress(terminal)
    progress("a" * 500)
    assert len(terminal.getvalue()) < 140
    progress("")
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_progress_counts_the_seconds_of_the_task_and_goes_back_to_the_file(monkeypatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("trainlint.cli.console.monotonic", lambda: clock[0])
    terminal = Terminal()
    progress = Progress(terminal, every=0.002)
    progress.file("configs/a.yml")
    progress("tracing Restormer")
    clock[0] = 112.9
    deadline = time.monotonic() + 10
    while "12 s" not in terminal.getvalue() and time.monotonic() < deadline:
        time.sleep(0.002)
    assert terminal.getvalue().endswith("\r\x1b[Kconfigs/a.yml: tracing Restormer … 12 s")
    progress("")
    assert "\r\x1b[Kconfigs/a.yml" in terminal.getvalue()[-40:]
    progress.file("")
    written = terminal.getvalue()
    assert written.endswith("\r\x1b[K")
    time.sleep(0.02)
    assert terminal.getvalue() == written


def test_a_long_path_leaves_room_for_the_clock(monkeypatch) -> None:
    monkeypatch.setattr("trainlint.cli.console.monotonic", iter([0.0, 7.0, 7.0]).__next__)
    terminal = Terminal()
    progress = Progress(terminal)
    progress("a" * 500)
    progress.on = False
    progress._stop()
    assert terminal.getvalue().endswith("a … 7 s")
    assert len(terminal.getvalue()) == len("\r\x1b[K") + 131


@pytest.mark.parametrize(("variable", "quiet"), [("dumb", False), ("xterm", True)])
def test_progress_is_silent_on_a_dumb_terminal_and_with_quiet(monkeypatch, variable, quiet) -> None:
    monkeypatch.setenv("TERM", variable)
    terminal = Terminal()
    Progress(terminal, quiet=quiet).file("a.yml")
    assert terminal.getvalue() == ""


def test_progress_is_silent_elsewhere() -> None:
    stream = io.StringIO()
    Progress(stream)("tracing")
    assert stream.getvalue() == ""


def test_a_file_that_cannot_be_written_is_wrong_use(tmp_path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        write("text", tmp_path / "no" / "such" / "folder")

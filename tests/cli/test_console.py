"""Colour, width and progress: for a terminal only."""

from __future__ import annotations

import io

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


def test_progress_is_silent_elsewhere() -> None:
    stream = io.StringIO()
    Progress(stream)("tracing")
    assert stream.getvalue() == ""


def test_a_file_that_cannot_be_written_is_wrong_use(tmp_path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        write("text", tmp_path / "no" / "such" / "folder")

# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The text report on a terminal: the answer first, bars, links, lines that are broken at its width."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.report.report_samples import failing, passing, report
from trainlint.cli.terminal_features import knows_links, knows_shades
from trainlint.model.facts import Limits
from trainlint.model.result import Report
from trainlint.report.brief.batch_limits import largest
from trainlint.report.brief.line_folding import folded
from trainlint.report.formats.text import render
from trainlint.report.memory.gauge import bar, gauge
from trainlint.report.style import RULE_PAGES_URL, SHADE_CODES, Style, as_shown, harmless
from trainlint.report.text.first_step import first_step


def test_the_largest_batch_is_named() -> None:
    judged = failing()
    assert judged.facts is not None
    assert judged.facts.memory is not None
    assert largest(judged.facts.memory) == "batch_size_per_gpu 7 is safe, 9 is the limit"


def test_a_largest_batch_that_may_be_larger_is_said_to_be_the_least() -> None:
    judged = passing()
    assert judged.facts is not None
    assert judged.facts.memory is not None
    memory = replace(judged.facts.memory, limits=Limits(largest_batch=40, safe_batch=36, largest_open=True))
    assert largest(memory) == "batch of at least 36 per GPU is safe"


def test_bars() -> None:
    assert bar(5, 10) == "█████░░░░░"
    assert bar(25, 10) == "██████████"
    assert gauge(5, 10, 4) == "██░░"
    assert gauge(20, 10, 8) == "████│████"
    assert gauge(10**15, 10, 8) == "█│███████"
    assert gauge(1, 0, 4) == "████"


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("verbose", [False, True])
def test_no_line_is_wider_than_the_terminal(width, colour, verbose) -> None:
    for made in (report(), Report((failing(),), files=1)):
        style = Style(colour, width, verbose=verbose, terminal=True, links=True)
        text = harmless(render(made, style))
        wide = [line for line in as_shown(text).split("\n") if len(line) > width]
        assert wide == []
        assert ("█" in text) is verbose


def test_breaking_loses_no_word() -> None:
    for line in render(report(), Style(colour=True, verbose=True)).splitlines():
        assert " ".join(folded(line, 60)).split() == line.split()


def test_config_lines_stand_as_they_are() -> None:
    for line in ("  107 |   a b" + " c" * 99, "     |   ^" + "^" * 99, "    12 +  a" + " b" * 99):
        assert list(folded(line, 60)) == [line]


def test_a_word_too_long_for_a_line_stays_whole() -> None:
    word = "x" * 80
    assert list(folded(f"    = see {word} there", 60)) == ["    = see", f"      {word}", "      there"]


def test_rules_link_to_their_pages_and_to_nothing_else() -> None:
    style = Style(links=True)
    link = f"\x1b]8;;{RULE_PAGES_URL}vram-budget/\x1b\\"
    assert style.rule("vram-budget") == f"[{link}vram-budget\x1b]8;;\x1b\\]"
    assert style.rule("of-my-own") == "[of-my-own]"
    assert Style().rule("vram-budget") == "[vram-budget]"
    assert harmless(style.rule("vram-budget")) == style.rule("vram-budget")
    for evil in (
        "\x1b]8;;https://example.org/\x1b\\x",
        f"\x1b]8;;{RULE_PAGES_URL}../x/\x1b\\",
        "\x1b]0;title\x07",
    ):
        assert "\x1b" not in harmless(evil).replace("\x1b\\", "")


@pytest.mark.parametrize(
    ("environment", "known"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "6800"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "4000"}, False),
        ({"TERM_PROGRAM": "iTerm.app"}, True),
        ({"TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.3a", "VTE_VERSION": "6800"}, False),
        ({"TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.4"}, True),
        ({"TERM_PROGRAM": "vscode", "CI": "1"}, False),
        ({"WT_SESSION": "x"}, True),
    ],
)
def test_links_only_where_the_terminal_is_known_to_draw_them(environment, known) -> None:
    assert knows_links(environment) is known


def test_what_to_do_first_is_the_first_failure_that_an_edit_fixes() -> None:
    (line,) = first_step(report(), Style())
    assert line.startswith("first: configs/photos.yml:3:13 set batch_size_per_gpu to 6 [queue-not-divisible]")
    assert line.endswith("; --diff shows the edits")
    assert list(first_step(Report((passing(),), files=1), Style())) == []


@pytest.mark.parametrize(
    ("environment", "known"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "tmux-256color"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "screen", "COLORTERM": "truecolor"}, True),
        ({"WT_SESSION": "x"}, True),
        ({"TERM": "xterm"}, False),
        ({"TERM": "linux"}, False),
        ({}, False),
    ],
)
def test_256_colours_are_used_where_the_terminal_has_them(environment, known) -> None:
    assert knows_shades(environment) is known


def luminance(shade: int) -> float:
    """Return the relative luminance (WCAG 2.2) of one of xterm's colours from 16 to 231."""
    sides = (0, 95, 135, 175, 215, 255)
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (sides[(shade - 16) // step % 6] / 255 for step in (36, 6, 1))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", ["red", "green", "yellow", "blue", "cyan"])
def test_every_shade_can_be_read_on_white_and_on_black(name) -> None:
    shown = luminance(int(SHADE_CODES[name].rpartition(";")[2]))
    assert 1.05 / (shown + 0.05) >= 3.8
    assert (shown + 0.05) / 0.05 >= 3.8


def test_the_shades_pass_the_second_lock() -> None:
    painted = render(report(), Style(colour=True, shades=True))
    assert f"\x1b[{SHADE_CODES['red']}mFAIL" in painted
    assert harmless(painted) == painted

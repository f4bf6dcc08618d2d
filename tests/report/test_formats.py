# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What every output format has to stand: a new one is tested by giving it a reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring  # what we wrote ourselves

import pytest
from msgspec.structs import replace

from trainlint.model.document import Span
from trainlint.model.finding import Finding, Level
from trainlint.model.result import Report, Result
from trainlint.report.format import Format, FormatError
from trainlint.report.formats import format_named, names
from trainlint.report.style import Style, harmless

from .report_samples import failing, passing, report, unknown, unreadable
from .test_hostile import bare, hostile_report, obeyed

Listed = set[tuple[str, str]]
"""(path, rule) of the findings that a reader understood."""

LINE = re.compile(r"^([^:\n]+):\d+:\d+: (?:fail|warn): .* \[([a-z0-9-]+)\]$", re.MULTILINE)
BLOCK = re.compile(r"\[([a-z0-9-]+)\]")
COMMAND = re.compile(r"^::\w+ file=([^,]+),.*title=trainlint%3A ([a-z0-9-]+)::", re.MULTILINE)
MARKED = re.compile(r"^\*\*(?:fail|warn)\*\* ([^:]+):\d+:\d+ .*\(([a-z0-9-]+)\)$", re.MULTILINE)


def text_reader(shown: str) -> Listed:
    found = set()
    for block in re.split(r"^(?=\S)", shown, flags=re.MULTILINE):
        path = re.search(r"[\w./-]+\.yml", block)
        found |= {(path[0], rule) for rule in BLOCK.findall(block)} if path else set()
        if block.startswith("unreadable") and path:
            found.add((path[0], "unreadable"))
    return found


def sarif_reader(shown: str) -> Listed:
    runs = json.loads(shown)["runs"]
    return {
        (
            one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"],
        )
        for run in runs
        for one in run["results"]
    }


def html_reader(shown: str) -> Listed:
    found = set()
    for article in shown.split("<article")[1:]:
        path = re.search(r'<p class="path">(.*?)</p>', article)
        assert path is not None
        found |= {(path[1], rule) for rule in re.findall(r"<small>\[([a-z0-9-]+)\]</small>", article)}
    return found


def parsed(shown: str) -> Element:
    return fromstring(shown)  # noqa: S314  # our own text


def junit_reader(shown: str) -> Listed:
    cases = [case for case in parsed(shown).iter("testcase") if case.get("file")]
    return {
        (case.get("file", ""), rule)
        for case in cases
        for said in case
        for rule in {said.get("type"), *BLOCK.findall(said.text or "")} - {None}
    }


READERS: dict[str, Callable[[str], Listed]] = {
    "text": text_reader,
    "concise": lambda shown: set(LINE.findall(shown)),
    "github": lambda shown: {found for found in COMMAND.findall(shown) if found[1] != "not-judged"},
    "html": html_reader,
    "markdown": lambda shown: set(MARKED.findall(shown)),
    "json": lambda shown: {
        (result["path"], one["rule"]) for result in json.loads(shown)["results"] for one in result["findings"]
    },
    "gitlab": lambda shown: {
        (one["location"]["path"], one["check_name"])
        for one in json.loads(shown)
        if one["check_name"] != "not-judged"
    },
    "sarif": sarif_reader,
    "junit": junit_reader,
    "checkstyle": lambda shown: {
        (file.get("name", ""), one.get("source", "").removeprefix("trainlint."))
        for file in parsed(shown)
        for one in file
        if one.get("source") != "trainlint.not-judged"
    },
}
"""For each format, what another program reads from it."""

LINES = Path(__file__).read_text(encoding="utf-8").splitlines()
PLACE = f"{__file__}:{next(number for number, line in enumerate(LINES, 1) if line.startswith('READERS'))}"
"""Where a new one goes."""

SAID = {
    "unreadable": 'found "]", expected a key',
    "warning": "8 workers on 4 cores",
    "failure": "pool of 180 is not a multiple of the 24",
    "skipped": "unknown network",
}
"""What every format says of the samples, however it writes it."""


def shown_by(form: Format, made: Report) -> str:
    """Return what reaches the reader; of the text, whose first screen leaves most out, what -v shows."""
    return harmless(form.render(made, Style(verbose=True)), annotations=form.annotations)


def read_by(name: str, shown: str) -> Listed:
    """Return what a program that reads a format understands of its text."""
    assert name in READERS, f'the format "{name}" has no reader: add one to READERS, at {PLACE}'
    return READERS[name](shown)


@pytest.fixture(params=names())
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def form(name: str) -> Format:
    return format_named(name)


def test_every_format_has_a_reader() -> None:
    for name in names():
        read_by(name, shown_by(format_named(name), Report()))
    assert set(READERS) == set(names()), f"there is no such format: {set(READERS) - set(names())}, at {PLACE}"


def test_a_format_without_a_reader_is_named() -> None:
    says = r'the format "none" has no reader: add one to READERS, at (.*test_formats\.py):(\d+)\n'
    with pytest.raises(AssertionError, match=says) as raised:
        read_by("none", "")
    path, line = re.search(says, str(raised.value)).groups()
    assert Path(path).read_text(encoding="utf-8").splitlines()[int(line) - 1].startswith("READERS")


def test_a_reader_finds_every_finding(name, form) -> None:
    results = (unreadable(), failing())
    expected = {(one.path, finding.rule) for one in results for finding in one.findings}
    assert read_by(name, shown_by(form, Report(results, files=2))) == expected


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_failures_warnings_and_what_was_not_judged_are_said(form, said) -> None:
    shown = shown_by(form, report()).replace('\\"', '"').replace("&quot;", '"').replace("\\]", "]")
    assert said in re.sub(r"\s+", " ", shown)


def test_nothing_is_read_of_no_input(name, form) -> None:
    assert read_by(name, shown_by(form, Report())) == set()
    assert read_by(name, shown_by(form, Report((passing(),), files=1))) == set()


def test_hostile_values_are_text_and_leave_the_format_whole(name, form) -> None:
    for style in (Style(), Style(colour=True)):
        made = harmless(form.render(hostile_report(), style), annotations=form.annotations)
        ours = ("::error file=", "::warning file=", "::notice file=") if form.annotations else ()
        assert [wrong for wrong in obeyed(bare(made)) if not wrong.startswith(ours or "\0")] == []
    read_by(name, shown_by(form, hostile_report()))


def numbered(at: int, level: Level) -> Result:
    finding = Finding(f"rule-{at}", level, "too much", (Span(0, 4),))
    return replace(failing(), path=f"configs/{at}.yml", findings=(finding,), skips=())


def test_six_hundred_results_are_all_there_or_counted(name, form) -> None:
    results = tuple(numbered(at, Level.FAIL if at % 2 else Level.WARN) for at in range(600))
    made = Report(results, files=600)
    found = read_by(name, shown_by(form, made))
    if len(found) < 600:
        said = shown_by(form, made) + form.aside(made)
        more = [
            int(count)
            for count in re.findall(r"(\d+) more (?:findings|jobs, none|in the step summary)", said)
        ]
        assert sum(more) + len(found) == 600
        first = min(300, len(found) // 2)  # the worst first: GitHub shows as many warnings
        assert sum(int(rule.removeprefix("rule-")) % 2 for _, rule in found) >= first


def test_a_format_says_why_nothing_was_judged(form) -> None:
    made = Report(files=2, unrecognised=("ci.yml",))
    assert "nothing judged" in shown_by(form, made) + form.aside(made)


def test_rendering_twice_gives_the_same(form) -> None:
    assert shown_by(form, report()) == shown_by(form, report())


def test_what_is_streamed_is_what_is_rendered(form) -> None:
    if form.stream is not None:
        for style in (Style(overview=True), Style(verbose=True)):
            stream = form.stream(style)
            added = [line for result in report().results for line in stream.add([result])]
            lines = [*added, *stream.close(report())]
            assert "".join(f"{line}\n" for line in lines) == form.render(report(), style)


def test_unknown_networks_are_no_finding(name, form) -> None:
    assert read_by(name, shown_by(form, Report((unknown(),), files=1))) == set()


def test_the_readme_names_every_format() -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    row = next(line for line in readme.splitlines() if line.startswith("| formats |"))
    named = set(re.findall(r"`(?:--format )?(\w+)`", row))
    assert named >= set(names()), "the row of formats in README.md lacks one"


def test_what_fails_in_a_format_of_ours_has_its_line() -> None:
    """It is an internal error, not wrong use: exit 3, and who reads the message finds the place."""
    form = format_named("concise")
    with pytest.raises(FormatError, match=r"/concise\.py:\d+: AttributeError: .* has no attribute 'results'"):
        form.rendered(None, Style())  # type: ignore[arg-type]  # no report

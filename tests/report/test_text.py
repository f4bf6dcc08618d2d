# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The text report, against snapshots that were read as prose."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from trainlint.model.document import Source, Span
from trainlint.model.finding import Finding, Level, Outcome, Skip
from trainlint.model.result import Report, Result
from trainlint.report.brief.source_excerpt import excerpt
from trainlint.report.closing import place_of
from trainlint.report.formats import concise
from trainlint.report.formats.text import render
from trainlint.report.style import Style
from trainlint.report.text.result_text import about, render_result
from trainlint.tape import Network

from .report_samples import failing, passing, report, unknown, unreadable

SNAPSHOTS = Path(__file__).parent / "snapshots"
PLAIN = Style()


def same_as_snapshot(name: str, text: str) -> None:
    path = SNAPSHOTS / name
    if os.environ.get("TRAINLINT_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_a_whole_report() -> None:
    same_as_snapshot("report.txt", render(report(), PLAIN))


def test_a_whole_report_for_a_verbose_reader() -> None:
    same_as_snapshot("report-verbose.txt", render(report(), Style(verbose=True)))


def test_a_job_that_fits_takes_one_line() -> None:
    assert len(list(render_result(passing(), PLAIN))) == 1


def test_a_job_whose_memory_passed_is_headed_by_that() -> None:
    """Something else was not judged: the head says pass and names it, the reason stands below."""
    skips = (Skip("session-budget", "no time is given"), Skip("checkpoint-disk", "no duration is given"))
    half = replace(passing(), outcome=Outcome.SKIPPED, undecided=True, skips=skips)
    assert render(Report((half,), files=1), PLAIN).startswith(
        "pass  configs/small.yml on kaggle-t4x2: 5.30 to 5.60"
    )
    head, *rest = render(Report((half,), files=1), Style(verbose=True)).splitlines()
    assert head.startswith("pass  configs/small.yml on kaggle-t4x2  memory 5.30 to 5.60 of 14.56 GiB")
    assert head.endswith(" (not judged: checkpoint-disk, session-budget)")
    assert "not judged in configs/small.yml on kaggle-t4x2: checkpoint-disk: no duration is given" in rest
    assert rest[-1] == "1 pass as far as judged (1 file)"
    line = concise.render(Report((half,), files=1), PLAIN).splitlines()[0]
    assert line == "configs/small.yml:1:1: not judged: no time is given (kaggle-t4x2)"


def test_a_loss_without_weights_is_no_network() -> None:
    networks = (Network("generator", "RRDBNet", 16_697_987, 1), Network("mssim", "mssimloss", 0, 0))
    assert about(replace(failing(), networks=networks)).count("RRDBNet 16.7 M, 2 x Tesla T4") == 1


def test_memory_is_broken_down_only_where_it_is_tight() -> None:
    roomy = replace(failing(), facts=passing().facts)
    text = "\n".join(render_result(roomy, PLAIN))
    assert "queue 2.40" not in text
    assert "memory 5.30 to 5.60 of 14.56 GiB" in text


def test_no_colour_means_no_escapes() -> None:
    assert "\x1b" not in render(report(), PLAIN)
    assert "\x1b[1;31m" in render(report(), Style(colour=True))


def test_a_linted_file_cannot_write_to_the_terminal() -> None:
    evil = Source("a\x1b[2J.yml", "name: \x1b]0;owned\x07\nx: 1\n")
    result = replace(unreadable(), path=evil.path, source=evil)
    assert "\x1b" not in render(Report((result,), files=1), PLAIN)


@pytest.mark.parametrize("make", [failing, passing, unknown, unreadable])
def test_no_line_ends_in_blanks(make) -> None:
    assert all(line == line.rstrip() for line in render_result(make(), PLAIN))


def test_carets_stand_under_their_text_after_tabs_and_wide_characters() -> None:
    source = Source("x", "\t漢字: bad\n")
    start = source.text.index("bad")
    _, line, carets = excerpt(source, [Span(start, start + 3)], PLAIN)
    assert line == "1 |     漢字: bad"
    assert carets == "  | " + " " * (4 + 4 + 2) + "^^^"


def test_a_long_line_is_cut_around_the_span() -> None:
    text = '{"a": 1, ' + '"filler": 0, ' * 100 + '"bad": 7, ' + '"rest": 0, ' * 100 + "}"
    start = text.index("7")
    _, line, carets = excerpt(Source("x", text), [Span(start, start + 1)], Style(width=60))
    assert len(line) <= 62
    assert line[carets.index("^")] == "7"


def test_several_spans_on_one_line_and_far_apart() -> None:
    text = "a: 1\nb: 2\nc: 3\nd: [4, 5]\n"
    spans = [
        Span(text.index("5"), text.index("5") + 1),
        Span(3, 4),
        Span(text.index("4"), text.index("4") + 1),
    ]
    assert excerpt(Source("x", text), spans, PLAIN) == [
        "  |", "1 | a: 1", "  |    -", "...", "4 | d: [4, 5]", "  |     -  ^",
    ]  # fmt: skip


def test_a_span_over_several_lines_is_marked_on_its_first() -> None:
    text = "a:\n  b: 1\n  c: 2\n"
    assert excerpt(Source("x", text), [Span(0, len(text) - 1)], PLAIN)[1:] == ["1 | a:", "  | ^^"]


def test_an_empty_span_at_the_end_of_the_file_is_marked() -> None:
    assert excerpt(Source("x", "a: 1\n"), [Span(5, 5)], PLAIN)[1:] == ["2 |", "  | ^"]


def test_a_warning_about_one_value_takes_one_line() -> None:
    only = replace(failing(), outcome=Outcome.WARN, findings=failing().findings[:1], facts=passing().facts)
    head, line = render_result(only, PLAIN)
    assert "memory 5.30 to 5.60 of 14.56 GiB" in head
    assert line == "      warning[workers-over-cores]: 8 workers on 4 cores (2:1, num_gpu: auto)"


def test_a_fix_that_mends_two_findings_is_shown_once() -> None:
    _, queue = failing().findings
    twice = replace(failing(), findings=(queue, replace(queue, rule="other")))
    text = "\n".join(render_result(twice, PLAIN))
    assert text.count("-    batch_size_per_gpu: 12") == 1
    assert "fix: the same edit: set batch_size_per_gpu to 6" in text


def test_a_whole_file_that_cannot_be_read_takes_one_line() -> None:
    finding = Finding("unreadable", Level.FAIL, "is empty, expected a config", (Span(0, 0),))
    result = Result("a.yml", Source("a.yml", ""), Outcome.UNREADABLE, findings=(finding,))
    assert list(render_result(result, PLAIN)) == ["unreadable a.yml: is empty, expected a config"]


def test_many_rules_with_one_reason_are_counted() -> None:
    skips = tuple(Skip(f"rule-{at}", "no time is given") for at in range(12))
    text = render(Report((replace(passing(), skips=skips),), files=1), Style(verbose=True))
    assert (
        "not judged in configs/small.yml on kaggle-t4x2: rule-0, rule-1, rule-10, rule-11 and 8 more rules"
        in text
    )


@pytest.mark.parametrize(
    ("variant", "said"),
    [("as in docs/train.md:3", "a.yml, read as in docs/train.md:3"), ("one GPU", "a.yml, read as one GPU")],
)
def test_a_reading_is_named_once(variant, said):
    assert place_of(Result("a.yml", Source("a.yml", ""), Outcome.PASS, variant=variant)) == said

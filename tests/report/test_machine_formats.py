# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""concise, json and github: what other programs read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from trainlint.model.document import Span
from trainlint.model.finding import Finding, Level, Skip
from trainlint.model.result import Report
from trainlint.report import closing, json_version_1
from trainlint.report.formats import concise, github, text
from trainlint.report.style import Style

from .report_samples import failing, passing, report, unknown, unreadable

PLAIN = Style()


def parsed(**changes) -> dict:
    return json.loads(json_version_1.render(replace(report(), **changes), PLAIN))


def test_concise_is_one_line_for_each_finding() -> None:
    lines = concise.render(Report((failing(), passing(), unknown())), PLAIN).splitlines()
    assert len(lines) == 3
    assert re.fullmatch(
        r"configs/photos\.yml:3:13: fail: \[\*\] pool of 180 .+ \[queue-not-divisible\]", lines[1]
    )


def test_concise_says_nothing_of_a_clean_run() -> None:
    assert concise.render(Report((passing(),)), PLAIN) == ""


def test_json_has_the_fields_of_the_contract() -> None:
    result = parsed()["results"][2]
    assert list(result) == [
        "path", "document", "cell", "line", "name", "dialect", "trainer", "variant", "target", "launcher",
        "command",
        "outcome", "verdicts", "networks", "facts", "findings", "recommended", "skipped",
    ]  # fmt: skip
    assert result["networks"] == [{"role": "generator", "arch": "RRDBNet", "parameters": 16697987}]
    memory = result["facts"]["memory"]
    assert set(memory["gpus"][0]) == {
        "allocated", "least", "expect", "worst", "context", "capacity", "expandable", "unbroken",
    }  # fmt: skip
    assert {"parts", "saved_per_sample", "peak_phase", "stages", "validation", "largest_batch"} <= set(memory)
    finding = result["findings"][1]
    place = {key: finding[key] for key in ("line", "column", "end_line", "end_column")}
    assert place == {"line": 3, "column": 13, "end_line": 3, "end_column": 16}
    assert finding["fixes"][0]["edits"] == [{"start": 86, "end": 88, "text": "6"}]


def test_json_counts_edits_in_the_file_with_its_bom() -> None:
    marked = replace(failing(), source=replace(failing().source, bom=True))
    text = f"\ufeff{marked.source.text}"
    edits = parsed(results=(marked,))["results"][0]["findings"][1]["fixes"][0]["edits"]
    assert [text[edit["start"] : edit["end"]] for edit in edits] == ["12"]


def test_json_says_why_an_unreadable_file_has_no_facts() -> None:
    result = parsed(results=(unreadable(),))["results"][0]
    reason = result["findings"][0]["message"]
    assert result["skipped"] == [
        {"rule": f"facts.{name}", "reason": reason} for name in ("memory", "time", "disk", "host")
    ]
    assert all(result["facts"][name] is None for name in ("memory", "time", "disk", "host"))


def test_json_says_why_a_fact_is_null() -> None:
    facts = replace(passing().facts, time=None, missing={"time": "no duration"})
    result = parsed(results=(replace(passing(), facts=facts),))["results"][0]
    assert result["facts"]["time"] is None
    assert result["skipped"] == [{"rule": "facts.time", "reason": "no duration"}]


def _names(value: object) -> set[str]:
    if isinstance(value, dict):
        free = ("parts", "belongings", "missing")  # their keys are the run's own
        inner = (_names(item) for key, item in value.items() if key not in free)
        return set(value).union(*inner)
    return set().union(*map(_names, value)) if isinstance(value, list) else set()


def test_every_field_stands_on_the_page_about_json() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
    told = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`[^`\n]+`", page))))
    assert _names(parsed()) <= told


def test_json_without_results_is_an_empty_list() -> None:
    assert parsed(results=())["results"] == []


def test_json_has_no_infinity() -> None:
    facts = replace(passing().facts, time=replace(passing().facts.time, total_hours=(1.0, 2.0, float("inf"))))
    result = parsed(results=(replace(passing(), facts=facts),))["results"][0]
    assert result["facts"]["time"]["total_hours"] == [1.0, 2.0, None]


def many(count: int, level: Level) -> Report:
    findings = tuple(Finding(f"rule-{at}", level, "too much", (Span(0, 4),)) for at in range(count))
    return Report((replace(failing(), findings=findings),), files=1)


def test_github_gives_ten_of_a_level_and_counts_the_rest() -> None:
    text = github.render(many(25, Level.FAIL), PLAIN)
    assert text.count("::error ") == 10
    assert github.aside(many(25, Level.FAIL)) == "1 fail (1 file); 15 more in the step summary"
    assert github.step_summary(many(25, Level.FAIL)).count("too much") == 25


def test_github_prints_commands_and_nothing_else() -> None:
    assert github.render(Report((passing(),), files=1), PLAIN) == ""
    lines = github.render(report(), PLAIN).splitlines()
    assert lines
    assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in lines)


def test_formats_of_findings_leave_aside_why_nothing_was_judged() -> None:
    said = closing.aside(Report(files=2, unrecognised=("ci.yml",)))
    assert "no training config: ci.yml" in said
    assert "nothing judged (2 files)" in said
    assert closing.aside(Report((passing(),), files=1)) == ""


def test_no_line_of_a_configs_own_stands_in_a_report() -> None:
    """GitHub reads a command at the start of any line of a log."""
    finding = Finding("odd", Level.FAIL, "got x\n::error::y", (Span(0, 4),), notes=("z\n::error::z",))
    hostile = replace(failing(), name="a\n::error::x", path="p\n::error::p.yml", findings=(finding,))
    told = replace(unknown(), skips=(Skip("vram-budget", "no\n::error::r"),), path="q\n::error::q.yml")
    for module in (text, concise):
        lines = module.render(Report((hostile, told), files=2), PLAIN).splitlines()
        assert [line for line in lines if line.lstrip().startswith("::")] == []
        assert any("\\n::error::" in line for line in lines)


def test_github_puts_the_worst_first() -> None:
    commands = re.findall(r"^::(\w+)", github.render(Report((failing(),)), PLAIN), re.MULTILINE)
    assert commands == ["error", "warning"]


def test_github_escapes_what_would_end_a_command_or_a_property() -> None:
    finding = Finding("odd", Level.FAIL, "50% of\nwhat, it: says\x00\x1b[2J", (Span(0, 4),))
    line = github.render(
        Report((replace(failing(), path="a,b:c.yml", findings=(finding,)),)), PLAIN
    ).splitlines()[0]
    properties, _, message = line.removeprefix("::error ").partition("::")
    assert "file=a%2Cb%3Ac.yml" in properties
    assert "50%25 of%0Awhat, it: says\ufffd\ufffd[2J" in message


def test_github_gives_no_columns_for_several_lines() -> None:
    finding = Finding("long", Level.FAIL, "all of it", (Span(0, 30),))
    line = github.render(Report((replace(failing(), findings=(finding,)),)), PLAIN)
    assert "endLine=3" in line
    assert "col=" not in line


@pytest.mark.rest
def test_the_step_summary_shows_the_fix_and_stays_below_its_limit() -> None:
    summary = github.step_summary(Report((failing(), unreadable())))
    assert "+    batch_size_per_gpu: 6" in summary
    huge = github.step_summary(many(30_000, Level.WARN))
    assert len(huge.encode()) <= github.SUMMARY_BYTES
    more = re.fullmatch(r"\+(\d+) more findings", huge.splitlines()[-1])
    assert more
    assert huge.count("too much") + int(more[1]) == 30_000


def test_the_step_summary_keeps_a_files_markdown_from_working() -> None:
    finding = Finding("odd", Level.FAIL, "<img src=x> [a](b) `c`", (Span(0, 4),))
    summary = github.step_summary(Report((replace(failing(), findings=(finding,)),)))
    assert "\\<img" in summary
    assert "\\[a\\]" in summary
